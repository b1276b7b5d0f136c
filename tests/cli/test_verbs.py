# SPDX-License-Identifier: Apache-2.0
"""The verbs of the command: documents, Makefile and program name the same ones, and an option is the same in all of them."""

import re
import subprocess
import sys
import tomllib
from importlib import import_module

import pytest
from typer.core import TyperGroup

from arqlink.cli import main, options
from arqlink.tree import ROOT

PAGES = [path for pattern in ("*.md", "docs/**/*.md", "*/README.md", "[cers]*/**/*.md", "release/*.template", ".github/**/*.md") for path in ROOT.glob(pattern)]
RESEARCH = tomllib.loads((ROOT / "research" / "pyproject.toml").read_text())["project"]["entry-points"][main.PLUGINS]


def commands():
    """All commands by name, sub-verbs as "codec encode"; those of research by what they are plugged in with, installed or not."""
    found = {}
    verbs = {name: f"arqlink.cli.{name}:{name}" for panel in main.VERBS.values() for name in panel} | RESEARCH
    for name, place in verbs.items():
        module, attribute = place.split(":")
        command = main.as_command(name, getattr(import_module(module), attribute))
        found |= {f"{name} {sub}": of for sub, of in command.commands.items()} if isinstance(command, TyperGroup) else {name: command}
    return found


COMMANDS = commands()


def parameters():
    """Each option that the help shows: command, names, and the option."""
    for command, of in COMMANDS.items():
        for param in of.params:
            if param.param_type_name == "option" and not getattr(param, "hidden", False):
                yield command, param.opts, param


def test_research_plugs_in_what_the_help_knows_of_it():
    assert RESEARCH.keys() == main.RESEARCH.keys()


def named(text):
    """The verbs that a text names as commands: in code, or as a line of its own."""
    words = re.findall(r"(?:`|^(?: *\$)? *|/bin/|\| )arqlink ([a-z]+)(?: ([a-z-]+))?", text, re.MULTILINE)
    return [f"{verb} {sub}" if f"{verb} {sub}" in COMMANDS else verb for verb, sub in words]


GROUPS = {name.split()[0] for name in COMMANDS if " " in name}


def test_the_table_of_the_documents_has_all_verbs_and_no_others():
    rows = re.findall(r"^\| (`arqlink .*?) \| .* \|$", (ROOT / "docs" / "command_line.md").read_text(), re.MULTILINE)
    assert set(named("\n".join(word for row in rows for word in row.split(", ")))) == COMMANDS.keys()


PROSE = {"is", "repairs", "link", "firmware", "boot"}
"""Words behind the name of the project where it is no command."""


@pytest.mark.parametrize("page", [*PAGES, ROOT / "Makefile", ROOT / "CHANGELOG.md"], ids=lambda page: str(page.relative_to(ROOT)))
def test_verbs_that_are_named_exist(page):
    text = page.read_text().replace("$(ARQLINK)", "/bin/arqlink")
    assert set(named(text)) - PROSE <= COMMANDS.keys() | GROUPS


def test_a_verb_that_does_not_exist_is_seen():
    assert named("`arqlink fly` and\n    arqlink sing --loud\n.venv/bin/arqlink codec encode") == ["fly", "sing", "codec encode"]


def test_the_makefile_calls_verbs_and_no_modules_of_the_package():
    assert not re.search(r"-m arqlink", (ROOT / "Makefile").read_text())


REASONS = {
    "--delay-ms": {"stats": "a long one needs a larger window", "tcp": "of the topology"},
    "--delta": {"live": "TCP does not wait for long", "tcp": "of the topology"},
    "--loss": {"tcp": "of the topology"},
    "--rate-mbps": {"tcp": "of the topology"},
    "--config": {
        "console": "room for the firmware", "board": "room for the firmware",
        "live": "small units are often late", "size": "One for hardware", "verilog": "files cost nothing",
    },
    "--k": {"plan": "the best", "codec encode": "this many shares restore the file"},
    "--n": {"codec encode": "shares in all"},
    "--packet-bytes": {"plan": "as traffic has it", "size": "as traffic has it", "tcp": "of the topology"},
    "--seed": dict.fromkeys(("synth", "tcp", "campaign feedback-loss"), "the results are of all of them"),
    "--runs": {"campaign forged-recovery": "each runs twice"},
    "--frames": {"campaign run": "in place of faults"},
    "--connections": {"plan": "0: datagrams that fill it", "tcp": "of the topology"},
    "--buffer": {"plan": "the fewest that cost nothing", "tcp": "stored before the link"},
    "--gateway": {"plan": "Choose buffer and ACK reservation", "live": "none", "tcp": "none, or of the topology"},
}  # fmt: skip
"""Commands in which an option has another default than in the others, or is required, and words of the reason, which their help says."""


