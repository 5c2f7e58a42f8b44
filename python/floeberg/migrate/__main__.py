"""`python -m floeberg.migrate script.py` lists what a script for PyIceberg must change.

In: scripts, or folders of them. Out: a line for each place on standard output, and 1 as the exit code if something
must change.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from floeberg.cli.exits import ExitCode, leave_pipe, report
from floeberg.errors import FloebergError
from floeberg.migrate._scripts import changes_of_file, scripts_in

if TYPE_CHECKING:
    from floeberg.migrate._change import Change


def main(arguments: list[str] | None = None) -> int:
    """Lists the changes of some scripts.

    Returns:
        The exit code: 0 if nothing must change, 1 if something must, else that of the command line for the error.
    """
    parser = argparse.ArgumentParser(
        prog="python -m floeberg.migrate",
        description="Lists what scripts for PyIceberg must change to run with Floeberg. No script is run or changed.",
        epilog="Exit codes: 0 nothing must change, 1 something must, 2 a script is not Python, 3 it is not there.",
    )
    parser.add_argument(
        "scripts", nargs="+", type=Path, metavar="SCRIPT", help="a script, or a folder of scripts"
    )
    parser.add_argument("--json", action="store_true", help="a list of objects on standard output")
    options = parser.parse_args(arguments)
    found: list[tuple[Path, Change]] = []
    code = ExitCode.DONE
    for script in (each for path in options.scripts for each in scripts_in(path)):
        changes = _looked_at(script, as_json=options.json)
        if isinstance(changes, ExitCode):
            code = max(code, changes)
        else:
            found += [(script, change) for change in changes]
    _show(found, as_json=options.json)
    if code is not ExitCode.DONE:
        return code
    return ExitCode.FOUND if any(change.must for _, change in found) else ExitCode.DONE


def _looked_at(script: Path, *, as_json: bool) -> list[Change] | ExitCode:
    try:
        return changes_of_file(script)
    except (FloebergError, OSError) as error:
        return report(error, as_json=as_json)


def _show(found: list[tuple[Path, Change]], *, as_json: bool) -> None:
    try:
        if as_json:
            shown = [{"path": str(path), **change.to_dict()} for path, change in found]
            sys.stdout.write(json.dumps(shown, indent=2) + "\n")
            return
        for path, change in found:
            place = f"{path}:{change.line}:{change.column}"
            sys.stdout.write(_shown(f"{place}: {change.kind}: {change.what} -> {change.instead}") + "\n")
        must = sum(change.must for _, change in found)
        sys.stdout.write(f"{must} must change, {len(found) - must} mean something else\n")
        sys.stdout.flush()
    except BrokenPipeError:
        leave_pipe()


def _shown(text: str) -> str:
    """A line as it can be written: names of files may have anything in them."""
    plain = "".join(each if each.isprintable() else ascii(each)[1:-1] for each in text)
    encoding = sys.stdout.encoding or "utf-8"
    return plain.encode(encoding, "backslashreplace").decode(encoding)


if __name__ == "__main__":
    sys.exit(main())
