"""Queries in one Spark session, run in turn: what the child of `bench_spark.py` does.

It imports nothing but PySpark, because one of its sessions runs in an environment that has nothing else. In: the facts
of a `Session` as JSON, on standard input. Out: the times and the answer of each query, as the last
line of standard output.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

RUNS = 5
WARM_UPS = 2
"""How often each query runs before it counts: the first run compiles, the second still warms."""

CONFS = {
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.memory": "4g",
    "spark.log.level": "ERROR",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.shuffle.partitions": "2",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}


@dataclass(frozen=True)
class Query:
    """Aggregates over what a reader gives: SQL expressions, a format, a place and options."""

    aggregates: Sequence[str]
    format: str
    place: str
    options: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Session:
    """Queries of one session of two cores, with more settings than all have."""

    queries: Sequence[Query]
    confs: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Answer:
    """The version of Spark, the seconds of each run of a query, and what it gave."""

    spark: str
    seconds: list[float]
    values: list[Any]


def run(session: Session, python: str = sys.executable) -> list[Answer]:
    """Run a session in a process of its own, with a Python that has PySpark; give an answer a query."""
    loopback = {"SPARK_LOCAL_IP": "127.0.0.1"} | dict.fromkeys(
        ("PYSPARK_PYTHON", "PYSPARK_DRIVER_PYTHON"), python
    )
    child = subprocess.run(
        [python, __file__],
        input=json.dumps(asdict(session)),
        env=os.environ | loopback,
        capture_output=True,
        text=True,
        cwd=Path(__file__).parent,
        check=False,
    )
    if child.returncode:
        sys.exit(f"{python} {__file__} failed:\n{child.stderr[-4000:]}")
    return [Answer(**facts) for facts in json.loads(child.stdout.splitlines()[-1])]


def main(facts: dict[str, Any]) -> None:
    """What the child does."""
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[2]").appName("bench")
    for name, value in {**CONFS, **facts["confs"]}.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    queries = [Query(**each) for each in facts["queries"]]
    if any(query.format == "floeberg" for query in queries):
        from floeberg.spark import register

        register(spark)
    if any(query.format == "handoff" for query in queries):
        import spark_handoff

        spark_handoff.register(spark)
    answers = [Answer(spark.version, [], []) for _ in queries]
    for turn in range(WARM_UPS + RUNS):
        for query, answer in zip(queries, answers, strict=True):
            started = time.perf_counter()
            row = answer_of(frame(spark, query), query.aggregates)
            taken = time.perf_counter() - started
            if turn >= WARM_UPS:
                answer.seconds.append(taken)
            answer.values[:] = [value if isinstance(value, (int, float)) else str(value) for value in row]
    spark.stop()
    print(json.dumps([asdict(answer) for answer in answers]))


def answer_of(rows: Any, aggregates: Sequence[str]) -> Sequence[Any]:
    """One row of aggregates; or, where a column stands before them, the number of its groups."""
    if "(" in aggregates[0]:
        (row,) = rows.selectExpr(*aggregates).collect()
        return row
    rows.createOrReplaceTempView("grouped")
    text = f"SELECT {', '.join(aggregates)} FROM grouped GROUP BY {aggregates[0]}"
    return [len(rows.sparkSession.sql(text).collect())]


def frame(spark: Any, query: Query) -> Any:
    """The rows of a query: `table` stands for a table by `floeberg.spark.table`, the others for formats."""
    if query.format == "table":
        from floeberg.spark import table

        return table(spark, query.place)
    return spark.read.format(query.format).options(**query.options).load(query.place)


if __name__ == "__main__":
    main(json.load(sys.stdin))
