"""What the process exits with, and what it says."""

from __future__ import annotations

import inspect
import subprocess
import sys

import pytest

from floeberg import errors
from floeberg.cli.exits import ExitCode, UnconfirmedError, code_of, near, report

KINDS = [
    each for _, each in inspect.getmembers(errors, inspect.isclass) if issubclass(each, errors.FloebergError)
] + [UnconfirmedError]
EXPECTED = {
    "invalid_input": 2,
    "not_found": 3,
    "already_exists": 4,
    "commit_conflict": 5,
    "commit_state_unknown": 6,
    "permission_denied": 7,
    "storage": 8,
    "invalid_data": 9,
    "unsupported": 10,
    "unconfirmed": 11,
    "limit_exceeded": 12,
    "internal": 70,
    "error": 70,
    "cancelled": 130,
}


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_each_kind_of_error_has_its_code(kind):
    assert code_of(kind("x")) == EXPECTED[kind.kind]


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (FileNotFoundError(2, "No such file", "x"), ExitCode.NOT_FOUND),
        (PermissionError(13, "denied", "x"), ExitCode.PERMISSION),
        (OSError(28, "No space left on device"), ExitCode.STORAGE),
        (KeyboardInterrupt(), ExitCode.INTERRUPTED),
        (ValueError("surprise"), ExitCode.INTERNAL),
    ],
)
def test_other_errors_have_one_too(error, code, capsys):
    assert report(error, as_json=False) == code
    said = capsys.readouterr().err
    assert said.count("error: ") == 1
    assert ("please report it" in said) == (code is ExitCode.INTERNAL)


def test_an_error_says_what_to_do(capsys):
    error = errors.CommitConflictError("others were faster", context={"table": "t"})
    error.add_note("look at the history")
    report(error, as_json=False)
    assert capsys.readouterr().err == (
        "error: others were faster (table: t)\n"
        "  hint: look at the history\n"
        "  hint: nothing was changed: run the command again\n"
    )


def test_near_matches():
    assert near("ordrs", ["orders", "stock"]) == "did you mean 'orders'?"
    assert near("zzz", [str(number) for number in range(12)]).endswith("and 2 more")
    assert near("x", []) == ""


def test_errors_are_json_where_json_was_asked_for(run):
    import json

    said = json.loads(run("scan", "./nothing", "--json", code=3).err)
    assert said["error"]["kind"] == "not_found"
    assert said["error"]["exit_code"] == 3


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("scna",), "Did you mean 'scan'"),
        (("scan", "x", "--wher", "y"), "--where"),
        (("scan",), "Missing argument 'TABLE'"),
        (("scan", "x", "--output", "jsn"), "'jsonl'"),
        (("scan", "x", "--limit", "many"), "--limit"),
        (("scan", "x", "--limit", "-1"), "--limit"),
        (("tag", "creat", "x", "y"), "Did you mean 'create'"),
        (("show", "x", "schem"), "'schema'"),
        (("scan", "./x", "--option", "broken"), "expected KEY=VALUE"),
    ],
)
def test_what_is_wrongly_written_is_named(run, words, said):
    assert said in " ".join(run(*words, code=2).err.split())


@pytest.mark.parametrize("missing", ["typer", "rich"])
def test_a_missing_package_is_named_with_the_command_that_installs_it(missing):
    code = f"import sys; sys.modules[{missing!r}] = None; from floeberg.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 10
    assert missing in done.stderr
    assert "pip install 'floeberg[cli]'" in done.stderr


def test_the_package_does_not_import_what_the_command_line_needs():
    code = "import sys, floeberg; print(sorted({'typer', 'rich', 'floeberg.cli'} & set(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout == "[]\n"
