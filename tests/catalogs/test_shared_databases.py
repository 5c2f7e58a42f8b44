"""A catalog in a database, made by one of Floeberg, PyIceberg and Iceberg Java, is used by all three in turn."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import pyarrow as pa
import pytest
import sqlalchemy as sql
from peers.environments import start_java
from peers.process import Peer
from servers import started

import floeberg as fb
from floeberg.errors import CommitConflictError

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from pyiceberg.catalog.sql import SqlCatalog as TheirCatalog

SCHEMA = pa.schema({"id": pa.int64()})
OF_JAVA = json.dumps(
    {"type": "struct", "fields": [{"id": 1, "name": "id", "required": False, "type": "long"}]}
)
NAME = "interop"
"""The catalog of the peers, which is a column of its tables."""

pytestmark = pytest.mark.timeout(900)


@pytest.fixture(scope="module")
def java(tmp_path_factory) -> Iterator[Peer]:
    peer = start_java(tmp_path_factory.mktemp("peers"))
    yield peer
    peer.stop()


@dataclass
class Shared:
    """A catalog, as each of the three reaches it."""

    uri: str
    of_java: str
    warehouse: str
    java: Peer
    ids: list[int] = field(default_factory=list)

    @property
    def place(self) -> dict[str, str]:
        """The table, as Java names it."""
        return {"uri": self.of_java, "warehouse": self.warehouse, "namespace": "ns", "name": "t"}

    @cached_property
    def ours(self) -> fb.catalog.Catalog:
        return fb.load_catalog(NAME, type="sql", uri=self.uri, warehouse=self.warehouse)

    @cached_property
    def theirs(self) -> TheirCatalog:
        return TheirCatalog(NAME, uri=self.uri, warehouse=self.warehouse)

    def close(self) -> None:
        """Close what was opened."""
        self.ours.close()
        self.theirs.engine.dispose()

    def create(self, who: str) -> None:
        """One of them makes the database tables, a namespace and a table."""
        if who == "java":
            known = {"uri": self.of_java, "warehouse": self.warehouse}
            self.java("create_namespace", **known, namespace="ns")
            self.java("create_table", place=self.place, schema=OF_JAVA)
            return
        catalog: Any = self.ours if who == "floeberg" else self.theirs
        catalog.create_namespace("ns")
        catalog.create_table("ns.t", SCHEMA)

    def append(self, who: str) -> None:
        """One of them appends a row."""
        number = len(self.ids)
        self.ids.append(number)
        if who == "java":
            self.java("append", rows=[{"id": number}], place=self.place)
            return
        catalog: Any = self.ours if who == "floeberg" else self.theirs
        catalog.load_table("ns.t").append(pa.table({"id": [number]}, SCHEMA))

    def check(self) -> None:
        """All three read the same."""
        ours = self.ours.load_table("ns.t").scan().to_arrow()["id"].to_pylist()
        theirs = self.theirs.load_table("ns.t").scan().to_arrow()["id"].to_pylist()
        of_java = [json.loads(line)[0] for line in self.java("read_named", place=self.place)]
        assert sorted(ours) == sorted(theirs) == sorted(map(int, of_java)) == self.ids


@pytest.fixture(params=["sqlite", "postgresql"])
def shared(request, tmp_path, java) -> Iterator[Shared]:
    warehouse = (tmp_path / "warehouse").as_uri()
    if request.param == "sqlite":
        made = Shared(f"sqlite:///{tmp_path}/c.db", f"jdbc:sqlite:{tmp_path}/c.db", warehouse, java)
        yield made
        made.close()
        return
    known = started("postgresql").properties["uri"]
    name = f"shared_{abs(hash(str(tmp_path)))}"
    engine = sql.create_engine(known, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(sql.text(f"CREATE DATABASE {name}"))
    engine.dispose()
    place = known.rpartition("/")[0].partition("@")[2]
    uri = f"{known.rpartition('/')[0]}/{name}"
    made = Shared(uri, f"jdbc:postgresql://{place}/{name}?user=tests", warehouse, java)
    yield made
    made.close()


@pytest.mark.parametrize("maker", ["floeberg", "pyiceberg", "java"])
def test_each_appends_in_turn_to_what_one_made(shared, maker) -> None:
    shared.create(maker)
    for who in ("java", "pyiceberg", "floeberg", "java", "floeberg", "pyiceberg"):
        shared.append(who)
    shared.check()
    assert shared.ours.list_tables("ns") == [("ns", "t")]
    assert shared.theirs.list_tables("ns") == [("ns", "t")]
    with shared.ours as catalog:
        catalog.load_table("ns.t").delete("id = 2")
        shared.ids.remove(2)
        catalog.rename_table("ns.t", "ns.u")
        assert not shared.theirs.table_exists("ns.t")
        catalog.rename_table("ns.u", "ns.t")
    shared.check()


@pytest.mark.parametrize("other", ["pyiceberg", "java"])
def test_a_commit_of_another_one_meanwhile_is_a_conflict_or_a_retry(shared, other) -> None:
    shared.create("floeberg")
    shared.append("floeberg")
    with shared.ours as catalog:
        known = catalog.load_table("ns.t")
        shared.append(other)
        # An append stands on what is there by now; a change of what has moved on does not.
        number = len(shared.ids)
        known.append(pa.table({"id": [number]}, SCHEMA))
        shared.ids.append(number)
        before = catalog.load_table("ns.t")
        shared.append(other)
        with pytest.raises(CommitConflictError):
            catalog.do_swap_metadata_location(
                ("ns", "t"), before.metadata_location, before.metadata_location + ".other"
            )
    shared.check()
