"""What clients of a REST catalog do: what is measured is their own processor time, whatever the server takes."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from typing import Any


def of_floeberg(uri: str) -> Any:
    """The catalog of Floeberg."""
    import floeberg as fb

    return fb.load_catalog("bench", type="rest", uri=uri)


def of_pyiceberg(uri: str) -> Any:
    """The same catalog of PyIceberg."""
    from pyiceberg.catalog import load_catalog

    return load_catalog("bench", type="rest", uri=uri)


def subjects(catalog: Any, table: str) -> dict[str, Callable[[int], int]]:
    """The work, which both spell alike."""
    import pyarrow as pa

    def append(times: int) -> int:
        made = catalog.create_table(table, pa.schema({"id": pa.int64()}))
        for number in range(times):
            made.append(pa.table({"id": [number]}))
        return len(made.snapshots())

    def load(times: int) -> int:
        return sum(len(catalog.load_table("bench.long").snapshots()) for _ in range(times))

    def list_tables(times: int) -> int:
        return sum(len(catalog.list_tables("many")) for _ in range(times))

    return {"append": append, "load": load, "list": list_tables}


def main(library: str, uri: str, work: str, times: int) -> None:
    """Do it once, after the library was loaded and has connected; print its processor time and its count."""
    catalog = {"floeberg": of_floeberg, "pyiceberg": of_pyiceberg}[library](uri)
    do = subjects(catalog, f"bench.{library}")[work]
    started, clock = time.process_time(), time.perf_counter()
    count = do(times)
    print(json.dumps([time.process_time() - started, time.perf_counter() - clock, count]))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]))
