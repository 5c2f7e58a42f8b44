"""Which verbs check a table, and mend it?"""

from enum import Enum
from typing import Annotated, Any, get_args

import typer

import floeberg as fb
from floeberg.checking import Severity
from floeberg.cli.exits import ExitCode
from floeberg.cli.naming import need_iceberg
from floeberg.cli.output import plain
from floeberg.cli.results import show_result, texts_of
from floeberg.cli.session import Session, verb
from floeberg.errors import InvalidInputError, NotFoundError

__all__ = ["add_to"]

_Table = Annotated[str, typer.Argument(metavar="TABLE", help="A name or a location.", show_default=False)]


class CheckLevel(str, Enum):
    """How deep a check looks."""

    METADATA = "metadata"
    MANIFESTS = "manifests"
    FILES = "files"
    ROWS = "rows"


class Worth(str, Enum):
    """The mildest severity that counts."""

    WRONG_DATA = "wrong-data"
    ENGINES_FAIL = "engines-fail"
    SLOW = "slow"
    COSMETIC = "cosmetic"


_Level = Annotated[CheckLevel, typer.Option("--level", help="How deep.")]


def add_to(app: typer.Typer) -> None:
    """Adds the verbs."""
    verb(
        app,
        "check",
        examples=("check sales.orders", "check ./warehouse/sales/orders --level rows --fail-on slow --json"),
    )(_check)
    verb(
        app,
        "repair",
        examples=(
            "repair sales.orders --dry-run",
            "repair ./warehouse/sales/orders --drop-damaged-versions --yes",
        ),
        removes=True,
    )(_repair)
    verb(
        app,
        "rebuild",
        examples=("rebuild ./lost/orders --to ./warehouse/sales/orders --dry-run",),
        removes=True,
    )(_rebuild)


def _check(
    session: Session,
    table: _Table,
    *,
    level: _Level = CheckLevel.MANIFESTS,
    fail_on: Annotated[
        Worth, typer.Option("--fail-on", help="The mildest severity that exits with 1.")
    ] = Worth.ENGINES_FAIL,
    all_snapshots: Annotated[
        bool, typer.Option("--all-snapshots", help="Those of all snapshots too.")
    ] = False,
    sample: Annotated[
        float | None,
        typer.Option(help="The part of the files that is opened, such as 0.01.", show_default=False),
    ] = None,
) -> int | None:
    """Checks a table against the specification. Exits with 1 if a rule is broken that counts."""
    session.output.check_form()
    named = session.place.named(table)
    depth: Any = level.value
    if named.catalog is None:
        _known_place(session, named.shown)
        check = fb.check(
            named.shown,
            depth,
            all_snapshots=all_snapshots,
            sample=sample,
            storage_options=session.place.options,
        )
    else:
        check = named.catalog.load_table(named.levels).check(
            depth, all_snapshots=all_snapshots, sample=sample, progress=session.shows_progress
        )
    severities = get_args(Severity)
    counted = severities[: severities.index(fail_on.value) + 1]
    findings = list(check)
    failed = any(each.severity in counted for each in findings)
    if session.output.is_json:
        session.output.json({"sound": not findings, "failed": failed, "findings": plain(findings)})
        return ExitCode.FOUND if failed else None
    if not findings:
        session.output.text("sound")
        return None
    session.output.grid(
        ("severity", "rule", "location", "part", "found", "repair"),
        [
            (each.severity, each.rule.id, each.location, each.part, each.message, each.rule.repair)
            for each in findings
        ],
    )
    return ExitCode.FOUND if failed else None


def _known_place(session: Session, location: str) -> None:
    """A place without anything is an error, and no finding about a table."""
    from floeberg._native import list_folder, location_from_user  # noqa: PLC0415

    place = location_from_user(location)
    if place.endswith(".json") or list_folder(place, storage_options=session.place.options):
        return
    raise NotFoundError("nothing is there", context={"path": place})


