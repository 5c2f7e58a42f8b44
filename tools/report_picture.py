"""How is the picture of a report made that the README shows?

In: nothing. Out: `docs/images/report.png`, by Chromium, of a table that is made here. Its commits are a moment
apart, and are moved to days in its metadata.
"""

from __future__ import annotations

import json
import random
import subprocess
import tempfile
from pathlib import Path

import pyarrow as pa

import floeberg as fb

COUNTRIES = {"de": 9, "fr": 6, "it": 4, "es": 3, "pl": 2, "nl": 1, "at": 1}
DAY = 86_400_000
PICTURE = Path(__file__).parent.parent / "docs" / "images" / "report.png"
FIRST = 1_791_000_000_000


def main() -> None:
    """Makes the picture."""
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "report.html"
        table = moved_to_days(orders(folder))
        report = table.report(row_filter="country = 'de' AND id > 500000")
        # A table that many look at is not in a temporary folder.
        page.write_text(report.html.replace(folder, "/lake"), encoding="utf-8")
        subprocess.run(
            [
                *("chromium", "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"),
                *("--window-size=1180,1600", f"--user-data-dir={folder}/profile"),
                *("--blink-settings=preferredColorScheme=1", page.as_uri()),
                f"--screenshot={PICTURE}",
            ],
            check=True,
            capture_output=True,
        )


def orders(warehouse: str) -> fb.Table:
    """A table with a month of appends, a branch, a tag, deletes and an update."""
    drawn = random.Random(7)
    catalog = fb.load_catalog("picture", type="filesystem", warehouse=warehouse)
    catalog.create_namespace("sales")
    table = catalog.create_table(
        "sales.orders",
        pa.schema({"id": pa.int64(), "country": pa.string(), "price": pa.float64()}),
        partition_spec=["country"],
        properties={
            "write.target-file-size-bytes": "1048576",
            "write.delete.mode": "merge-on-read",
            "format-version": "3",
        },
    )
    last = 0
    for day in range(10):
        count = drawn.randint(20_000, 180_000)
        rows = {
            "id": range(last, last + count),
            "country": drawn.choices([*COUNTRIES], weights=[*COUNTRIES.values()], k=count),
            "price": [drawn.random() * 100 for _ in range(count)],
        }
        table.append(pa.table(rows))
        last += count
        now = table.current_snapshot()
        assert now is not None
        if day == 4:
            table.manage_snapshots().create_tag(now.snapshot_id, "first-week").commit()
        if day == 6:
            table.manage_snapshots().create_branch(now.snapshot_id, "audit").commit()
            table.append(pa.table({"id": [1], "country": ["at"], "price": [1.0]}), branch="audit")
    table.delete("country = 'fr' AND id < 90000")
    table.update({"price": 0.0}, "id < 300")
    return table


def moved_to_days(table: fb.Table) -> fb.Table:
    """The same table, with a day between its commits."""
    file = Path(table.metadata_location)
    metadata = json.loads(file.read_text(encoding="utf-8"))
    moved = {}
    for number, each in enumerate(metadata["snapshots"]):
        moved[each["snapshot-id"]] = each["timestamp-ms"] = FIRST + number * DAY + number**3 * 9_000_000 % DAY
    for each in metadata["snapshot-log"]:
        each["timestamp-ms"] = moved[each["snapshot-id"]]
    metadata["metadata-log"] = []
    metadata["last-updated-ms"] = max(moved.values())
    file.write_text(json.dumps(metadata), encoding="utf-8")
    catalog = table.catalog
    assert catalog is not None
    return catalog.load_table(table.name())


if __name__ == "__main__":
    main()
