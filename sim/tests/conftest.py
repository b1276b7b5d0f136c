# SPDX-License-Identifier: Apache-2.0
import pytest

from arqlink import cli


@pytest.fixture
def arqlink(tmp_path, monkeypatch, capsys):
    """Runs one command in an empty folder; gives (exit code, standard output, standard error)."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")

    def run(*arguments):
        with pytest.raises(SystemExit) as end:
            cli.main([str(a) for a in arguments])
        out, err = capsys.readouterr()
        return end.value.code or 0, out, err

    return run
