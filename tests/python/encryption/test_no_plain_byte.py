"""Is every file of an encrypted table encrypted, whatever wrote it?

A random history of all kinds of changes; after each, every byte of every new file is looked through. Rows and names
have marks that nothing else has. `FLOEBERG_HISTORIES=500` tries so many histories.
"""

from __future__ import annotations

import datetime
import os
import pickle
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import floeberg as fb
from encryption.by_specification import Opened
from encryption.plain_bytes import Watched
from floeberg.encryption import KeyFile, create_key
from floeberg.errors import UnsupportedError

EXAMPLES = int(os.environ.get("FLOEBERG_HISTORIES", "0")) or 6
NAMES = [
    "marked_column_identity",
    "marked_column_person",
    "marked_column_salary",
    "marked_column_moment",
    "marked_column_parts",
    "marked_column_street",
]
ID, PERSON, SALARY, MOMENT, PARTS, STREET = NAMES
COUNTRIES = ["marked-value-atlantis", "marked-value-lemuria"]
FIRST_ID = 7_301_962_155_803_117_000
FIRST_MOMENT = 1_700_123_456_777_216
COMMON: list[str | float | bytes] = [
    "marked-value-",
    str(FIRST_ID)[:12],
    FIRST_ID.to_bytes(8, "little")[3:],
    FIRST_ID.to_bytes(8, "big")[:5],
    FIRST_MOMENT.to_bytes(8, "little")[3:],
    FIRST_MOMENT.to_bytes(8, "big")[:5],
]
"""What all texts, ids and times have in common. Each salary is a mark."""
EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
SCHEMA = pa.schema(
    [
        pa.field(ID, pa.int64(), nullable=False),
        (PERSON, pa.string()),
        (SALARY, pa.float64()),
        (MOMENT, pa.timestamp("us", tz="UTC")),
        (PARTS, pa.struct([(STREET, pa.string())])),
        ("marked_column_country", pa.string()),
    ]
)


