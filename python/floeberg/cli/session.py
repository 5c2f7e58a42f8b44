"""How does a function become a verb of the command line?

Each verb gets the options that all have, those of reading and of asking where it wants them, and the one way in which
errors end a process.
"""

from __future__ import annotations

import inspect
import re
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from floeberg.cli.asking import confirm
from floeberg.cli.exits import ExitCode, leave_pipe, report
from floeberg.cli.naming import Place, When
from floeberg.cli.output import Form, Output
from floeberg.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["Session", "group", "pairs_of", "root_options", "verb"]

_WHERE = "Which catalog"
_STATE = "Which state of the table"
_ASKING = "Before anything is removed"
_SHOWN = "Output"

_Catalog = Annotated[
    str | None,
    typer.Option("--catalog", "-c", metavar="NAME", help="A configured catalog.", rich_help_panel=_WHERE),
]
_Options = Annotated[
    list[str] | None,
    typer.Option(
        "--option",
        "-O",
        metavar="KEY=VALUE",
        help="A property of the catalog, or an option of the storage. May be given several times.",
        rich_help_panel=_WHERE,
    ),
]
_Form = Annotated[
    Form | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FORM",
        help="text or json; of rows also jsonl, csv, parquet or arrow.",
        rich_help_panel=_SHOWN,
    ),
]
_Json = Annotated[bool, typer.Option("--json", help="The same as --output json.", rich_help_panel=_SHOWN)]
_SnapshotId = Annotated[
    int | None,
    typer.Option(metavar="ID", help="A snapshot; of a Lance table a version.", rich_help_panel=_STATE),
]
_Ref = Annotated[str | None, typer.Option(metavar="NAME", help="A branch or tag.", rich_help_panel=_STATE)]
_AsOf = Annotated[
    str | None,
    typer.Option(metavar="TIME", help="ISO 8601 with a zone, or an age such as 7d.", rich_help_panel=_STATE),
]
_Yes = Annotated[
    bool, typer.Option("--yes", "-y", help="Confirms. Nothing is asked.", rich_help_panel=_ASKING)
]
_DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Shows only what would be done.", rich_help_panel=_ASKING)
]


def _parameter(name: str, annotation: Any, default: object = None) -> inspect.Parameter:  # noqa: ANN401 - a type
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


_ALL = (
    _parameter("catalog_name", _Catalog),
    _parameter("option", _Options),
    _parameter("form", _Form),
    _parameter("as_json", _Json, default=False),
)
_READING = (
    _parameter("snapshot_id", _SnapshotId),
    _parameter("ref", _Ref),
    _parameter("as_of", _AsOf),
)
_REMOVING = (_parameter("dry_run", _DryRun, default=False), _parameter("yes", _Yes, default=False))


@dataclass(frozen=True)
class Session:
    """What the options of all verbs say.

    Attributes:
        place: How names are read.
        output: Where results go.
        when: Which state is read.
        dry_run: Whether nothing is to be done.
        yes: Whether everything is confirmed.
    """

    place: Place
    output: Output
    when: When
    dry_run: bool
    yes: bool

    def table(self, name: str) -> Any:  # noqa: ANN401 - a table of either format
        """The table of a name; a Lance table at the state that is to be read."""
        return self.when.of(self.place.table(name), self.place)

    @property
    def shows_progress(self) -> bool | None:
        """What long work gets as `progress`: a bar at a terminal, else nothing."""
        return True if sys.stderr is not None and sys.stderr.isatty() else None

    def confirm(self, question: str) -> None:
        """Asks, unless `--yes` was given.

        Raises:
            UnconfirmedError: The answer was no, or there is no terminal to ask at.
        """
        confirm(question, yes=self.yes)


def group(help_text: str) -> typer.Typer:
    """An empty group of verbs."""
    return typer.Typer(
        help=help_text,
        no_args_is_help=True,
        rich_markup_mode="markdown",
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )


def _described(function: Any, parameters: Sequence[inspect.Parameter]) -> None:  # noqa: ANN401 - a function
    """Lets typer see parameters that a function takes together."""
    keyword_only = [each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in parameters]
    function.__signature__ = inspect.Signature(keyword_only)
    function.__annotations__ = {each.name: each.annotation for each in parameters}


def root_options(context: typer.Context, **given: Any) -> None:  # noqa: ANN401 - values of options
    """Keeps what stands before the verb, where PyIceberg has it."""
    context.obj = given


_described(root_options, (_parameter("context", typer.Context, inspect.Parameter.empty), *_ALL))


def verb(
    app: typer.Typer, *names: str, examples: tuple[str, ...], reads: bool = False, removes: bool = False
) -> Callable[[Callable[..., int | None]], Callable[..., int | None]]:
    """Makes a verb of a function. It returns what to exit with, or `None` for 0.

    Args:
        app: The group that the verb is of.
        *names: Its names. The help lists the first alone.
        examples: Command lines for its help.
        reads: Whether it reads a state of a table that is chosen by options.
        removes: Whether it takes `--dry-run` and `--yes`.
    """

    def register(function: Callable[..., int | None]) -> Callable[..., int | None]:
        own = [each for name, each in inspect.signature(function).parameters.items() if name != "session"]
        shared = [*(_READING if reads else ()), *(_REMOVING if removes else ()), *_ALL]

        def call(context: typer.Context, **given: Any) -> None:  # noqa: ANN401 - values of options
            taken = {each.name: given.pop(each.name) for each in shared}
            _run(
                function,
                {
                    **(context.obj or {}),
                    **{name: each for name, each in taken.items() if _is_given(each)},
                },
                given,
            )

        _described(call, [_parameter("context", typer.Context, inspect.Parameter.empty), *own, *shared])
        call.__doc__ = function.__doc__
        epilog = "Examples:\n\n" + "\n\n".join(f"`floeberg {each}`" for each in examples)
        for number, name in enumerate(names):
            app.command(name, epilog=epilog, hidden=number > 0)(call)
        return function

    return register


def pairs_of(name: str, texts: list[str] | None) -> dict[str, str]:
    """Values by their keys. Errors show no value, which may be secret.

    Raises:
        InvalidInputError: One has no key.

    Examples:
        >>> pairs_of("--option", ["warehouse=lake", "s3.region=eu"])
        {'warehouse': 'lake', 's3.region': 'eu'}
    """
    pairs: dict[str, str] = {}
    for text in texts or []:
        key, is_pair, value = text.partition("=")
        if not is_pair or not re.fullmatch(r"\S+", key):
            raise InvalidInputError(f"{name}: expected KEY=VALUE, such as warehouse=lake")
        pairs[key] = value
    return pairs


def _is_given(value: object) -> bool:
    """Whether an option was given: also as an empty text, or as 0."""
    return value is not None and value is not False and value != []


def _run(function: Callable[..., int | None], shared: dict[str, Any], given: dict[str, Any]) -> None:
    form = Form.JSON if shared.get("as_json") else shared.get("form") or Form.TEXT
    code: int | None = None
    try:
        session = Session(
            Place(shared.get("catalog_name"), pairs_of("--option", shared.get("option"))),
            Output(form),
            When(shared.get("snapshot_id"), shared.get("ref"), shared.get("as_of")),
            dry_run=bool(shared.get("dry_run")),
            yes=bool(shared.get("yes")),
        )
        code = function(session, **given)
    except BrokenPipeError:
        leave_pipe()
        code = ExitCode.DONE
    except (KeyboardInterrupt, Exception) as error:  # noqa: BLE001 - each ends the process with a code of its own
        code = report(error, as_json=form is not Form.TEXT)
    raise typer.Exit(int(code or 0))
