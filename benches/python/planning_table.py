"""A table to plan: many files that do not exist, with bounds of 12 columns, partitioned by day and bucket."""

from __future__ import annotations

import shutil
import struct
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

from manifests import entry, field, write_list, write_manifest
from tables import COLUMNS, PARTITIONED, metadata, write_metadata

Json = dict[str, Any]

ENTRIES_PER_MANIFEST = 5_000
BUCKETS = 16
FIRST_DAY = 19_000
MICROSECONDS_PER_DAY = 86_400_000_000
PARTITION = (
    field(1000, "ts_day", {"type": "int", "logicalType": "date"}, optional=True),
    field(1001, "id_bucket", "int", optional=True),
)


def planning_table(folder: Path, files: int) -> Path:
    """Write the table, sorted by partition; return its metadata file. Nothing is done when it is there."""
    made = folder / "metadata" / "v1.metadata.json"
    if made.exists():
        return made
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "metadata").mkdir(parents=True)
    table = metadata(folder, spec=PARTITIONED)
    random = Random(7)
    rows = []
    for number, first in enumerate(range(0, files, ENTRIES_PER_MANIFEST)):
        entries = [
            data_file(folder, table, random, at, files)
            for at in range(first, min(first + ENTRIES_PER_MANIFEST, files))
        ]
        rows.append(write_manifest(folder / "metadata" / f"m{number}.avro", table, PARTITION, entries))
    write_list(folder / "metadata" / "list.avro", table, rows)
    return write_metadata(folder, table)


def data_file(folder: Path, table: Json, random: Random, number: int, files: int) -> Json:
    """The entry of a file: 1,000 days, from the first file to the last."""
    day, bucket = FIRST_DAY + number * 1000 // files, number % BUCKETS
    rows = random.randint(50_000, 150_000)
    bounds = {column: BOUNDS[column](random, day, number) for column in range(1, len(COLUMNS) + 1)}
    size = random.randint(20_000_000, 60_000_000)
    name = f"{number:08}-{random.getrandbits(64):016x}.parquet"

    def each(value: Any) -> list[Json]:
        return [{"key": column, "value": value(column) if callable(value) else value} for column in bounds]

    return entry(
        table,
        {
            "file_path": f"{folder}/data/ts_day={day}/id_bucket={bucket}/{name}",
            "partition": {"ts_day": day, "id_bucket": bucket},
            "record_count": rows,
            "file_size_in_bytes": size,
            "column_sizes": each(lambda _: random.randint(10_000, size // 12)),
            "value_counts": each(rows),
            "null_value_counts": each(lambda column: random.randint(0, 50) if column > 4 else 0),
            "nan_value_counts": [{"key": column, "value": 0} for column in (6, 7)],
            "lower_bounds": each(lambda column: bounds[column][0]),
            "upper_bounds": each(lambda column: bounds[column][1]),
            "split_offsets": [4],
        },
    )


def longs(low: int, high: int) -> tuple[bytes, bytes]:
    """Bounds of a long."""
    return struct.pack("<q", low), struct.pack("<q", high)


def texts(random: Random, length: int) -> tuple[bytes, bytes]:
    """Bounds of a string."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    low, high = ("".join(random.choices(letters, k=length)) for _ in range(2))
    return (min(low, high).encode(), max(low, high).encode())


BOUNDS: dict[int, Callable[[Random, int, int], tuple[bytes, bytes]]] = {
    1: lambda random, _day, number: longs(number * 100_000, number * 100_000 + random.randint(1, 99_999)),
    2: lambda random, day, _: longs(
        day * MICROSECONDS_PER_DAY + random.randint(0, 10**9),
        (day + 1) * MICROSECONDS_PER_DAY - random.randint(1, 10**9),
    ),
    3: lambda _random, day, _: (struct.pack("<i", day), struct.pack("<i", day)),
    4: lambda random, _day, _: longs(random.randint(0, 1000), random.randint(9_000_000, 10_000_000)),
    5: lambda random, _day, _: (struct.pack("<i", 1), struct.pack("<i", random.randint(50, 100))),
    6: lambda random, _day, _: (struct.pack("<d", random.random()), struct.pack("<d", 900 + random.random())),
    7: lambda random, _day, _: (struct.pack("<f", 0.0), struct.pack("<f", random.random())),
    8: lambda random, _day, _: (b"\x00", random.randint(1_000_000, 8_000_000).to_bytes(4, "big")),
    9: lambda random, _day, _: texts(random, 2),
    10: lambda random, _day, _: texts(random, 12),
    11: lambda random, _day, _: texts(random, 16),
    12: lambda _random, _day, _: (b"\x00", b"\x01"),
}
