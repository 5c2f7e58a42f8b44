"""`Catalog.check` of catalogs of servers: every step is done, and nothing stays."""

from __future__ import annotations

import pyarrow as pa
import pytest
from servers import KEY, PLAIN_BUCKET, started

import floeberg as fb
from floeberg.catalog import check_catalog


def outcomes(found) -> dict[str, str]:
    return {step.name: step.outcome for step in found.steps}


def test_a_catalog_of_each_server_is_checked(catalog):
    catalog.create_namespace("ns")
    catalog.create_table("ns.t", as_select=pa.table({"id": [1]}))
    found = catalog.check()
    assert found.ok, found
    done = outcomes(found)
    for name in (
        "configuration",
        "dns",
        "tcp",
        "credentials",
        "authentication",
        "namespaces",
        "table",
        "bucket",
    ):
        assert done[name] == "ok", found
    assert done["tls"] == "skipped" and done["list"] == "ok"
    assert catalog.list_namespaces() == [("ns",)] and catalog.list_tables("ns") == [("ns", "t")]
    # SeaweedFS keeps tables in buckets that take no other files.
    assert done["put"] == done["put-if-absent"] == done["delete"]
    # A database that Floeberg serves says where tables are, and of no other folder.
    has_place = "s3.endpoint" not in catalog.properties and "names no folder" not in str(found)
    assert done["put"] == ("ok" if has_place else "skipped"), found
    if not has_place and "s3.endpoint" not in catalog.properties:
        assert catalog.load_namespace_properties("ns").get("location") is None


@pytest.mark.parametrize("name", ["iceberg-rest", "postgresql"])
def test_files_are_written_and_removed_where_the_user_says(name, tmp_path):
    with fb.load_catalog("place", **started(name).properties) as catalog:
        found = catalog.check(location=str(tmp_path / "store"))
    assert found.ok and outcomes(found)["put-if-absent"] == "ok", found
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["iceberg-rest-oauth2", "seaweedfs"])
def test_a_server_that_does_not_know_who_asks_fails_at_authentication(name):
    known = dict(started(name).properties)
    del known["credential"]
    if name == "seaweedfs":
        known["credential"] = f"{KEY}:wrong-secret"
    found = check_catalog("nobody", **known)
    assert found.failure.name == "authentication", found
    assert "does not know who asks" in found.failure.fix or "credential" in str(found.failure.error)


def test_folders_of_a_bucket_are_checked_to_the_end():
    known = {key: value for key, value in started("seaweedfs").properties.items() if key.startswith("s3.")}
    found = check_catalog("plain", type="filesystem", warehouse=f"s3://{PLAIN_BUCKET}/checked", **known)
    assert found.ok and outcomes(found)["delete"] == "ok", found
    assert "one winner" in found.step("put-if-absent").detail


def test_a_bucket_that_is_not_there_fails_at_the_bucket():
    known = {key: value for key, value in started("seaweedfs").properties.items() if key.startswith("s3.")}
    found = check_catalog("absent", type="filesystem", warehouse="s3://no-such-bucket-here/w", **known)
    assert found.failure is not None and found.failure.name in {"namespaces", "bucket"}, found
    assert found.step("bucket").outcome == "failed", found
    assert "create the bucket" in found.step("bucket").fix
    assert outcomes(found)["put"] == "skipped"


def test_a_database_that_is_not_there_fails_at_authentication():
    uri = started("postgresql").properties["uri"].rpartition("/")[0] + "/absent"
    found = check_catalog("absent", type="sql", uri=uri)
    assert found.failure.name == "authentication" and "absent" in str(found.failure.error), found
