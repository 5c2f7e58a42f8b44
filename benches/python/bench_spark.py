"""Reading 20 million rows of 12 columns through PySpark, two cores.

`floeberg.spark.table` and the data source against Spark's own Parquet reader on the same files, against rows that need
no reading, and against themselves without deletes, in turn in one session; and against Iceberg Java on the same tables,
each in a session of its own, one after the other.
"""

from __future__ import annotations

import math
import subprocess
import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from iceberg_java import VERSION, iceberg_java
from measure import Times, compare, folder
from scan_tables import scan_table, table_of_files
from spark_queries import Answer, Query, Session, run
from tables import COLUMNS

ROWS = 20_000_000
MANY_FILES = 10_000
ONE = ("sum(id)", "count(id)")
ALL = (
    *("sum(id)", "max(ts)", "max(day)", "sum(customer)", "sum(quantity)", "sum(price)", "sum(discount)"),
    *("sum(amount)", "sum(length(country))", "sum(length(product))", "sum(length(note))", "count_if(paid)"),
)
DELETES = {"positions": "5 % by position", "vectors": "5 % by vector"}
WIDTHS = {"sum of one column": ONE, "all 12 columns": ALL}


def main(scale: float, *, java: bool) -> None:
    """Make the tables when they are not there, then measure."""
    rows = int(ROWS * scale)
    assert len(ALL) == len(COLUMNS)
    tables = {variant: scan_table(folder(), variant, rows) for variant in ("plain", *DELETES)}
    importing()
    files = str(tables["plain"].parent.parent / "data")
    for width, aggregates in WIDTHS.items():
        queries = [Query(aggregates, "parquet", files)]
        queries += [handoff(aggregates, files, rows)]
        queries += [floeberg(aggregates, tables[variant]) for variant in tables]
        queries += [Query(aggregates, "table", str(tables[variant])) for variant in tables]
        queries += [Query((*aggregates, "sum(_metadata.row_index)"), "parquet", files)]
        parquet, floor, *others, numbered = run(Session(queries))
        plain, *deleted = others[: len(tables)]
        native, *native_deleted = others[len(tables) :]
        show(
            f"spark/{rows} rows/{width}/against Spark's own Parquet reader",
            {
                f"Spark {parquet.spark}, Parquet files": parquet,
                "floeberg.spark.table, no deletes": native,
                "floeberg's data source, no deletes": plain,
            },
        )
        agree([*deleted, *native_deleted])
        print_table(
            f"spark/{rows} rows/{width}/deletes, against positions of rows",
            {
                f"Spark {parquet.spark}, with row_index": numbered,
                **dict(zip(DELETES.values(), native_deleted, strict=True)),
            },
        )
        print_table(
            f"spark/{rows} rows/{width}/against rows that are there",
            {"a batch sent again and again": floor, "floeberg, no deletes": plain},
        )
        agree(deleted)
        title = f"spark/{rows} rows/{width}/deletes"
        print_table(title, {"no deletes": plain, **dict(zip(DELETES.values(), deleted, strict=True))})
    group_by(rows, tables["plain"], files)
    many_files(max(100, int(MANY_FILES * scale)))
    if java:
        against_java(rows, {variant: tables[variant] for variant in DELETES})
    else:
        print("\nspark/against Iceberg Java: not asked for (ICEBERG_JAVA=1, which downloads 500 MB once)")


def group_by(rows: int, table: Path, files: str) -> None:
    """Group by one column and sum another, over all columns as a view has them."""
    grouped = ("country", "sum(customer)", "count(*)")
    queries = [Query(grouped, "parquet", files), Query(grouped, "table", str(table))]
    parquet, native = run(Session(queries))
    print_table(
        f"spark/{rows} rows/group by one column",
        {f"Spark {parquet.spark}, Parquet files": parquet, "floeberg.spark.table": native},
    )


def many_files(count: int) -> None:
    """Read files of one row."""
    made = table_of_files(folder(), count)
    queries = [Query(ONE, "parquet", str(made.parent.parent / "data")), Query(ONE, "table", str(made))]
    parquet, native = run(Session(queries))
    show(
        f"spark/{count} files of one row/sum of one column",
        {f"Spark {parquet.spark}, Parquet files": parquet, "floeberg.spark.table": native},
    )


def against_java(rows: int, tables: dict[str, Path]) -> None:
    """Compare with Iceberg Java on the tables with deletes."""
    found = iceberg_java(folder())
    if isinstance(found, str):
        print(f"\nspark/against Iceberg Java: cannot be had here: {found}")
        return
    python, jar = found
    cases = [(variant, width) for variant in tables for width in WIDTHS]
    java_queries = [
        Query(WIDTHS[width], "iceberg", str(tables[variant].parent.parent)) for variant, width in cases
    ]
    theirs = run(Session(java_queries, {"spark.jars": str(jar)}), str(python))
    ours = run(Session([Query(WIDTHS[width], "table", str(tables[variant])) for variant, width in cases]))
    for (variant, width), their, our in zip(cases, theirs, ours, strict=True):
        show(
            f"spark/{rows} rows/{width}/{DELETES[variant]}/against Iceberg Java",
            {f"Iceberg {VERSION}, Spark {their.spark}": their, f"floeberg, Spark {our.spark}": our},
        )


def floeberg(aggregates: Sequence[str], table: Path) -> Query:
    """A query of the data source, which is told the column where there is one: Spark does not say it."""
    options = {"columns": "id"} if aggregates is ONE else {}
    return Query(aggregates, "floeberg", str(table), options)


def handoff(aggregates: Sequence[str], files: str, rows: int) -> Query:
    """A query of as many rows that nobody reads: what Spark takes to receive them."""
    columns = {"columns": "id"} if aggregates is ONE else {}
    return Query(aggregates, "handoff", files, {"rows": str(rows), **columns})


def show(title: str, answers: dict[str, Answer]) -> None:
    """Print the times of queries that must have given the same."""
    agree(list(answers.values()))
    print_table(title, answers)


def print_table(title: str, answers: dict[str, Answer]) -> None:
    """Print times; ratios are to the first."""
    compare(title, [(name, Times(answer.seconds, 0, None)) for name, answer in answers.items()])


def agree(answers: Sequence[Answer]) -> None:
    """Check that answers are the same, sums of floating-point numbers but for their last digits."""
    first = answers[0].values
    for answer in answers[1:]:
        for one, other in zip(first, answer.values, strict=True):
            same = math.isclose(one, other, rel_tol=1e-9) if isinstance(one, float) else one == other
            assert same, (first, answer.values)


def importing() -> None:
    """Print what a worker pays before it reads: importing the package in a fresh process, beside pyarrow."""
    times = {}
    for module in ("pyarrow", "floeberg"):
        program = (
            f"import time; began = time.perf_counter(); import {module}; print(time.perf_counter() - began)"
        )
        outputs = [subprocess.check_output([sys.executable, "-c", program], text=True) for _ in range(5)]
        times[module] = [float(output) for output in outputs]
    print("\nspark/importing in a worker")
    for module, seconds in times.items():
        print(f"  {module:<44} {1000 * median(seconds):.0f} ms")


if __name__ == "__main__":
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=float, default=1, help="of 20 million rows")
    parser.add_argument(
        "--java", action="store_true", help="also against Iceberg Java, which is downloaded once"
    )
    arguments = parser.parse_args()
    main(arguments.scale, java=arguments.java)
