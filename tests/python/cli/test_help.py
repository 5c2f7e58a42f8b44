"""Each verb has help with an example that is one of its command lines, and the guide names each verb and exit code."""

from __future__ import annotations

import re
import shlex

import pytest
import typer
from cargo_workspace import ROOT
from typer.main import get_command

from floeberg.cli.app import app
from floeberg.cli.exits import ExitCode

GUIDE = (ROOT / "docs" / "guide" / "command-line.md").read_text(encoding="utf-8")


def verbs(command=None, before=()):
    """All verbs by their words."""
    command = command or get_command(app)
    if not hasattr(command, "commands"):
        return {before: command}
    found = {}
    for name, each in command.commands.items():
        found |= verbs(each, (*before, name))
    return found


VERBS = verbs()
LISTED = {words: each for words, each in VERBS.items() if not each.hidden}


def examples(command):
    return re.findall(r"`floeberg (.*?)`(?:\n\n|$)", command.epilog or "")


def test_there_are_verbs():
    assert len(LISTED) > 40
    # PyIceberg's.
    pyiceberg = (
        "list describe schema spec uuid location create drop rename properties list-refs files version"
    )
    assert {words[0] for words in VERBS} >= set(pyiceberg.split())


@pytest.mark.parametrize("words", VERBS, ids=" ".join)
def test_a_verb_has_help_with_examples(words):
    command = VERBS[words]
    assert command.help.endswith(".")
    assert examples(command)
    for option in command.params:
        assert getattr(option, "help", None), option.name


@pytest.mark.parametrize("words", VERBS, ids=" ".join)
def test_the_examples_of_a_verb_are_command_lines_of_it(words):
    root = get_command(app)
    for example in examples(VERBS[words]):
        command, context, rest = root, typer.Context(root), shlex.split(example)
        while hasattr(command, "commands"):
            command = command.commands[rest.pop(0)]
        assert command.help == VERBS[words].help, example
        context = typer.Context(command)
        command.parse_args(context, rest)


@pytest.mark.parametrize("words", LISTED, ids=" ".join)
def test_the_guide_names_a_verb(words):
    assert f"`{' '.join(words)}`" in GUIDE


@pytest.mark.parametrize("code", ExitCode)
def test_the_guide_names_an_exit_code(code):
    assert re.search(rf"^\| {int(code)} \|", GUIDE, flags=re.MULTILINE)


def test_the_guide_names_no_other_exit_code():
    assert {int(each) for each in re.findall(r"^\| (\d+) \|", GUIDE, flags=re.MULTILINE)} == set(ExitCode)


@pytest.mark.parametrize("words", [(), ("tag",), ("scan",), ("properties", "get")])
def test_help_is_shown(run, words):
    shown = run(*words, "--help").out
    assert "Usage: " in shown
    assert "--help" in shown


def test_verbs_that_remove_take_dry_run_and_yes():
    removing = {"delete", "rollback", "maintain", "repair", "rebuild", "remove", "drop", "restore"}
    for words, command in VERBS.items():
        options = {name for each in command.params for name in each.opts}
        if removing.intersection(words):
            assert {"--dry-run", "--yes"} <= options, words
        assert {"--json", "--output", "--catalog", "--option"} <= options
