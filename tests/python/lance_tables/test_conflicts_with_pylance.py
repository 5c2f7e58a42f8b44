"""Commits of pylance over ours, and ours over those of pylance, end as those of pylance over its own."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import lance
import pyarrow as pa
import pytest

import floeberg as fb
from floeberg.errors import CommitConflictError
from floeberg.lance import _writes, committing

from .operations_of_pylance import PER_FRAGMENT, ROWS, STALE, verdict_of_pylance

NEW = pa.table({"id": [100], "name": ["new"]})
KEYS = pa.table({"id": [5, 101], "name": ["five", "new"]})


def _upserted(dataset: lance.LanceDataset) -> None:
    dataset.merge_insert("id").when_matched_update_all().when_not_matched_insert_all().execute(KEYS)


def _renamed(dataset: lance.LanceDataset) -> None:
    dataset.alter_columns({"path": "name", "name": "title"})


ACTIONS: dict[str, tuple[Callable[[fb.LanceTable], Any], Callable[[lance.LanceDataset], Any]]] = {
    "append": (lambda t: t.append(NEW), lambda d: d.insert(NEW)),
    "delete(0)": (lambda t: t.delete("id = 3"), lambda d: d.delete("id = 3")),
    "delete(1)": (lambda t: t.delete("id = 13"), lambda d: d.delete("id = 13")),
    "drop(0)": (lambda t: t.delete("id < 10"), lambda d: d.delete("id < 10")),
    "update(0)": (lambda t: t.update({"name": "x"}, "id = 4"), lambda d: d.update({"name": "'x'"}, "id = 4")),
    "update(1)": (
        lambda t: t.update({"name": "x"}, "id = 14"),
        lambda d: d.update({"name": "'x'"}, "id = 14"),
    ),
    "upsert": (lambda t: t.upsert(KEYS, ["id"]), _upserted),
    "add column": (
        lambda t: t.add_columns({"n": fb.sql_expr("id * 2")}),
        lambda d: d.add_columns({"n": "id * 2"}),
    ),
    "drop column": (lambda t: t.drop_columns("name"), lambda d: d.drop_columns(["name"])),
    "rename column": (lambda t: t.rename_columns({"name": "title"}), _renamed),
    "overwrite": (lambda t: t.overwrite(NEW), lambda d: lance.write_dataset(NEW, d.uri, mode="overwrite")),
    "restore": (lambda t: t.restore(1), lambda d: d.restore()),
    "config(k)": (lambda t: t.update_config({"k": "1"}), lambda d: d.update_config({"k": "1"})),
    "schema metadata": (
        lambda t: t.update_schema_metadata({"a": "b"}),
        lambda d: d.update_schema_metadata({"a": "b"}),
    ),
    "compact": (lambda t: t.maintenance.compact(), lambda d: d.optimize.compact_files()),
}
"""What is done by us, and the same by pylance."""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("conflicts") / "kept"
    lance.write_dataset(ROWS, str(folder), max_rows_per_file=PER_FRAGMENT)
    return folder


@pytest.fixture
def copies(place: Path, tmp_path: Path) -> Iterator[str]:
    """The table, again and again."""

    def fresh() -> Iterator[str]:
        number = 0
        while True:
            number += 1
            yield str(shutil.copytree(place, tmp_path / str(number)))

    return fresh()


@pytest.mark.parametrize("done", ACTIONS)
def test_pylance_says_of_our_commits_what_it_says_of_its_own(copies: Iterator[str], done: str) -> None:
    by_us, by_pylance = ACTIONS[done]
    differing = {}
    for name, make in STALE.items():
        theirs, ours = next(copies), next(copies)
        stale = make(theirs), make(ours)
        by_pylance(lance.dataset(theirs))
        by_us(fb.open_table(ours))
        verdicts = verdict_of_pylance(theirs, stale[0]), verdict_of_pylance(ours, stale[1])
        if verdicts[0] != verdicts[1]:
            differing[name] = verdicts
        elif verdicts[1] == "ok":
            check(ours)
    assert differing == {}


@pytest.mark.parametrize("done", ACTIONS)
def test_we_say_of_commits_of_pylance_what_we_say_of_ours(
    copies: Iterator[str], done: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Nothing is made anew: the first answer counts.
    monkeypatch.setattr(
        _writes, "commit_operation", lambda *a, **k: committing.commit(*a, **(k | {"on_conflict": "raise"}))
    )
    by_us, by_pylance = ACTIONS[done]
    differing = {}
    for name, (act, _) in ACTIONS.items():
        theirs, ours = next(copies), next(copies)
        stale = fb.open_table(theirs), fb.open_table(ours)
        by_pylance(lance.dataset(theirs))
        by_us(fb.open_table(ours))
        verdicts = tuple(verdict(table, act) for table in stale)
        if verdicts[0] != verdicts[1]:
            differing[name] = verdicts
        elif verdicts[0] == "ok":
            check(theirs)
            check(ours)
            assert rows_of(theirs) == rows_of(ours), name
    assert differing == {}


def verdict(table: fb.LanceTable, act: Callable[[fb.LanceTable], Any]) -> str:
    """What becomes of what we do of an older version."""
    try:
        act(table)
    except CommitConflictError as error:
        return "retry" if error.retryable else "refused"
    return "ok"


def rows_of(place: str) -> list[dict[str, Any]]:
    return fb.open_table(place).scan().to_arrow().sort_by("id").to_pylist()


def check(place: str) -> None:
    """Both read the same, and can go on."""
    dataset = lance.dataset(place)
    dataset.validate()
    assert dataset.to_table().sort_by("id").to_pylist() == rows_of(place)
