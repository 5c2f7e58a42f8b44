"""Which snippets of PyIceberg's documentation run here, and find what they find there?

    python tests/python/pyiceberg_documentation.py FOLDER

In: a folder with pages of PyIceberg's documentation, which is not part of this repository. Out: each snippet of Python
as `same`, `differs` or `missing`; `not run` are those that PyIceberg does not run here either.

Each snippet gets a catalog in SQLite with a few tables, under the names that the pages use, and the snippets before it
where it needs them. Ids of snapshots and places of files in it become those of the tables.
"""

from __future__ import annotations

import ast
import contextlib
import importlib
import io
import os
import re
import sys
import tempfile
import textwrap
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

import pyarrow as pa

PACKAGES = ("pyiceberg", "floeberg")
_FENCE = re.compile(r"^ *```python\n(.*?)^ *```", re.DOTALL | re.MULTILINE)
_ID = re.compile(r"\b\d{16,19}\b")
_PLACE = re.compile(r"""(["'])s3a?://[^"']*\1""")
_EARLIER = 3
"""The most snippets before one that it may need."""
_MODULES = ("types", "transforms", "expressions", "partitioning", "schema", "table.sorting")
_NAMESPACES = ("docs_example", "default", "docs")


@dataclass(frozen=True)
class Snippet:
    """A snippet of a page."""

    page: str
    number: int
    code: str

    def __str__(self) -> str:
        first = next(
            (line for line in self.code.splitlines() if line and not line.startswith(("from", "import"))), ""
        )
        return f"{self.page} {self.number}: {first.strip()[:90]}"


@dataclass(frozen=True)
class Outcome:
    """What became of a snippet."""

    snippet: Snippet
    kind: str
    why: str = ""


def snippets_of(folder: Path) -> list[Snippet]:
    """All snippets of the pages that are Python."""
    found = []
    for page in sorted(folder.glob("*.md")):
        for number, text in enumerate(_FENCE.findall(page.read_text(encoding="utf-8"))):
            code = textwrap.dedent(text)
            with contextlib.suppress(SyntaxError):
                if any(
                    not isinstance(each, ast.Expr | ast.AnnAssign) or _calls(each)
                    for each in ast.parse(code).body
                ):
                    found.append(Snippet(page.stem, number, code))
    return found


def _calls(node: ast.AST) -> bool:
    return any(isinstance(each, ast.Call) for each in ast.walk(node))


def outcomes(snippets: list[Snippet], only: str | None = None) -> Iterator[Outcome]:
    """What becomes of each snippet."""
    for at, snippet in enumerate(snippets):
        if only is not None and only != str(snippet.number):
            continue
        before = [each for each in snippets[max(at - _EARLIER, 0) : at] if each.page == snippet.page]
        theirs, way = None, (True, 0)
        why = ""
        for way in ((tables, number) for number in range(len(before) + 1) for tables in (True, False)):
            try:
                theirs = _run(snippet, before[len(before) - way[1] :], PACKAGES[0], with_tables=way[0])
                break
            except BaseException as error:  # noqa: BLE001 - whatever a snippet raises
                why = why or f"{type(error).__name__}: {error}"
        if theirs is None:
            yield Outcome(snippet, "not run", why[:150])
            continue
        try:
            ours = _run(snippet, before[len(before) - way[1] :], PACKAGES[1], with_tables=way[0])
        except BaseException as error:  # noqa: BLE001 - the same
            yield Outcome(snippet, "missing", f"{type(error).__name__}: {error}"[:250])
            continue
        different = {
            name: (theirs[name], ours.get(name))
            for name in theirs
            # A call that gives nothing there may give something here.
            if theirs[name] != ours.get(name) and theirs[name] != "None"
        }
        kind = "differs" if different else "same"
        yield Outcome(
            snippet, kind, "; ".join(f"{name}: {a} | {b}" for name, (a, b) in different.items())[:400]
        )


def _run(snippet: Snippet, before: list[Snippet], package: str, *, with_tables: bool) -> dict[str, str]:
    """What a snippet finds: its last value, what it prints, and the rows of the tables after it."""
    catalogs = importlib.import_module(f"{package}.catalog")
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        stack.callback(os.chdir, Path.cwd())
        os.chdir(folder)
        stack.enter_context(warnings.catch_warnings())
        warnings.simplefilter("ignore")
        catalog = catalogs.load_catalog(
            "default", type="sql", uri=f"sqlite:///{folder}/c.db", warehouse=str(folder / "warehouse")
        )
        stack.enter_context(mock.patch.object(catalogs, "load_catalog", return_value=catalog))
        names, substitutes = _context(catalog, package, with_tables=with_tables)
        names["load_catalog"] = catalogs.load_catalog
        for each in before:
            with contextlib.redirect_stdout(io.StringIO()):
                exec(compile(_translated(each.code, package, substitutes), "before", "exec"), names)
        tree = ast.parse(_translated(snippet.code, package, substitutes))
        last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(compile(tree, "snippet", "exec"), names)
            value = None if last is None else eval(compile(ast.Expression(last.value), "last", "eval"), names)
        found = {"value": _shown(value), "printed": _words(out.getvalue())}
        for name in ("table", "tbl"):
            with contextlib.suppress(Exception):
                found[name] = _shown(names[name].refresh().scan().to_arrow())
        found["tables"] = str(sorted(name for each in _NAMESPACES for name in catalog.list_tables(each)))
        return found