def _repair(
    session: Session,
    table: _Table,
    *,
    level: _Level = CheckLevel.MANIFESTS,
    drop_damaged_versions: Annotated[
        bool,
        typer.Option(
            "--drop-damaged-versions", help="Of a folder that does not open: gives up damaged metadata files."
        ),
    ] = False,
    drop_missing_data_files: Annotated[
        bool, typer.Option("--drop-missing-data-files", help="Gives up data files that are gone.")
    ] = False,
    drop_missing_delete_files: Annotated[
        bool, typer.Option("--drop-missing-delete-files", help="Gives up delete files that are gone.")
    ] = False,
    drop_missing_manifests: Annotated[
        bool, typer.Option("--drop-missing-manifests", help="Gives up manifests that are gone.")
    ] = False,
) -> int | None:
    """Mends what a check finds, in one commit. It shows what it would do first, and asks."""
    session.output.check_form()
    if drop_damaged_versions:
        _repair_folder(session, table)
        return None
    opened = need_iceberg(session.place.table(table), "repair")
    depth: Any = level.value
    given: dict[str, Any] = {
        "drop_missing_data_files": drop_missing_data_files,
        "drop_missing_delete_files": drop_missing_delete_files,
        "drop_missing_manifests": drop_missing_manifests,
    }
    findings = list(opened.check(depth))
    if not findings:
        show_result(session.output, {"findings": 0})
        return None
    would = opened.repair(findings, dry_run=True, **given)
    if session.dry_run:
        _show_repair(session, would)
        return ExitCode.FOUND
    if would.repaired or would.lost:
        if not session.output.is_json and not session.yes:
            _show_repair(session, would)
        session.confirm(f"Repair {table}: {len(would.repaired)} findings, {would.lost_rows:,} rows are lost?")
        would = opened.repair(findings, **given)
    _show_repair(session, would)
    return ExitCode.FOUND if would.skipped else None


def _show_repair(session: Session, result: Any) -> None:
    if session.output.is_json:
        session.output.json(
            {
                **{
                    name: value
                    for name, value in plain(result).items()
                    if name not in ("repaired", "skipped")
                },
                "repaired": [{**plain(finding), "done": done} for finding, done in result.repaired],
                "skipped": [{**plain(finding), "reason": reason} for finding, reason in result.skipped],
            }
        )
        return
    rows = [("repaired", finding.rule.id, finding.location, said) for finding, said in result.repaired]
    rows += [("skipped", finding.rule.id, finding.location, said) for finding, said in result.skipped]
    session.output.grid(("", "rule", "location", "what"), rows)


def _repair_folder(session: Session, location: str) -> None:
    """Makes the newest whole version of a table in a folder current."""
    named = session.place.named(location)
    if named.catalog is not None:
        raise InvalidInputError("--drop-damaged-versions: expected the folder of a table")
    options = session.place.options
    would = fb.repair(named.shown, dry_run=True, storage_options=options)
    if not session.dry_run and (would.damaged or would.missing):
        session.confirm(
            f"Give up {len(would.damaged)} damaged versions, and go back to version {would.version}?"
        )
        would = fb.repair(named.shown, drop_damaged_versions=True, storage_options=options)
    show_result(session.output, would)


def _rebuild(
    session: Session,
    location: Annotated[
        str, typer.Argument(metavar="LOCATION", help="The folder of the lost table.", show_default=False)
    ],
    *,
    to: Annotated[str, typer.Option(metavar="TABLE", help="The new table.", show_default=False)],
    drop_missing_data_files: Annotated[
        bool, typer.Option("--drop-missing-data-files", help="Leaves out data files that are gone.")
    ] = False,
) -> None:
    """Makes a new table of what is left of one that does not open. It shows what it found first, and asks."""
    session.output.check_form()
    named = session.place.named(to)
    given: dict[str, Any] = {
        "to": named.shown,
        "catalog": named.catalog,
        "drop_missing_data_files": drop_missing_data_files,
        "storage_options": session.place.options,
    }
    found = fb.rebuild(location, dry_run=True, **given)
    if not session.dry_run:
        if not session.yes:
            facts = {name: value for name, value in plain(found).items() if name != "table"}
            for line in texts_of(facts):
                session.output.note(line)
        session.confirm(f"Make {to} of {found.data_files} data files with {found.rows:,} rows?")
        found = fb.rebuild(location, **given)
    shown = {name: value for name, value in plain(found).items() if name != "table"}
    show_result(session.output, shown)
