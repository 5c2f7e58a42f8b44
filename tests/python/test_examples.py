"""The examples of the docstrings run, and give what they say."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pyarrow as pa
import pytest

import floeberg as fb
from corpus import lance_lent, lent

MODULES = [
    name for _, name, _ in pkgutil.walk_packages(fb.__path__, "floeberg.") if not name.endswith("_native")
]


@pytest.fixture
def catalog(refs):
    """A catalog in memory, with the table `db.refs`."""
    made = fb.load_catalog("examples", type="memory")
    made.create_namespace_if_not_exists("db")
    if not made.table_exists("db.refs"):
        made.register_table("db.refs", refs.metadata_file)
    return made


@pytest.mark.parametrize("name", ["floeberg", *MODULES])
def test_the_examples_of_a_module_run(name, refs, catalog, tmp_path):
    view = lent("view").folder / "table"
    module = importlib.import_module(name)
    names = {
        **vars(module),
        **vars(fb.expressions),
        **vars(fb.types),
        "fb": fb,
        "open_table": fb.open_table,
        "table": refs.open(),
        "lance_table": lance_lent("lance").open(),
        "folder": tmp_path,
        "location": refs.folder / "table",
        "warehouse": refs.relocate,
        "sketched": lent("sketched").open(),
        "counted": lent("counted").open(),
        "open_view": fb.open_view,
        "view_location": view,
        "view": fb.open_view(view),
        "catalog": catalog,
    }
    finder = doctest.DocTestFinder(exclude_empty=True)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    for test in finder.find(module, name, globs=names):
        uses_orders = "orders" in (test.docstring or "")
        if uses_orders:
            orders = catalog.create_table("db.orders", pa.schema({"id": pa.int64()}))
            test.globs |= {"pa": pa, "orders": orders}
        if "shop" in (test.docstring or "") or "totals" in (test.docstring or ""):
            shop = fb.load_catalog(f"shop {test.name}", type="memory")
            shop.create_namespace("db")
            one = pa.schema({"n": pa.int64()})
            totals = shop.create_view("db.totals", one, sql={"spark": "SELECT 1 AS n"})
            test.globs |= {"pa": pa, "shop": shop, "totals": totals}
        runner.run(test)
        if uses_orders:
            catalog.purge_table("db.orders")
    assert runner.summarize().failed == 0
