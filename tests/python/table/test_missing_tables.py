"""What a user is told where no table is."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import floeberg as fb
from floeberg.errors import NoSuchTableError, UnsupportedError


def told(location, **options):
    with pytest.raises(NoSuchTableError) as caught:
        fb.open_table(location, **options)
    return str(caught.value)


def test_the_places_of_both_formats_are_named(tmp_path):
    for place in (tmp_path, tmp_path / "none"):
        text = told(place)
        assert "metadata/version-hint.text" in text
        assert "_versions/*.manifest" in text
        assert str(place) in text
    assert "_versions/*" not in told(tmp_path, format="iceberg")
    assert "metadata/" not in told(tmp_path, format="lance")


def test_tables_of_other_formats_and_files_without_a_table_are_known(tmp_path):
    (tmp_path / "delta" / "_delta_log").mkdir(parents=True)
    (tmp_path / "hudi" / ".hoodie").mkdir(parents=True)
    (tmp_path / "files").mkdir()
    pq.write_table(pa.table({"a": [1]}), tmp_path / "files" / "a.parquet")
    for options in ({}, {"format": "iceberg"}, {"format": "lance"}):
        assert "a Delta table" in told(tmp_path / "delta", **options)
        assert "a Hudi table" in told(tmp_path / "hudi", **options)
        assert "table.add_files" in told(tmp_path / "files", **options)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "a.csv").write_text("a")
    assert "add_files" not in told(tmp_path / "other")


def test_the_name_of_a_table_in_a_catalog_is_known(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert "load_catalog(...).load_table('sales.orders')" in told("sales.orders")
    for other in ("orders", "sales/orders", "./sales.orders", "orders.lance", "v1.metadata.json"):
        assert "load_table" not in told(other)


@pytest.mark.parametrize("options", [{}, {"version": 1}, {"format": "lance"}, {"format": "iceberg"}])
def test_a_scheme_that_is_not_known_names_what_the_user_wrote(options):
    with pytest.raises(UnsupportedError) as caught:
        fb.open_table("foo://x/y", **options)
    assert caught.value.context["path"] == "foo://x/y"
