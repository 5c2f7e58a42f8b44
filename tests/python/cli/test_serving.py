"""`floeberg serve`: which catalog, which token, and how it ends."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess

import httpx
import pyarrow as pa
import pytest

import floeberg as fb

TOKEN = "a long secret"


@contextlib.contextmanager
def served(command, *words, environment=None):
    """The address of a server in a process of its own, and the process."""
    started = subprocess.Popen(
        [*command, "serve", *map(str, words), "--port", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | (environment or {}),
    )
    try:
        first = started.stderr.readline()
        found = re.search(r"at (http://127\.0\.0\.1:\d+)$", first.strip())
        assert found is not None, first + started.stderr.read()
        yield found[1], started
    finally:
        started.kill()
        started.communicate()


def names(address, token=TOKEN):
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    answer = httpx.get(f"{address}/v1/namespaces", headers=headers, timeout=30)
    return answer.json().get("namespaces") if answer.status_code == 200 else answer.status_code


@pytest.fixture
def folder(own_home):
    made = fb.load_catalog("x", type="filesystem", warehouse=str(own_home / "lake"))
    made.create_namespace("sales")
    made.create_table("sales.t", pa.table({"id": [1]}))
    return "lake"


def test_a_folder_is_served_with_a_new_token(command, folder):
    with served(command, folder) as (address, process):
        token = re.fullmatch(r"token: (\S{32})", process.stderr.readline().strip())[1]
        assert (names(address, None), names(address, TOKEN), names(address, token)) == (401, 401, [["sales"]])
        with fb.load_catalog("far", type="rest", uri=address, token=token) as remote:
            table = remote.load_table("sales.t")
            table.append(pa.table({"id": [2]}))
            assert table.location().startswith("/"), "a folder of here is a place for every client"
        process.send_signal(signal.SIGINT)
        assert process.wait(30) != 0
        assert "Traceback" not in process.stderr.read()


def test_a_token_of_the_environment_is_not_shown(command, folder, monkeypatch):
    monkeypatch.setenv("FLOEBERG_CATALOG__HOUSE__WAREHOUSE", folder)
    with served(command, "house", "--read-only", environment={"FLOEBERG_SERVE_TOKEN": TOKEN}) as (
        address,
        process,
    ):
        assert names(address) == [["sales"]]
        process.terminate()
        out, err = process.communicate(timeout=30)
    assert TOKEN not in out + err


def test_no_token_is_said_to_be_none(command, folder):
    with served(command, folder, "--no-token") as (address, process):
        assert "no token is asked for" in process.stderr.readline()
        assert names(address, None) == [["sales"]]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--token", TOKEN, "--no-token"], "exclude each other"),
        (["--token", ""], "found an empty one"),
        (["--token", "short"], "8 or more signs of ASCII"),
        (["--no-token", "--host", "0.0.0.0"], "needs a token"),
        (["--port", "70000"], "from 0 to 65535"),
        (["--catalog", "other"], "is the catalog already"),
    ],
)
def test_wrong_options_are_refused(run, folder, words, message):
    assert message in run("serve", folder, *words, code=2).err


def test_a_catalog_that_is_not_configured_is_named(run):
    assert "'house' is not configured" in run("serve", "house", code=2).err
