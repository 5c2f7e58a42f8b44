"""Options of stores that end, and who gives new ones, in this process and in others."""

from __future__ import annotations

import pickle
import subprocess
import sys
import time

import pyarrow as pa
import pytest

import floeberg as fb
from floeberg import _native, storage_options
from floeberg.catalog import MemoryCatalog
from floeberg.errors import InvalidInputError, NotInstalledError, StorageError

ENDED = {"s3.session-token": "hush-old", "s3.session-token-expires-at-ms": "1"}
CALLS: list[dict[str, str]] = []


def soon() -> str:
    """A moment in an hour."""
    return str(int((time.time() + 3600) * 1000))


def vend(options):
    CALLS.append(dict(options))
    return {"s3.session-token": "hush-new", "s3.session-token-expires-at-ms": soon()}


@pytest.fixture(autouse=True)
def vendor():
    CALLS.clear()
    storage_options.register_storage_options_provider("test", vend)
    return {"storage-options.provider": "test"} | ENDED


class Vending(MemoryCatalog):
    """A catalog that gives each table options of its own."""

    vended: dict[str, str] = {}  # noqa: RUF012 - of the class, so that a copy of the catalog has them

    def do_load_storage_options(self, identifier):
        return self.storage_options | self.vended | {"table": ".".join(identifier)}


@pytest.fixture
def orders(tmp_path, request):
    catalog = Vending(request.node.name, {"warehouse": str(tmp_path / "warehouse")})
    catalog.create_namespace_if_not_exists("ns")
    table = catalog.create_table("ns.orders", pa.schema({"id": pa.int64()}))
    table.append(pa.table({"id": [1, 2]}))
    return table


def test_options_that_have_ended_are_renewed_before_anything_is_asked(orders, vendor):
    table = fb.open_table(orders.metadata_location, storage_options=vendor | {"s3.region": "eu"})
    assert table.scan().count() == 2
    assert [call["s3.session-token"] for call in CALLS] == ["hush-old"]
    assert CALLS[0]["s3.region"] == "eu"
    assert table.scan().to_arrow().num_rows == 2
    assert len(CALLS) == 1


def test_options_that_hold_are_left_alone(orders, vendor):
    options = vendor | {"s3.session-token-expires-at-ms": soon()}
    assert fb.open_table(orders.metadata_location, storage_options=options).scan().count() == 2
    assert CALLS == []


def test_a_provider_that_holds_the_values_is_asked_once(orders):
    options = {"storage-options.provider": "test", "s3.region": "asked-once"}
    for _ in range(3):
        assert fb.open_table(orders.metadata_location, storage_options=options).scan().count() == 2
    assert len(CALLS) == 1


def test_options_are_those_of_a_table(orders, vendor, monkeypatch):
    monkeypatch.setattr(Vending, "vended", vendor)
    table = orders.catalog.load_table("ns.orders")
    table.append(pa.table({"id": [3]}))
    assert {call["table"] for call in CALLS} == {"ns.orders"}
    assert "s3.session-token" not in orders.catalog.storage_options
    assert table.scan().count() == 3


READS = """
import pickle, sys
sent = pickle.loads(bytes.fromhex(sys.stdin.read()))
if hasattr(sent, "write"):
    import pyarrow as pa
    rows = pa.RecordBatchReader.from_batches(pa.schema({"id": pa.int64()}), pa.table({"id": [9]}).to_batches())
    print(sent.write(rows, task="0", partition=0).rows)
else:
    print(sent.to_arrow().num_rows)
"""
MODULE = """
import os, time

def vend(options):
    with open(os.environ["VENDED"], "a") as file:
        file.write(options["s3.session-token"] + " ")
    return {"s3.session-token": "hush-new", "s3.session-token-expires-at-ms": str(int((time.time() + 3600) * 1000))}
"""


