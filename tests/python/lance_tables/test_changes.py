"""Changes of rows between versions of Lance tables."""

from __future__ import annotations

import pickle
import random
import shutil
from datetime import timedelta
from pathlib import Path
from typing import Any

import lance
import pyarrow as pa
import pytest

import floeberg as fb
from floeberg.errors import InvalidInputError, NotFoundError, UnsupportedError

from .kit import made, rows

both_kinds = pytest.mark.parametrize("stable", [True, False], ids=["stable ids", "addresses"])
NAMES = ["id", "name", "v"]


def found(changes: fb.LanceChangelogScan) -> list[tuple[Any, ...]]:
    """Version, type and row of each change."""
    read = changes.to_arrow().to_pylist()
    return [(row.pop("_commit_version"), row.pop("_change_type"), *row.values()) for row in read]


def brief(changes: fb.LanceChangelogScan) -> list[tuple[Any, ...]]:
    """Version, type and key of each change."""
    return [each[:3] for each in found(changes)]


def at(table: fb.LanceTable, version: int) -> dict[int, tuple[int | None, tuple[Any, ...]]]:
    """The last updates and rows of a version by their ids, as pylance reads them."""
    dataset = lance.dataset(table.location, version=version)
    read = dataset.to_table(
        columns=[*NAMES, "_rowid", "_row_last_updated_at_version", "_row_created_at_version"]
    )
    return {
        row["_rowid"]: (
            (row["_row_last_updated_at_version"], row["_row_created_at_version"]),
            tuple(row[name] for name in NAMES),
        )
        for row in read.to_pylist()
    }


def expected(table: fb.LanceTable, start: int, end: int) -> list[tuple[Any, ...]]:
    """The changes from one version to another, of what pylance says of both."""
    before, after = at(table, start), at(table, end)
    changes: list[tuple[Any, ...]] = []
    for key in before.keys() | after.keys():
        (old, new) = before.get(key), after.get(key)
        if old is not None and new is not None and old[0][1] == new[0][1]:
            if old[0] != new[0]:
                changes += [("UPDATE_BEFORE", *old[1]), ("UPDATE_AFTER", *new[1])]
            continue
        changes += [("DELETE", *old[1])] if old is not None else []
        changes += [("INSERT", *new[1])] if new is not None else []
    return sorted(changes)