@dataclass
class Run:
    """A table, its rows, and every mark that was ever in these."""

    catalog: Any
    keys: Path
    watched: Watched
    random: random.Random
    rows: dict[int, dict[str, Any]] = field(default_factory=dict)
    next_id: int = FIRST_ID

    @property
    def table(self) -> fb.Table:
        return self.catalog.load_table("db.t")

    def fresh(self, count: int) -> list[dict[str, Any]]:
        """New rows, whose values are marks."""
        return [self.row(self.next_id + number) for number in range(count)]

    def row(self, number: int) -> dict[str, Any]:
        self.next_id = max(self.next_id, number + 1)
        moment = EPOCH + datetime.timedelta(microseconds=FIRST_MOMENT + number % 100_000)
        salary = 123_456.789 + self.random.random()
        person = f"marked-value-person-{self.random.getrandbits(64):016x}"
        self.watched.values.append(salary)
        return {
            ID: number,
            PERSON: person,
            SALARY: salary,
            MOMENT: moment,
            PARTS: {STREET: f"marked-value-street-{self.random.getrandbits(64):016x}"},
            "marked_column_country": self.random.choice(COUNTRIES),
        }

    def some(self) -> list[int]:
        """The ids of some rows."""
        return self.random.sample(sorted(self.rows), k=max(1, len(self.rows) // 4)) if self.rows else []

    def columns(self) -> list[str]:
        return [each.name for each in self.table.schema().fields]

    def arrow(self, rows: list[dict[str, Any]]) -> pa.Table:
        return pa.Table.from_pylist(rows, schema=SCHEMA)

    def check(self) -> None:
        """The rows are right, to us and to who knows the specification alone."""
        table = self.table
        found = table.scan(selected_fields=(ID, PERSON, SALARY)).to_arrow().to_pylist()
        wanted = sorted((row[ID], row[PERSON], row[SALARY]) for row in self.rows.values())
        assert sorted((row[ID], row[PERSON], row[SALARY]) for row in found) == wanted
        if not table.current_snapshot():
            return
        path = Path(table.metadata_location.removeprefix("file://"))
        assert sorted(Opened(path, self.keys).rows([ID, PERSON, SALARY])) == wanted


def append(run: Run) -> None:
    rows = run.fresh(run.random.randint(1, 30))
    run.table.append(run.arrow(rows))
    run.rows |= {row[ID]: row for row in rows}


def delete_by_vector(run: Run) -> None:
    for number in run.some():
        run.table.delete(fb.col(ID) == number, mode="merge-on-read")
        del run.rows[number]


def delete_by_rewriting(run: Run) -> None:
    gone = run.some()
    run.table.delete(fb.col(ID).is_in(gone), mode="copy-on-write")
    run.rows = {number: row for number, row in run.rows.items() if number not in gone}


def update(run: Run) -> None:
    person = f"marked-value-person-{run.random.getrandbits(64):016x}"
    changed = run.some()
    if changed:
        run.table.update({PERSON: person}, fb.col(ID).is_in(changed))
    for number in changed:
        run.rows[number] = run.rows[number] | {PERSON: person}


def upsert(run: Run) -> None:
    rows = [run.row(number) for number in run.some()] + run.fresh(3)
    run.table.upsert(run.arrow(rows), join_cols=[ID])
    run.rows |= {row[ID]: row for row in rows}


def merge(run: Run) -> None:
    rows = [run.row(number) for number in run.some()] + run.fresh(2)
    run.table.merge(
        run.arrow(rows), on=[ID]
    ).when_matched_update_all().when_not_matched_insert_all().execute()
    run.rows |= {row[ID]: row for row in rows}


def overwrite(run: Run) -> None:
    rows = run.fresh(8)
    run.table.overwrite(run.arrow(rows))
    run.rows = {row[ID]: row for row in rows}


def apply_feed(run: Run) -> None:
    """Equality deletes, where the table was not read."""
    gone = run.some()
    rows = run.fresh(2)
    feed = [(row, "insert") for row in rows] + [(run.rows[number], "delete") for number in gone]
    given = run.arrow([row for row, _ in feed])
    given = given.append_column("op", pa.array([operation for _, operation in feed]))
    given = given.append_column("at", pa.array(range(len(feed))))
    for name in set(run.columns()) - set(given.column_names):
        given = given.append_column(name, pa.nulls(len(feed), pa.string()))
    run.table.apply_changes(
        given, keys=[ID, "marked_column_country"], operation="op", order_by="at", mode="equality"
    )
    run.rows = {number: row for number, row in run.rows.items() if number not in gone}
    run.rows |= {row[ID]: row for row in rows}


def add_column(run: Run) -> None:
    name = f"marked_column_added_{run.random.getrandbits(32):08x}"
    with run.table.update_schema() as change:
        change.add_column(name, "string")


def write_from_worker(run: Run) -> None:
    """A recipe travels, and a receipt comes back."""
    rows = run.fresh(5)
    recipe = pickle.loads(pickle.dumps(run.table.write_recipe()))
    receipt = pickle.loads(pickle.dumps(recipe.write(run.arrow(rows), task="0-0")))
    run.watched.look("a worker's files")
    run.table.commit_receipts([receipt])
    run.rows |= {row[ID]: row for row in rows}


def other_partitions(run: Run) -> None:
    with run.table.update_spec() as change:
        change.add_field(ID, "bucket[4]", f"marked_column_bucket_{run.random.getrandbits(32):08x}")


def compact(run: Run) -> None:
    run.table.maintenance.rewrite_data_files(options={"rewrite-all": "true"})


def compact_sorted(run: Run) -> None:
    run.table.maintenance.rewrite_data_files(
        strategy="sort", sort_order=PERSON, options={"rewrite-all": "true"}
    )


def rewrite_manifests(run: Run) -> None:
    run.table.maintenance.rewrite_manifests()


def statistics(run: Run) -> None:
    """Their files would be plain, or their key would be: the specification has it in the metadata."""
    for compute in (run.table.maintenance.compute_table_stats, run.table.maintenance.compute_partition_stats):
        with pytest.raises(UnsupportedError, match="encrypted"):
            compute()


def branch_and_tag(run: Run) -> None:
    if run.table.current_snapshot():
        name = f"b{run.random.getrandbits(32):08x}"
        run.table.manage_snapshots().create_branch(run.table.current_snapshot().snapshot_id, name).commit()
        rows = run.fresh(2)
        run.table.append(run.arrow(rows), branch=name)


def expire(run: Run) -> None:
    run.table.maintenance.expire_snapshots(
        older_than=datetime.datetime.now(datetime.timezone.utc), retain_last=1
    )


def look_after(run: Run) -> None:
    run.table.maintenance.run()


STEPS: list[Callable[[Run], None]] = [
    append,
    append,
    delete_by_vector,
    delete_by_rewriting,
    update,
    upsert,
    merge,
    overwrite,
    apply_feed,
    add_column,
    write_from_worker,
    other_partitions,
    compact,
    compact_sorted,
    rewrite_manifests,
    statistics,
    branch_and_tag,
    expire,
    look_after,
]


@pytest.mark.timeout(0 if EXAMPLES > 6 else 900)
@pytest.mark.parametrize("format_", ["parquet", "avro"])
@pytest.mark.parametrize("seed", range(EXAMPLES // 2))
def test_no_file_has_a_plain_byte_of_a_row(seed, format_, tmp_path):
    create_key(tmp_path / "keys.json", "customers")
    warehouse = tmp_path / "warehouse"
    catalog = fb.load_catalog(
        f"no plain byte {seed} {format_}",
        type="filesystem",
        warehouse=str(warehouse),
        key_management=KeyFile(tmp_path / "keys.json"),
    )
    catalog.create_namespace("db")
    catalog.create_table(
        "db.t",
        SCHEMA,
        partition_spec=["marked_column_country"],
        properties={
            "format-version": "3",
            "encryption.key-id": "customers",
            "write.format.default": format_,
            "write.summary.partition-limit": "100",
            "commit.manifest.min-count-to-merge": "3",
        },
    )
    run = Run(
        catalog,
        tmp_path / "keys.json",
        Watched(warehouse / "db" / "t", list(COMMON), ["marked_column_"]),
        random.Random(seed),
    )
    # All steps, and in any order.
    steps = [append, append, *run.random.sample(STEPS, k=len(STEPS))]
    for step in steps:
        step(run)
        run.watched.look(step.__name__)
        run.check()
    kinds = set(run.watched.seen.values())
    assert {b"AGS1"} <= kinds
    assert (b"PARE" in kinds) == (format_ == "parquet")