def _context(catalog: Any, package: str, *, with_tables: bool) -> tuple[dict[str, Any], dict[str, Any]]:
    """The names that a snippet may use, and what stands for ids and places."""
    for each in _NAMESPACES:
        catalog.create_namespace(each)
    names: dict[str, Any] = {"pa": pa, "catalog": catalog}
    names |= {"pl": importlib.import_module("polars"), "pc": importlib.import_module("pyarrow.compute")}
    names["datetime"] = importlib.import_module("datetime")
    for module in _MODULES:
        found = vars(importlib.import_module(f"{package}.{module}"))
        names |= {
            name: value for name, value in found.items() if isinstance(value, type) and name[0].isupper()
        }
    cities = pa.table({"city": ["Oslo", "Paris"], "lat": [59.9, 48.9], "long": [10.8, 2.3]})
    names["df"] = cities
    catalog.create_namespace("spare")
    spare = catalog.create_table("spare.t", cities.schema)
    spare.append(cities)
    substitutes: dict[str, Any] = {
        "place": spare.metadata_location,
        "ids": [spare.current_snapshot().snapshot_id],
    }
    if with_tables:
        bids = pa.table(
            {
                "id": pa.array([1, 2], pa.int64()),
                "symbol": ["a", "b"],
                "bid": pa.array([1.5, 2.5], pa.float32()),
                "ask": pa.array([1.5, 2.5], pa.float64()),
                "event_ts": pa.array([0, 1], pa.timestamp("us")),
                "some_partition": ["x", "y"],
                "details": [{"created_by": "jo"}, {"created_by": "al"}],
                "some_field": ["p", "q"],
                "VendorID": pa.array([1, 2], pa.int64()),
                "ticket_id": pa.array([9, 11], pa.int64()),
                "trip_distance": [9.5, 10.5],
                "tip_amount": [1.0, 0.0],
                "tpep_pickup_datetime": pa.array([0, 1], pa.timestamp("us")),
                "tpep_dropoff_datetime": pa.array([0, 1], pa.timestamp("us")),
            }
        )
        table = catalog.create_table("docs_example.bids", bids.schema)
        for _ in range(3):
            table.append(bids)
        tbl = catalog.create_table("default.cities", cities.schema)
        tbl.append(cities)
        ids = [each.snapshot_id for each in table.snapshots()]
        substitutes["ids"] = ids
        names |= {"table": table, "tbl": tbl, "iceberg_table": table, "schema": cities.schema}
        names |= {"batch_iter": iter(cities.to_batches())}
        catalog.create_namespace("nyc")
        catalog.create_table("nyc.taxis", bids.schema).append(bids)
        names |= {
            "snapshot_id": ids[0],
            "snapshot_id1": ids[0],
            "snapshot_id2": ids[1],
            "snapshot_ids": ids[:1],
        }
    return names, substitutes


def _translated(code: str, package: str, substitutes: dict[str, Any]) -> str:
    """A snippet for a package, with ids and places that are there."""
    ids = substitutes["ids"]
    known: dict[str, int] = {}
    code = _ID.sub(lambda match: str(ids[known.setdefault(match[0], len(known)) % len(ids)]), code)
    code = _PLACE.sub(repr(substitutes["place"]), code)
    return code.replace(PACKAGES[0], package)


def _shown(value: object) -> str:
    """A value, without ids, times and places."""
    if isinstance(value, pa.Table | pa.RecordBatch):
        return f"{sorted(value.schema.names)}: {value.num_rows} rows"
    if isinstance(value, str | int | float | bool | type(None) | tuple | list | set):
        return _words(repr(value))
    # Objects of the two packages print in their own ways.
    return type(value).__name__.lstrip("_").removeprefix("Lazy")


def _words(text: str) -> str:
    text = _ID.sub("ID", text)
    return re.sub(r"\S*/\S+", "PLACE", text)


def main(folder: str, only: str | None = None) -> int:
    """Prints what became of each snippet that is not the same, and how many are."""
    counted: Counter[str] = Counter()
    for each in outcomes(snippets_of(Path(folder)), only):
        counted[each.kind] += 1
        if each.kind != "same":
            sys.stdout.write(f"{each.kind:8} {each.snippet}\n         {each.why}\n")
    sys.stdout.write(f"{dict(counted)}\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(*sys.argv[1:]))
