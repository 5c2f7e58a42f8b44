"""`floeberg serve`: which catalog, which token, and how it ends."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import ssl
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
        found = re.search(r"at (https?://127\.0\.0\.1:\d+)$", first.strip())
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


def test_a_folder_that_is_not_there_is_an_error_before_it_listens(command, own_home):
    (own_home / "file").write_text("no folder")
    for name, said in (("./nonexistent", "does not exist"), ("./file", "is a file, and not a folder")):
        done = subprocess.run(
            [*command, "serve", name, "--port", "0"], capture_output=True, text=True, timeout=60, check=False
        )
        assert done.returncode == 3, done.stderr
        assert f"the folder {said}" in done.stderr
        assert "serving the catalog" not in done.stderr
    assert not (own_home / "nonexistent").exists()


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    """A certificate of 127.0.0.1 and its key, and another key."""
    folder = tmp_path_factory.mktemp("certificates")
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed")
    made = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    made += ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-days", "2"]
    for name in ("own", "other"):
        files = ["-keyout", str(folder / f"{name}.key"), "-out", str(folder / f"{name}.pem")]
        subprocess.run([*made, *files], check=True, capture_output=True)
    return folder


def test_with_a_certificate_it_speaks_https(command, folder, certificate):
    files = ("--certificate", certificate / "own.pem", "--key", certificate / "own.key")
    with served(command, folder, *files, environment={"FLOEBERG_SERVE_TOKEN": TOKEN}) as (address, _):
        assert address.startswith("https://")
        trusted = ssl.create_default_context(cafile=str(certificate / "own.pem"))
        headers = {"Authorization": f"Bearer {TOKEN}"}
        found = httpx.get(f"{address}/v1/namespaces", headers=headers, verify=trusted, timeout=30)
        assert found.json()["namespaces"] == [["sales"]]
        with pytest.raises(httpx.ConnectError):
            httpx.get(f"{address}/v1/namespaces", headers=headers, timeout=30)
        with pytest.raises(httpx.HTTPError):
            httpx.get(f"http{address.removeprefix('https')}/v1/namespaces", headers=headers, timeout=30)


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        (("--certificate", "own.pem"), (2, "the key is expected in the same file without --key")),
        (
            ("--certificate", "own.pem", "--key", "other.key"),
            (2, "expected a certificate in PEM and its own key"),
        ),
        (("--certificate", "own.key", "--key", "own.pem"), (2, "expected a certificate in PEM")),
        (("--certificate", "none.pem"), (3, "certificate: there is no such file")),
        (("--certificate", "own.pem", "--key", "none.key"), (3, "key: there is no such file")),
        (("--key", "own.key"), (2, "expected the certificate of the key too")),
    ],
)
def test_files_that_are_no_certificate_are_refused(command, folder, certificate, given, wanted):
    code, said = wanted
    words = [str(certificate / each) if "." in each else each for each in given]
    done = subprocess.run(
        [*command, "serve", folder, *words], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == code, done.stderr
    assert said in " ".join(done.stderr.split())
    assert "PRIVATE" not in done.stderr
