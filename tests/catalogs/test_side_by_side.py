"""Do PyIceberg and DuckDB work on the tables of a server beside Floeberg?"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from peers.environments import start_duckdb, start_pyiceberg
from peers.process import Peer
from servers import started
from tables import arrow_file, save

import floeberg as fb

SCHEMA = pa.schema({"id": pa.int64(), "name": pa.string()})

# The environments of peers are made once.
pytestmark = pytest.mark.timeout(900)


@pytest.fixture(scope="module")
def pyiceberg(tmp_path_factory) -> Iterator[Peer]:
    peer = start_pyiceberg(tmp_path_factory.mktemp("peers"))
    yield peer
    peer.stop()


@pytest.fixture(scope="module")
def duckdb(tmp_path_factory) -> Iterator[Peer]:
    peer = start_duckdb(tmp_path_factory.mktemp("peers"))
    yield peer
    peer.stop()


@pytest.fixture(
    params=["floeberg-sqlite", "floeberg-folders", "iceberg-rest", "iceberg-rest-oauth2", "seaweedfs"]
)
def known(request) -> dict[str, str]:
    """The properties of a catalog of a server."""
    server = started(request.param)
    more = {"warehouse": server.warehouse()} if request.param == "seaweedfs" else {}
    return server.properties | more


@pytest.fixture
def catalog(known) -> Iterator[fb.catalog.Catalog]:
    with fb.load_catalog("shared", **known) as made:
        made.create_namespace_if_not_exists("beside")
        for each in made.list_tables("beside"):
            made.drop_table(each)
        yield made


def rows(*ids: int) -> pa.Table:
    return pa.table({"id": list(ids), "name": [f"n{each}" for each in ids]}, SCHEMA)


def saved(folder: Path, *ids: int) -> str:
    """An Arrow file."""
    path = folder / f"{'-'.join(map(str, ids))}.arrow"
    save(rows(*ids), path)
    return str(path)


def of_peer(known: dict[str, str]) -> dict[str, str]:
    """The properties, as PyIceberg takes them."""
    return {key: value for key, value in known.items() if key != "type"}


def ids(table: pa.Table) -> list[int]:
    return sorted(table["id"].to_pylist())


def test_pyiceberg_appends_to_our_tables_and_we_to_its(catalog, known, pyiceberg, tmp_path) -> None:
    ours = catalog.create_table("beside.ours", as_select=rows(1, 2))
    pyiceberg("create_rest", identifier="beside.theirs", rows=saved(tmp_path, 1, 2), **of_peer(known))
    theirs = catalog.load_table("beside.theirs")
    assert theirs.schema().column_names == ["id", "name"]
    for table in (ours, theirs):
        name = ".".join(table.name())
        for number in (3, 5):
            # Theirs is not the base of ours.
            pyiceberg("append_rest", identifier=name, rows=saved(tmp_path, number), **of_peer(known))
            table.append(rows(number + 1))
        table.delete("id = 1")
        into = tmp_path / f"{table.name()[1]}.arrow"
        assert pyiceberg("read_rest", identifier=name, into=str(into), **of_peer(known)) == 5
        read = arrow_file(into)
        assert ids(read) == ids(catalog.load_table(name).scan().to_arrow()) == [2, 3, 4, 5, 6]
        assert dict(zip(read["id"].to_pylist(), read["name"].to_pylist(), strict=True))[4] == "n4"
        assert len(table.snapshots()) == 6


def test_pyiceberg_sees_the_columns_and_properties_that_we_change(
    catalog, known, pyiceberg, tmp_path
) -> None:
    table = catalog.create_table("beside.changed", as_select=rows(1))
    with table.update_schema() as update:
        update.add_column("price", "double")
    table.append(pa.table({"id": [2], "name": ["n2"], "price": [0.5]}))
    pyiceberg("append_rest", identifier="beside.changed", rows=saved(tmp_path, 3), **of_peer(known))
    into = tmp_path / "rows.arrow"
    assert pyiceberg("read_rest", identifier="beside.changed", into=str(into), **of_peer(known)) == 3
    assert arrow_file(into).sort_by("id")["price"].to_pylist() == [None, 0.5, None]
    assert table.refresh().scan().to_arrow().sort_by("id")["price"].to_pylist() == [None, 0.5, None]


def test_duckdb_reads_what_all_wrote(catalog, known, pyiceberg, duckdb, tmp_path) -> None:
    if "s3.endpoint" in known:
        pytest.skip("DuckDB without its extension for HTTP reads no S3")
    table = catalog.create_table("beside.read", as_select=rows(1, 2))
    pyiceberg("append_rest", identifier="beside.read", rows=saved(tmp_path, 3), **of_peer(known))
    table.refresh().delete("id = 1", mode="merge-on-read")
    into = tmp_path / "rows.arrow"
    place = table.metadata_location
    assert duckdb("read", metadata_location=place, columns=["id", "name"], into=str(into)) == 2
    assert ids(arrow_file(into)) == [2, 3]
