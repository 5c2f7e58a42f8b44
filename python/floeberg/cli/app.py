"""Which verbs has the command line?"""

from __future__ import annotations

import contextlib
import sys
import warnings

from floeberg._secrets import without_secrets
from floeberg.cli.exits import leave_pipe, report
from floeberg.cli.session import group, root_options
from floeberg.cli.verbs import (
    catalogs,
    checking,
    comparing,
    copying,
    creating,
    describing,
    doctor,
    keys,
    listing,
    maintaining,
    properties,
    references,
    reporting,
    scanning,
    serving,
    writing,
)

__all__ = ["app", "run"]

app = group("Reads, writes and looks after Apache Iceberg and Lance tables.")
app.callback()(root_options)
for each in (
    listing,
    describing,
    scanning,
    writing,
    copying,
    comparing,
    references,
    maintaining,
    checking,
    reporting,
    creating,
    properties,
    catalogs,
    doctor,
    serving,
    keys,
):
    each.add_to(app)


def _show_warning(message: Warning | str, *_: object) -> None:
    sys.stderr.write(f"warning: {without_secrets(str(message))}\n")


def run() -> None:
    """Runs the command line of this process, and ends it.

    Raises:
        SystemExit: Always.
    """
    warnings.showwarning = _show_warning  # type: ignore[assignment] # it takes what there is
    try:
        app(prog_name="floeberg")
    except OSError as failure:
        # What is shown before a verb begins, such as help. Verbs report their errors themselves.
        leave_pipe()
        raise SystemExit(report(failure, as_json=False)) from None
    finally:
        # What is left is written now: at the end of Python a reader that went away would be a traceback.
        try:
            sys.stdout.flush()
        except BrokenPipeError:
            leave_pipe()
        with contextlib.suppress(BrokenPipeError):
            sys.stderr.flush()