@pytest.mark.parametrize("what", ["scan", "group", "write"])
def test_other_processes_renew_by_the_name(orders, tmp_path, monkeypatch, what):
    (tmp_path / "vendor_of_test.py").write_text(MODULE)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("VENDED", str(tmp_path / "vended"))
    options = {"storage-options.provider": "vendor_of_test:vend"} | ENDED
    table = fb.open_table(orders.metadata_location, storage_options=options | {"case": what})
    sent = {
        "scan": table.scan,
        "group": lambda: table.scan().plan_files().split()[0],
        "write": lambda: _native.WriteRecipe.of(table._inner, options={}, write_id="w"),
    }[what]()
    (tmp_path / "vended").write_text("")
    ran = subprocess.run(
        [sys.executable, "-c", READS],
        input=pickle.dumps(sent).hex(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.split() == ["1" if what == "write" else "2"]
    assert (tmp_path / "vended").read_text().split() == ["hush-old"]


def test_what_a_provider_raises_is_told_without_secrets(orders, vendor):
    def broken(options):
        raise OSError(f"refused {options['s3.session-token']}")

    storage_options.register_storage_options_provider("broken", broken)
    options = vendor | {"storage-options.provider": "broken"}
    with pytest.raises(
        StorageError, match=r"'broken' of storage options raised OSError: refused \*\*\*"
    ) as caught:
        fb.open_table(orders.metadata_location, storage_options=options)
    assert caught.value.retryable
    assert "hush" not in repr(caught.value) + repr(getattr(caught.value, "__notes__", ""))


def test_options_that_have_ended_when_they_come_are_an_error(orders, vendor):
    storage_options.register_storage_options_provider(
        "late", lambda _: {"storage-options.expires-at-ms": "5"}
    )
    with pytest.raises(StorageError, match="have expired already"):
        fb.open_table(orders.metadata_location, storage_options=vendor | {"storage-options.provider": "late"})


@pytest.mark.parametrize(
    ("name", "error", "message"),
    [
        ("nobody", InvalidInputError, "no provider of storage options is registered as 'nobody'"),
        ("no_such_module:vend", NotInstalledError, "cannot be imported"),
        ("floeberg.errors:vend", InvalidInputError, "has no provider 'vend'"),
        ("floeberg.storage_options:PROVIDER", InvalidInputError, "expected a function"),
    ],
)
def test_a_name_that_means_no_provider_is_told(orders, name, error, message):
    options = {"storage-options.provider": name}
    with pytest.raises(error, match=message):
        storage_options.refresh_storage_options(options)
    with pytest.raises(StorageError, match=message):
        fb.open_table(orders.metadata_location, storage_options=options)


def test_a_provider_gives_texts_and_has_a_name(orders, vendor):
    storage_options.register_storage_options_provider("numbers", lambda _: {"s3.session-token": 7})
    with pytest.raises(StorageError, match="expected a str"):
        fb.open_table(
            orders.metadata_location, storage_options=vendor | {"storage-options.provider": "numbers"}
        )
    for name in ("", "a:b"):
        with pytest.raises(InvalidInputError, match="without a colon"):
            storage_options.register_storage_options_provider(name, vend)
    with pytest.raises(InvalidInputError, match="expected a function"):
        storage_options.register_storage_options_provider("x", 7)


INTERRUPTED = """
import sys
import floeberg as fb
from floeberg import storage_options

def interrupted(_):
    raise KeyboardInterrupt

storage_options.register_storage_options_provider("interrupted", interrupted)
try:
    fb.open_table(sys.argv[1], storage_options={"storage-options.provider": "interrupted", "s3.session-token": "t",
                                                "s3.session-token-expires-at-ms": "1"})
except KeyboardInterrupt:
    print("interrupted")
"""


def test_ctrl_c_in_a_provider_reaches_the_caller(orders):
    # In a process of its own: here a thread that another test left waiting may be the one that asks the provider.
    ran = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, orders.metadata_location],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ran.returncode, ran.stdout) == (0, "interrupted\n"), ran.stderr


def test_metadata_at_hand_is_a_table_to_read(orders):
    text = orders._inner.metadata_json()
    table = fb.Table.from_metadata(text, orders.metadata_location)
    assert table.scan().to_arrow()["id"].to_pylist() == [1, 2]
    assert table.metadata_location == orders.metadata_location
    assert pickle.loads(pickle.dumps(table.scan())).count() == 2
    with pytest.raises(fb.errors.UnsupportedError, match="load the table from its catalog"):
        table.append(pa.table({"id": [3]}))
    with pytest.raises(fb.errors.InvalidDataError, match="format-version"):
        fb.Table.from_metadata("{}", orders.metadata_location)
    # The file that it names is looked at in other processes alone.
    assert fb.Table.from_metadata(text, "memory://nowhere/v1.metadata.json").scan().count() == 2
