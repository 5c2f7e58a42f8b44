"""`Catalog.check` ends though nobody answers, and gives the advice that fits what was answered."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

import floeberg as fb
from floeberg.catalog import check_catalog
from floeberg.catalog.check import race
from floeberg.errors import InvalidInputError, StorageError
from rest_catalogs.scripted import Says, ScriptedServer


@pytest.fixture
def silent() -> Iterator[int]:
    """A port where connections are accepted, and nothing is ever answered."""
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen(64)
        yield server.getsockname()[1]


def store(port: int) -> dict[str, str]:
    keys = {"s3.access-key-id": "k", "s3.secret-access-key": "s", "s3.region": "us-east-1"}
    return {"warehouse": "s3://bucket/w", "s3.endpoint": f"http://127.0.0.1:{port}", **keys}


@pytest.mark.parametrize(
    ("kind", "failing"), [("rest", "authentication"), ("sql", "authentication"), ("memory", "bucket")]
)
def test_who_never_answers_is_named_in_time(silent, kind, failing):
    where = {
        "rest": {"uri": f"http://127.0.0.1:{silent}"},
        "sql": {"uri": f"postgresql+psycopg://a@127.0.0.1:{silent}/b"},
        "memory": store(silent),
    }
    if kind == "sql":
        pytest.importorskip("psycopg")
    found = check_catalog("silent", type=kind, timeout=0.3, **where[kind])
    assert found.failure is not None and found.failure.name == failing, found
    assert isinstance(found.failure.error, StorageError) and "no answer within 0.3 s" in str(
        found.failure.error
    )
    assert "timeout=" in found.failure.fix
    assert {found.step(name).outcome for name in ("put", "put-if-absent")} == {"skipped"}


def test_a_process_ends_though_a_step_still_waits(silent):
    program = (
        "from floeberg.catalog import check_catalog\n"
        f"print(check_catalog('c', type='memory', timeout=0.2, **{store(silent)!r}).failure.name)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout == "bucket\n"


def test_a_race_without_an_answer_ends(silent, monkeypatch):
    """Each of the writers waits, and the step does not wait for them."""
    monkeypatch.setattr("floeberg._native.list_folder", lambda *_, **__: [])
    monkeypatch.setattr("floeberg._native.put_file", lambda *_, **__: None)
    monkeypatch.setattr("floeberg.catalog.check.store._Store._read", lambda _: "")
    monkeypatch.setattr("floeberg._native.put_file_if_absent", lambda *_, **__: time.sleep(60))
    found = fb.load_catalog("c", type="memory", **store(silent)).check(timeout=0.2)
    assert "no answer within" in str(found.step("put-if-absent").error)


def test_a_writer_that_breaks_off_fails_the_race(monkeypatch, tmp_path):
    def broken(*_, **__):
        raise RuntimeError

    monkeypatch.setattr("floeberg._native.put_file_if_absent", broken)
    monkeypatch.setattr("threading.excepthook", lambda _: None)
    with pytest.raises(StorageError, match="16 of 16 writers broke off"):
        race.raced(str(tmp_path), {})


@pytest.mark.parametrize("timeout", [0, -1, "1", True, float("nan"), float("inf"), 1e9])
def test_a_wrong_time_is_an_error(timeout):
    with pytest.raises(InvalidInputError, match="timeout: expected seconds above 0"):
        check_catalog("c", type="memory", timeout=timeout)
    with pytest.raises(InvalidInputError, match="timeout: expected seconds above 0"):
        fb.load_catalog("c", type="memory").check(timeout=timeout)


@pytest.mark.parametrize(
    ("status", "advice"), [(401, "does not know who asks"), (403, "lacks the right to list")]
)
def test_advice_tells_who_is_unknown_from_who_may_not(status, advice):
    server = ScriptedServer()
    try:
        server.script["GET /v1/namespaces"] = [
            Says(status, {"error": {"message": "no", "type": "T", "code": status}})
        ]
        found = check_catalog("c", type="rest", uri=server.url)
    finally:
        server.stop()
    assert found.failure is not None and found.failure.name == "namespaces", found
    assert advice in found.failure.fix


@pytest.mark.parametrize("below", ["", "/below", "/below/it"])
@pytest.mark.parametrize("kind", ["filesystem", "memory"])
def test_a_file_as_a_warehouse_gets_the_advice_to_give_a_folder(tmp_path, kind, below):
    (tmp_path / "file").write_text("here first")
    found = check_catalog("c", type=kind, warehouse=f"{tmp_path}/file{below}")
    failed = [step for step in found.steps if step.ok is False]
    assert "bucket" in [step.name for step in failed] and all(
        "give a folder" in step.fix for step in failed
    ), found
    assert found.step("put").outcome == "skipped"
    assert (tmp_path / "file").read_text() == "here first"