def default(param):
    shown = getattr(param, "show_default", None)
    return shown if isinstance(shown, str) else param.default


def test_an_option_has_one_default_where_no_reason_is_told():
    defaults = {}
    for command, names, param in parameters():
        reason = REASONS.get(names[0], {}).get(command)
        if reason is None:
            defaults.setdefault(names[0], {}).setdefault(repr(default(param)), []).append(command)
        else:
            assert reason in f"{param.help} {default(param)}", (command, names[0])
    assert not {name: found for name, found in defaults.items() if len(found) > 1}


def test_what_an_option_says_stands_for_one_name():
    """Two names with one help are two names of one thing; so are old and new names of an option."""
    names = {}
    for _, opts, param in parameters():
        names.setdefault(param.help, set()).add(opts[0])
    assert not {text: found for text, found in names.items() if len(found) > 1}
    shown = {name for _, opts, _ in parameters() for name in opts}
    assert not shown & {*options.OLD_NAMES, "--seeds", "--jobs", "--first", "--count"}


def parsed(command, words):
    """What a command takes from its arguments."""
    context = COMMANDS[command].make_context(command, list(words), resilient_parsing=False)
    return context.params


@pytest.mark.parametrize(("old", "new"), [("--n-retx", "--nr"), ("--order", "--ord"), ("--p", "--loss")])
def test_old_names_work_and_are_not_shown(old, new):
    taking = [command for command, names, _ in parameters() if new in names]
    assert taking
    for command in taking:
        needed = {"send": ["in", "out"]}.get(command, [])
        assert parsed(command, [*needed, old, "1"]) == parsed(command, [*needed, f"{old}=1"]) == parsed(command, [*needed, new, "1"])
        assert parsed(command, [*needed, new, "1"]) != parsed(command, needed) or new == "--ord"


def test_the_old_name_of_seeds_works():
    assert parsed("tcp", ["--seeds", "2"])["seeds"] == "2"


def test_a_command_behind_two_dashes_keeps_its_options():
    assert parsed("live", ["--", "program", "--p", "1"])["command"] == ["program", "--p", "1"]


def test_the_help_has_a_line_for_each_verb(arqlink, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    code, out, _ = arqlink("--help")
    assert code == 0
    for panel, verbs in main.VERBS.items():
        assert f"─ {panel} ─" in out
        for name, line in verbs.items():
            assert re.search(rf"^│ {name} +{re.escape(line)} +│$", out, re.MULTILINE), name


def test_the_help_imports_no_verb():
    done = subprocess.run([sys.executable, "-X", "importtime", "-m", "arqlink", "--help"], capture_output=True, text=True, check=True)
    imported = set(re.findall(r"\| +([\w.]+)$", done.stderr, re.MULTILINE))
    assert "arqlink.cli.main" in imported and not {"numpy", "scipy", *(f"arqlink.cli.{name}" for panel in main.VERBS.values() for name in panel)} & imported


@pytest.mark.parametrize("command", COMMANDS)
def test_each_verb_has_an_example(command):
    assert f"Example: arqlink {command}" in COMMANDS[command].help


def test_interrupts_and_errors_are_one_sentence(arqlink, monkeypatch):
    def interrupted():
        raise KeyboardInterrupt

    monkeypatch.setattr("arqlink.cli.regs.contracts.write", lambda folder: interrupted())
    assert arqlink("regs") == (130, "", "Interrupted.\n")
    for words in (
        ["synth", "none"],
        ["bench", "--placed", "--docs"],
        ["bench", "--clocks", "--stats"],
        ["campaign", "run", "--pair", "x"],
        ["campaign", "run", "--show"],
        ["campaign", "feedback-loss", "--seed", "x"],
        ["campaign", "feedback-loss", "--round-trip", "5"],
        ["fuzz", "--packets", "0"],
    ):
        code, out, error = arqlink(*words)
        assert code == 2 and not out and error.count("\n") == 1, words
