# SPDX-License-Identifier: Apache-2.0
"""Results of a sweep in SQLite: table `runs` with a row for each point and seed. A row is there in whole, or not at all, whenever the program
is killed."""

import json
import sqlite3
from contextlib import closing

from arqlink.errors import UserError

SCHEMA = """create table if not exists runs (
    key text primary key, kind text not null, settings text not null, seed integer not null, result text not null
) without rowid"""


class Store:
    """Opens `path`, or makes it. Only one process writes to it."""

    def __init__(self, path):
        self.path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._database = sqlite3.connect(path)
            self._database.execute(SCHEMA)
            self._database.commit()
        except (sqlite3.Error, OSError) as error:
            raise UserError(f"'{path}' cannot be used for results: {error}.") from None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._database.close()

    def keys(self):
        return {key for (key,) in self._read("select key from runs")}

    def add(self, task, result):
        """Keeps the result of a Task; the first one stays."""
        row = (task.key, task.kind, json.dumps(task.settings, sort_keys=True), task.seed, json.dumps(result, sort_keys=True))
        try:
            with self._database:
                self._database.execute("insert or ignore into runs values (?, ?, ?, ?, ?)", row)
        except sqlite3.Error as error:
            raise UserError(f"'{self.path}' cannot be used for results: {error}.") from None

    def results(self, tasks):
        """Task key -> result, of those tasks that have one."""
        wanted = {task.key for task in tasks}
        return {key: json.loads(result) for key, result in self._read("select key, result from runs") if key in wanted}

    def _read(self, query):
        try:
            with closing(self._database.execute(query)) as rows:
                return rows.fetchall()
        except sqlite3.Error as error:
            raise UserError(f"'{self.path}' cannot be used for results: {error}.") from None