def check(table: fb.LanceTable) -> None:
    """Compares the changes of every version, and all of them at once, with what pylance says."""
    numbers = table.version_numbers()
    every = found(table.changelog_scan(numbers[0], selected_fields=NAMES))
    for version in numbers[1:]:
        ours = sorted((kind, *row[:-1]) for made_by, kind, *row in every if made_by == version)
        assert ours == expected(table, version - 1, version), version
        one = found(table.changelog_scan(version - 1, version, selected_fields=NAMES))
        assert [each[:-1] for each in one] == [each[:-1] for each in every if each[0] == version]
    for start in numbers[:: max(len(numbers) // 4, 1)]:
        net = found(table.changelog_scan(start, selected_fields=NAMES, net=True))
        assert sorted((kind, *row[:-1]) for _, kind, *row in net) == expected(table, start, numbers[-1])


def test_changes_of_each_version_are_told_by_row_ids(tmp_path: Path) -> None:
    table = made(tmp_path, rows(0, 4))
    table.append(rows(4, 6))
    table.update({"v": -1.0}, "id = 1 OR id = 4")
    table.delete("id = 2")
    table.merge(pa.table({"id": [3, 9], "v": [0.5, 9.0]}), on="id").when_matched_update_all(
        "source.id = 3"
    ).when_not_matched_insert_all().execute()
    assert found(table.changelog_scan(2)) == [
        (3, "UPDATE_BEFORE", 1, "n1", 0.5, 0),
        (3, "UPDATE_BEFORE", 4, "n4", 2.0, 0),
        (3, "UPDATE_AFTER", 1, "n1", -1.0, 0),
        (3, "UPDATE_AFTER", 4, "n4", -1.0, 0),
        (4, "DELETE", 2, "n2", 1.0, 1),
        (5, "UPDATE_BEFORE", 3, "n3", 1.5, 2),
        (5, "UPDATE_AFTER", 3, "n3", 0.5, 2),
        (5, "INSERT", 9, None, 9.0, 2),
    ]
    assert brief(table.changelog_scan(to_version_inclusive=2)) == [
        *((1, "INSERT", key) for key in range(4)),
        (2, "INSERT", 4),
        (2, "INSERT", 5),
    ]
    assert brief(table.changelog_scan(3, net=True)) == [
        (5, "DELETE", 2),
        (5, "UPDATE_BEFORE", 3),
        (5, "UPDATE_AFTER", 3),
        (5, "INSERT", 9),
    ]
    assert table.changelog_scan(5).to_arrow().num_rows == 0
    check(table)


def test_without_stable_row_ids_rows_are_known_by_their_addresses(tmp_path: Path) -> None:
    table = made(tmp_path, rows(0, 4), stable_row_ids=False)
    table.update({"v": -1.0}, "id = 1")
    table.delete("id = 2")
    assert brief(table.changelog_scan(1)) == [(2, "DELETE", 1), (2, "INSERT", 1), (3, "DELETE", 2)]
    assert brief(table.changelog_scan(1, net=True)) == [(3, "DELETE", 1), (3, "DELETE", 2), (3, "INSERT", 1)]
    table.append(rows(5, 6))
    assert table.maintenance.compact().version == 5
    assert brief(table.changelog_scan(3)) == [(4, "INSERT", 5)]
    with pytest.raises(
        UnsupportedError, match="version 5 moved rows, or may have, and rows have no stable ids"
    ):
        table.changelog_scan(3, net=True).to_arrow()


@both_kinds
def test_what_only_moves_or_describes_rows_is_no_change(tmp_path: Path, *, stable: bool) -> None:
    table = made(tmp_path, rows(0, 10), stable_row_ids=stable)
    table.append(rows(10, 20))
    start = table.version
    table.maintenance.compact()
    table.update_config({"a": "b"})
    table.add_columns(pa.field("note", pa.string()))
    table.add_columns({"twice": fb.sql_expr("id * 2")})
    table.rename_columns({"name": "title"})
    table.drop_columns("note")
    lance.dataset(table.location).create_scalar_index("id", "BTREE")
    lance.dataset(table.location).optimize.compact_files()
    table.refresh()
    assert table.changelog_scan(start).to_arrow().num_rows == 0
    # A row from before has the columns of the end.
    table.delete("id = 3")
    (change,) = table.changelog_scan(start).to_arrow().to_pylist()
    assert (change["id"], change["title"], change["twice"]) == (3, "n3", 6)


@both_kinds
def test_values_that_are_replaced_in_place_are_changes(tmp_path: Path, *, stable: bool) -> None:
    table = made(tmp_path, rows(0, 10), stable_row_ids=stable)
    table.append(rows(10, 12))
    dataset = lance.dataset(table.location)
    new = pa.table({"v": pa.array([0.0, 100.0, *(key / 2 for key in range(2, 10))])})
    fragment = dataset.get_fragments()[0]
    path = Path(table.location, "data", "replaced.lance")
    with lance.file.LanceFileWriter(str(path), new.schema) as writer:
        writer.write_batch(new)
    field = next(each.id() for each in dataset.lance_schema.fields() if each.name() == "v")
    file = lance.fragment.DataFile("replaced.lance", [field], [0], 2, 2, file_size_bytes=path.stat().st_size)
    replacement = lance.LanceOperation.DataReplacementGroup(fragment.fragment_id, file)
    operation = lance.LanceOperation.DataReplacement([replacement])
    lance.LanceDataset.commit(table.location, operation, read_version=table.version)
    table.refresh()
    # With stable row ids pylance says of all rows of the fragment that they were updated. Without, values are compared.
    keys = range(10) if stable else [1]
    changes = found(table.changelog_scan(2, selected_fields=NAMES))
    assert [each[1:3] for each in changes] == [
        *(("UPDATE_BEFORE", key) for key in keys),
        *(("UPDATE_AFTER", key) for key in keys),
    ]
    assert [each[4] for each in changes if each[2] == 1] == [0.5, 100.0]


@both_kinds
def test_restores_and_overwrites(tmp_path: Path, *, stable: bool) -> None:
    table = made(tmp_path, rows(0, 4), stable_row_ids=stable)
    table.update({"v": -1.0}, "id = 1")
    table.delete("id = 2")
    table.restore(1)
    back = found(table.changelog_scan(3))
    kinds = ("UPDATE_BEFORE", "UPDATE_AFTER") if stable else ("DELETE", "INSERT")
    assert sorted(each[1:5] for each in back) == sorted(
        [(kinds[0], 1, "n1", -1.0), (kinds[1], 1, "n1", 0.5), ("INSERT", 2, "n2", 1.0)]
    )
    table.overwrite(rows(2, 6))
    assert sorted(brief(table.changelog_scan(4))) == sorted(
        [*((5, "DELETE", key) for key in range(4)), *((5, "INSERT", key) for key in range(2, 6))]
    )
    lance.write_dataset(rows(0, 2), table.location, mode="overwrite")
    table.refresh()
    assert len(brief(table.changelog_scan(5))) == 6
    if stable:
        check(table)


def random_step(random_: random.Random, table: fb.LanceTable, next_key: list[int]) -> None:
    low = random_.randrange(next_key[0])
    some = f"id >= {low} AND id < {low + random_.randrange(1, 12)}"
    keys = random_.sample(range(next_key[0] + 5), 8)
    source = pa.table({"id": keys, "name": [str(random_.random()) for _ in keys], "v": [1.5] * 8})
    dataset = lance.dataset(table.location)

    def append() -> None:
        table.append(rows(next_key[0], next_key[0] + 5))
        next_key[0] += 5

    steps = [
        append,
        lambda: table.delete(some),
        lambda: table.update({"v": random_.random()}, some),
        lambda: table.upsert(source, ["id"]),
        lambda: table.maintenance.compact(target_rows=random_.choice([10, 1000])),
        lambda: table.restore(random_.choice(table.version_numbers())),
        lambda: dataset.delete(some),
        lambda: dataset.update({"v": "v + 1"}, where=some),
        lambda: (
            dataset.merge_insert("id").when_matched_update_all().when_not_matched_insert_all().execute(source)
        ),
        lambda: dataset.optimize.compact_files(target_rows_per_fragment=20),
        lambda: lance.write_dataset(rows(0, next_key[0]), table.location, mode="overwrite"),
    ]
    random_.choice(steps)()
    table.refresh()


@pytest.mark.parametrize("seed", range(8))
def test_changes_of_random_histories_are_what_pylance_says_of_the_versions(tmp_path: Path, seed: int) -> None:
    random_, next_key = random.Random(seed), [20]
    table = made(tmp_path, rows(0, 20))
    for _ in range(14):
        random_step(random_, table, next_key)
    check(table)


@pytest.mark.parametrize("seed", range(4))
def test_changes_by_addresses_lead_from_one_version_to_the_next(tmp_path: Path, seed: int) -> None:
    random_, next_key = random.Random(seed), [20]
    table = made(tmp_path, rows(0, 20), stable_row_ids=False)
    for _ in range(14):
        random_step(random_, table, next_key)

    def values(read: pa.Table) -> list[tuple[Any, ...]]:
        return sorted(tuple(row[name] for name in NAMES) for row in read.to_pylist())

    for version in table.version_numbers()[1:]:
        state = values(lance.dataset(table.location, version=version - 1).to_table())
        for _, kind, *row in found(table.changelog_scan(version - 1, version)):
            if kind in ("DELETE", "UPDATE_BEFORE"):
                state.remove(tuple(row[:3]))
        for _, kind, *row in found(table.changelog_scan(version - 1, version)):
            if kind in ("INSERT", "UPDATE_AFTER"):
                state.append(tuple(row[:3]))
        assert sorted(state) == values(lance.dataset(table.location, version=version).to_table())


def test_filters_and_columns(tmp_path: Path) -> None:
    table = made(tmp_path, rows(0, 4))
    table.update({"v": 10.0}, "id >= 2")
    changes = table.changelog_scan(1, row_filter="v < 1.25 OR id = 3", selected_fields=("id", "_rowid"))
    assert changes.to_arrow().to_pylist() == [
        {"id": 2, "_rowid": 2, "_change_type": "DELETE", "_change_ordinal": 0, "_commit_version": 2},
        {"id": 3, "_rowid": 3, "_change_type": "UPDATE_BEFORE", "_change_ordinal": 0, "_commit_version": 2},
        {"id": 3, "_rowid": 3, "_change_type": "UPDATE_AFTER", "_change_ordinal": 0, "_commit_version": 2},
    ]
    assert brief(table.changelog_scan(row_filter="id = 0")) == [(1, "INSERT", 0)]
    assert pickle.loads(pickle.dumps(changes)).to_arrow() == changes.to_arrow()
    assert changes.to_arrow_batch_reader().read_all() == changes.to_arrow()
    assert pa.table(changes).num_rows == 3
    names = table.changelog_scan(1, selected_fields=("ID",), case_sensitive=False).to_arrow().column_names
    assert names[0] == "id"
    with pytest.raises(InvalidInputError):
        table.changelog_scan(1, selected_fields=("nope",))
    assert (changes.from_version_exclusive, changes.to_version_inclusive) == (1, 2)


def test_ranges_that_are_not_known_are_refused(tmp_path: Path) -> None:
    table = made(tmp_path, rows(0, 4))
    for key in range(4, 8):
        table.append(rows(key, key + 1))
    table.create_tag("kept")
    moment = table.versions()[1].timestamp
    assert brief(table.changelog_scan(moment, "kept")) == [
        (3, "INSERT", 5),
        (4, "INSERT", 6),
        (5, "INSERT", 7),
    ]
    with pytest.raises(NotFoundError, match="no version 9"):
        table.changelog_scan(1, 9)
    with pytest.raises(InvalidInputError, match="a start before the end, found version 4 and version 2"):
        table.changelog_scan(4, 2)
    with pytest.raises(NotFoundError, match="no tag 'nope'"):
        table.changelog_scan("nope")
    table.create_branch("side")
    side = fb.open_table(table.location, branch="side")
    side.append(rows(9, 10))
    assert brief(side.changelog_scan(5)) == [(6, "INSERT", 9)]
    with pytest.raises(
        InvalidInputError, match=r"the branch 'side' has no version 4.*from_version_exclusive=5"
    ):
        side.changelog_scan(3)
    with pytest.raises(InvalidInputError, match="the earliest start is from_version_exclusive=5"):
        side.changelog_scan()
    with pytest.raises(InvalidInputError, match="of another branch"):
        side.changelog_scan("kept")
    table.append(rows(8, 9))
    table.maintenance.cleanup(older_than=timedelta(0))
    with pytest.raises(InvalidInputError, match=r"no version 4, or not any more.*from_version_exclusive=5"):
        table.changelog_scan(1)
    assert brief(table.changelog_scan(5)) == [(6, "INSERT", 8)]


def test_columns_that_are_others_in_the_range_are_refused(tmp_path: Path) -> None:
    table = made(tmp_path, rows(0, 4))
    table.update({"v": 1.0}, "id = 0")
    table.drop_columns("v")
    table.add_columns({"v": 7.0})
    with pytest.raises(
        UnsupportedError, match="the column 'v' has another type in version 2 than in version 4"
    ):
        table.changelog_scan(1).to_arrow()
    assert [each[:3] for each in found(table.changelog_scan(1, selected_fields=("id",)))] == [
        (2, "UPDATE_BEFORE", 0),
        (2, "UPDATE_AFTER", 0),
    ]


def without_transaction(manifest: Path) -> None:
    """Writes a manifest again without a word about its transaction."""
    content = manifest.read_bytes()
    start = int.from_bytes(content[-16:-8], "little")
    message, at, kept = content[start + 4 : -16], 0, b""

    def varint() -> int:
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            at, value, shift = at + 1, value | (byte & 127) << shift, shift + 7
            if byte < 128:
                return value

    while at < len(message):
        begin = at
        tag, kind = divmod(varint(), 8)
        length = varint() if kind in (0, 2) else 8
        at += length if kind == 2 else 0
        kept += b"" if tag in (12, 21, 23) else message[begin:at]
    manifest.write_bytes(content[:start] + len(kept).to_bytes(4, "little") + kept + content[-16:])


def test_changes_without_transactions(tmp_path: Path) -> None:
    stable = made(tmp_path / "a", rows(0, 4))
    plain = made(tmp_path / "b", rows(0, 4), stable_row_ids=False)
    opened = []
    for table in (stable, plain):
        table.append(rows(4, 6))
        table.maintenance.compact()
        shutil.rmtree(Path(table.location, "_transactions"))
        for manifest in Path(table.location, "_versions").glob("*.manifest"):
            without_transaction(manifest)
        # Other manifests are another table to who has it open.
        opened.append(fb.open_table(table.location))
        assert brief(opened[-1].changelog_scan(1, 2)) == [(2, "INSERT", 4), (2, "INSERT", 5)]
    assert brief(opened[0].changelog_scan(2)) == []
    with pytest.raises(UnsupportedError, match="nothing says what made version 3"):
        opened[1].changelog_scan(2).to_arrow()


def test_a_column_named_as_those_of_changes_is_refused(tmp_path: Path) -> None:
    table = made(tmp_path, pa.table({"id": [1], "_change_type": ["x"]}))
    with pytest.raises(InvalidInputError, match="is a name of changes: select other columns"):
        table.changelog_scan()
    assert table.changelog_scan(selected_fields=("id",)).to_arrow().num_rows == 1


@pytest.mark.parametrize(
    "name", ["_rowid", "_rowaddr", "_row_created_at_version", "_row_last_updated_at_version"]
)
def test_a_column_that_hides_which_row_it_is_is_refused(tmp_path: Path, name: str) -> None:
    table = made(tmp_path, rows(0, 4))
    lance.dataset(table.location).alter_columns({"path": "v", "name": name})
    table.refresh()
    table.append(pa.table({"id": [9]}))
    with pytest.raises(UnsupportedError, match="the name is reserved"):
        table.changelog_scan(2)


def test_changes_of_one_format_are_applied_to_a_table_of_the_other(tmp_path: Path) -> None:
    ours = made(tmp_path, rows(0, 6))
    ours.update({"v": -1.0}, "id < 3")
    ours.merge(
        pa.table({"id": [1, 7], "v": [0.0, 7.0]}), on="id"
    ).when_matched_delete().when_not_matched_insert_all().execute()
    catalog = fb.load_catalog(str(tmp_path), type="memory")
    catalog.create_namespace("db")
    theirs = catalog.create_table("db.t", rows(0, 1).schema, format_version=3)
    fed = {"keys": ["id"], "operation": "_change_type", "order_by": "_change_ordinal"}
    theirs.apply_changes(ours.changelog_scan().to_arrow().drop_columns(["_commit_version"]), **fed)
    assert (
        theirs.scan().to_arrow().sort_by("id").to_pylist() == ours.scan().to_arrow().sort_by("id").to_pylist()
    )
    start = theirs.current_snapshot().snapshot_id
    theirs.update({"name": "back"}, "id = 4")
    theirs.delete("id = 5")
    changes = theirs.changelog_scan(start).to_arrow().drop_columns(["_commit_snapshot_id"])
    done = ours.apply_changes(changes, **fed)
    assert (done.updated_rows, done.deleted_rows, done.inserted_rows) == (1, 2, 0)
    assert (
        theirs.scan().to_arrow().sort_by("id").to_pylist() == ours.scan().to_arrow().sort_by("id").to_pylist()
    )


def test_changes_of_a_clone(tmp_path: Path) -> None:
    table = made(tmp_path, rows(0, 4))
    table.append(rows(4, 6))
    table.shallow_clone(str(tmp_path / "clone"))
    clone = fb.open_table(str(tmp_path / "clone"), format="lance")
    first = clone.version_numbers()[0]
    clone.update({"v": 5.0}, "id = 1")
    assert brief(clone.changelog_scan(first)) == [
        (first + 1, "UPDATE_BEFORE", 1),
        (first + 1, "UPDATE_AFTER", 1),
    ]
