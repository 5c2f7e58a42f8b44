"""What is done to a Lance table while storage fails, or the process is killed."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import lance
import pyarrow as pa

import floeberg as fb

Action = Callable[[str, dict[str, str]], object]


def rows(writer: int, number: int, count: int = 3) -> pa.Table:
    """The rows of one append: all of them are there, or none."""
    keys = [writer * 1_000_000 + number * 10 + row for row in range(count)]
    return pa.table({"id": pa.array(keys, pa.int64()), "name": [f"n{key}" for key in keys]})


def begun(folder: Path) -> str:
    """A table with three fragments, one of them with a deletion file, a tag and a branch."""
    table = fb.lance.create_table(str(folder / "t"), rows(0, 0))
    table.append(rows(0, 1))
    table.create_tag("old")
    table.create_tag("spare")
    table.append(rows(0, 2))
    table.delete("id = 10")
    table.create_branch("side")
    return table.location


def opened(location: str, options: dict[str, str]) -> fb.LanceTable:
    return fb.open_table(location, format="lance", storage_options=options)


def create(location: str, options: dict[str, str]) -> None:
    fb.lance.create_table(f"{location}-other", rows(1, 0), storage_options=options)


def append(location: str, options: dict[str, str]) -> None:
    opened(location, options).append(rows(1, 0))


def append_files(location: str, options: dict[str, str]) -> None:
    """Add rows as several fragments."""
    opened(location, options).append(rows(1, 0, 5), max_rows_per_file=2)


def append_with_key(location: str, options: dict[str, str]) -> None:
    opened(location, options).append(rows(1, 0), idempotency_key="once")


def overwrite(location: str, options: dict[str, str]) -> None:
    opened(location, options).overwrite(rows(1, 0))


def delete(location: str, options: dict[str, str]) -> None:
    opened(location, options).delete("id IN (0, 11, 20)")


def update(location: str, options: dict[str, str]) -> None:
    opened(location, options).update({"name": "u"}, "id IN (1, 12)")


def upsert(location: str, options: dict[str, str]) -> None:
    source = pa.table({"id": [2, 77], "name": ["m", "i"]})
    opened(location, options).upsert(source, ["id"])


def merge(location: str, options: dict[str, str]) -> None:
    """Rows go, change, come, and change because the source lacks them."""
    source = pa.table({"id": [1, 2, 88], "name": ["gone", "m", "i"]})
    merged = opened(location, options).merge(source, on="id").when_matched_delete("target.id = 1")
    merged = merged.when_matched_update_all().when_not_matched_insert_all()
    merged.when_not_matched_by_source_update({"name": "left"}, "target.id = 20").execute()


def feed(location: str, options: dict[str, str]) -> None:
    changes = {
        "id": [2, 12, 99],
        "name": [None, "f", "new"],
        "op": ["delete", "update", "insert"],
        "at": [1, 2, 3],
    }
    opened(location, options).apply_changes(pa.table(changes), keys=["id"], operation="op", order_by="at")


def receipts(location: str, options: dict[str, str]) -> None:
    """Workers write, and a driver commits; what it does not commit it removes."""
    table = opened(location, options)
    recipe, written = table.write_recipe(), []
    try:
        written.extend(recipe.write(rows(1, number)) for number in range(2))
        table.commit_receipts(written, idempotency_key="job")
    except (fb.errors.CommitStateUnknownError, fb.errors.AlreadyExistsError):
        raise
    except BaseException:
        for receipt in written:
            recipe.remove(receipt)
        raise


def overwrite_by_workers(location: str, options: dict[str, str]) -> None:
    table = opened(location, options)
    table.commit_receipts([table.write_recipe().write(rows(1, 0))], mode="overwrite")


def add_rows_of_columns(location: str, options: dict[str, str]) -> None:
    table = opened(location, options)
    table.add_columns(pa.table({"number": range(table.scan().count())}))


def alter(location: str, options: dict[str, str]) -> None:
    opened(location, options).alter_column("name", type=pa.large_string())


def rename(location: str, options: dict[str, str]) -> None:
    opened(location, options).rename_columns({"name": "title"})


def configure(location: str, options: dict[str, str]) -> None:
    opened(location, options).update_config({"a": "b"})


def move_tag(location: str, options: dict[str, str]) -> None:
    opened(location, options).update_tag("old")


def remove_tag(location: str, options: dict[str, str]) -> None:
    opened(location, options).delete_tag("spare")


def remove_branch(location: str, options: dict[str, str]) -> None:
    opened(location, options).delete_branch("side")


def add_column(location: str, options: dict[str, str]) -> None:
    opened(location, options).add_columns({"twice": fb.sql_expr("id * 2")})


def drop_column(location: str, options: dict[str, str]) -> None:
    opened(location, options).drop_columns("name")


def compact(location: str, options: dict[str, str]) -> None:
    opened(location, options).maintenance.compact()


def restore(location: str, options: dict[str, str]) -> None:
    opened(location, options).restore(1)


def tag(location: str, options: dict[str, str]) -> None:
    opened(location, options).create_tag("new")


def branch(location: str, options: dict[str, str]) -> None:
    opened(location, options).create_branch("other")


def clone(location: str, options: dict[str, str]) -> None:
    opened(location, options).shallow_clone(f"{location}-clone")


def clean_up(location: str, options: dict[str, str]) -> None:
    opened(location, options).maintenance.cleanup(older_than=timedelta(0))


ACTIONS: tuple[Action, ...] = (
    create,
    append,
    append_files,
    append_with_key,
    overwrite,
    delete,
    update,
    upsert,
    merge,
    feed,
    receipts,
    overwrite_by_workers,
    add_column,
    add_rows_of_columns,
    alter,
    drop_column,
    rename,
    configure,
    compact,
    restore,
    tag,
    move_tag,
    remove_tag,
    branch,
    remove_branch,
    clone,
    clean_up,
)
WRITING = (
    create,
    append_files,
    overwrite,
    update,
    upsert,
    merge,
    feed,
    receipts,
    add_column,
    add_rows_of_columns,
    alter,
    compact,
)
"""Those that write data files."""


def state(location: str) -> dict[str, Any]:
    """What there is, to whoever reads it; each table that is there can be read whole."""
    found: dict[str, Any] = {}
    for name in (location, f"{location}-other", f"{location}-clone"):
        # A name that begins with a dot is what a crash left of a write.
        if not any(Path(name, "_versions").glob("[!.]*.manifest")):
            continue
        table = opened(name, {})
        found[name] = contents(table), sorted(table.tags())
        for each in table.branches():
            found[f"{name}@{each}"] = contents(fb.open_table(name, format="lance", branch=each))
    tagged = fb.open_table(location, format="lance", tag="old")
    found["tagged"] = contents(tagged)
    return found


def contents(table: fb.LanceTable) -> object:
    """The rows with their ids, and the version."""
    read = table.scan().select("*", "_rowid").to_arrow().sort_by("id")
    return (
        table.version,
        table.schema().names,
        [str(each) for each in table.schema().types],
        table.config,
        read.to_pylist(),
    )


def sound(location: str, message: str) -> None:
    """pylance reads what we read, and the table can be written by both."""
    dataset = lance.dataset(location)
    dataset.validate()
    table = opened(location, {})
    assert dataset.to_table().num_rows == table.scan().count(), message
    columns = {"id": [9_000_000]}
    table.append(pa.table(columns))
    written = lance.write_dataset(opened(location, {}).scan(limit=1).to_arrow(), location, mode="append")
    assert written.version == table.version + 1, message


def copy(location: str, kept: Path) -> None:
    """Be as at first: the table, and nothing beside it."""
    for name in (location, f"{location}-other", f"{location}-clone"):
        shutil.rmtree(name, ignore_errors=True)
    shutil.copytree(kept, location)
