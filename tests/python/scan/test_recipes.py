"""The recipes of the guide for libraries with many processes: they read all rows, and write each row once.

The code of the page is what runs. A library that is not installed is skipped.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pytest
from cargo_workspace import ROOT

import floeberg as fb
from markdown_blocks import CODE_THAT_NEEDS_MORE, blocks_of

PAGE = ROOT / "docs" / "guide" / "lazy-frames.md"
SUMS = {"de": 0 + 2 + 4 + 6 + 8 + 10, "fr": 1 + 5 + 9, "it": 3 + 7 + 11}


def section(name: str) -> list[str]:
    """The code of a section."""
    _, _, text = PAGE.read_text().partition(f"\n### {name}\n")
    text = text.partition("\n### ")[0]
    return [block.text for block in blocks_of(text) if block.kind == CODE_THAT_NEEDS_MORE]


def run(name: str, folder: Any) -> dict[str, Any]:
    """Runs a section over a table on disk, which other processes see too."""
    import pandas as pd

    catalog = fb.load_catalog(f"recipes-{name}", type="filesystem", warehouse=str(folder))
    catalog.create_namespace("shop")
    schema = pa.schema({"id": pa.int64(), "country": pa.string(), "price": pa.float64()})
    # A group for each file.
    orders = catalog.create_table("shop.orders", schema, properties={"read.split.target-size": "1"})
    for day in range(3):
        ids = range(day * 4, day * 4 + 4)
        orders.append(
            pa.table({"id": ids, "country": ["de", "fr", "de", "it"], "price": [1.0, 2.0, 3.0, 4.0]})
        )
    assert len(orders.scan().plan_files().split()) == 3
    names: dict[str, Any] = {"fb": fb, "pa": pa, "pd": pd, "orders": orders}
    (code,) = section(name)
    exec(compile(code, f"{PAGE}: {name}", "exec"), names)
    assert names["done"].added_rows == 12
    assert not names["done"].already_committed
    assert len(names["receipts"]) >= 1
    found = catalog.load_table("shop.orders").scan().to_arrow()["id"].to_pylist()
    assert sorted(found) == [*range(12), *range(100, 112)]
    return names


def test_dask(tmp_path):
    pytest.importorskip("dask.dataframe", exc_type=ImportError)
    names = run("Dask", tmp_path)
    assert names["by_country"].to_dict() == SUMS
    assert len(names["receipts"]) == 3


def test_daft(tmp_path):
    try:
        importlib.import_module("daft")
        importlib.import_module("daft.recordbatch").RecordBatch.from_arrow_table(pa.table({"a": [1]}))
    except Exception as error:  # noqa: BLE001 - Daft fails in its own way beside a pyarrow that is too new
        pytest.skip(f"Daft is not installed, or not beside this pyarrow: {error}")
    names = run("Daft", tmp_path)
    assert dict(zip(*names["by_country"].values(), strict=True)) == SUMS


@pytest.fixture
def cluster(monkeypatch) -> Iterator[None]:
    ray = pytest.importorskip("ray")
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    ray.init(num_cpus=1, include_dashboard=False, _node_ip_address="127.0.0.1", log_to_driver=False)
    yield
    ray.shutdown()


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning", "ignore::ResourceWarning")
@pytest.mark.usefixtures("cluster")
def test_ray(tmp_path):
    assert run("Ray", tmp_path)["by_country"] == SUMS
