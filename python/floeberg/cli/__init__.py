"""The command line `floeberg`: verbs on tables and catalogs.

Each verb calls what the package has. Nothing is decided about tables here: this room names them, asks, shows results,
and says by the exit code what happened.
"""

from __future__ import annotations

import os
import sys

__all__ = ["main"]

_NOT_INSTALLED = 10
_INTERRUPTED = 130


def main() -> None:
    """Runs the command line, and ends the process.

    Raises:
        SystemExit: Always. The code is one of those that the guide lists.
    """
    _open_closed()
    try:
        _import_packages()
        from floeberg.cli.app import run  # noqa: PLC0415 - it needs both

        run()
    except KeyboardInterrupt:
        sys.exit(_INTERRUPTED)


def _import_packages() -> None:
    try:
        import rich  # noqa: F401, PLC0415 - it is optional
        import typer  # noqa: F401, PLC0415
    except ImportError as error:
        sys.stderr.write(
            f"error: the command line needs the package {error.name}, which is not installed\n"
            "  hint: pip install 'floeberg[cli]'\n"
        )
        sys.exit(_NOT_INSTALLED)


def _open_closed() -> None:
    """Opens what was closed when the process began, as jobs do: nothing is read, and nothing is shown."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115, PTH123 - for the whole process
