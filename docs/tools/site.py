# SPDX-License-Identifier: Apache-2.0
"""Hooks of MkDocs: the site has the paths of the repository, so a link leads to the same place on both.

Its pages are those of docs/ and of mkdocs.yml's navigation; with them comes every other file that a page links to.
"""

import re
from pathlib import Path

from mkdocs.structure.files import File, Files

from arqlink.pages import build

LINK = re.compile(r"\[([^\[\]]*)\]\(([^)\s#]+)(#[^)\s]*)?\)")
"""Text, path and anchor of a link; or of a picture."""


PLANNER = "pages/planner.html"
"""The planner page, which is built with the site. Where a document names it, the site has a link."""


def pages(nav):
    """Paths of all pages of a navigation, whose entries are paths and {title: path or entries}."""
    for entry in nav:
        if isinstance(entry, str):
            yield entry
        else:
            for content in entry.values():
                yield from pages([content] if isinstance(content, str) else content)


def linked(page):
    """Paths of the files, other than pages, that a page links to."""
    targets = {(page.parent / path).resolve() for _, path, _ in LINK.findall(page.read_text())}
    return {target for target in targets if target.is_file() and target.suffix != ".md"}


def root(config):
    """The repository's folder."""
    return Path(config.config_file_path).resolve().parent


def on_files(files, config):
    """The files of the site: what this module says in place of all that is in docs/, and the theme's."""
    here = root(config)
    shown = {path for path in (*here.glob("docs/*.md"), *map(here.joinpath, pages(config.nav))) if path.exists()}
    paths = shown.union(here.glob("docs/assets/*"), *map(linked, shown))
    own = [File(path.relative_to(here).as_posix(), str(here), config.site_dir, config.use_directory_urls) for path in sorted(paths)]
    planner = File.generated(config, PLANNER, content=build.page("planner"))
    return Files([*own, planner, *(file for file in files if file.src_dir != config.docs_dir)])


def on_page_markdown(markdown, page, config, **_):
    """A link to a folder leads to its README.md or, as a site does not list folders, is left as text. The planner page gets its link."""
    folder = (root(config) / page.file.src_uri).parent

    def mended(link):
        text, path, _ = link.groups()
        if not (folder / path).is_dir():
            return link.group()
        return f"[{text}]({path}/README.md)" if (folder / path / "README.md").exists() else text

    up = "../" * page.file.src_uri.count("/")
    return LINK.sub(mended, markdown).replace(f"`{PLANNER}`", f"[`{PLANNER}`]({up}{PLANNER})")
