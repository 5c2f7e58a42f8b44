"""Do the verbs of key files make, rotate and list keys, and show no key?"""

from __future__ import annotations

import json

import pyarrow as pa

import floeberg as fb
from floeberg.encryption import KeyFile


def secrets_of(file) -> list[str]:
    """The keys of a file, as the file has them."""
    return [version for versions in json.loads(file.read_text())["keys"].values() for version in versions]


def test_keys_are_made_rotated_and_listed(run, tmp_path):
    file = tmp_path / "keys.json"
    made = run("keys", "create", file, "customers", "--json")
    assert made.json == {"file": str(file), "key": "customers", "versions": 1}
    run("keys", "create", file, "orders", "--length", "16")
    wrapped = KeyFile(file).wrap_key(bytes(16), "customers")
    turned = run("keys", "rotate", file, "customers")
    assert KeyFile(file).unwrap_key(wrapped, "customers") == bytes(16)
    listed = run("keys", "list", file, "--json")
    assert listed.json == [{"key": "customers", "versions": 2}, {"key": "orders", "versions": 1}]
    shown = "".join(each.out + each.err for each in (made, turned, listed))
    assert not [each for each in secrets_of(file) if each in shown]


def test_mistakes_have_an_exit_code_and_a_next_step(run, tmp_path):
    file = tmp_path / "keys.json"
    missing = run("keys", "list", file, code=3)
    assert "keys create" in missing.err
    run("keys", "create", file, "customers")
    twice = run("keys", "create", file, "customers", code=4)
    assert "keys rotate" in twice.err
    run("keys", "rotate", file, "custumers", code=3)
    run("keys", "create", file, "x", "--length", "8", code=2)
    file.chmod(0o644)
    refused = run("keys", "list", file, code=7)
    assert "chmod 600" in refused.err


def test_options_and_the_environment_name_the_keys_of_a_table(run, tmp_path, monkeypatch):
    file = tmp_path / "keys.json"
    run("keys", "create", file, "customers")
    catalog = fb.load_catalog(
        "encrypted cli", type="filesystem", warehouse=str(tmp_path / "lake"), key_management=KeyFile(file)
    )
    catalog.create_namespace("db")
    properties = {"format-version": "3", "encryption.key-id": "customers"}
    table = catalog.create_table("db.t", pa.schema({"id": pa.int64()}), properties=properties)
    table.append(pa.table({"id": [1, 2]}))
    place = tmp_path / "lake" / "db" / "t"
    refused = run("scan", place, code=None)
    assert refused.code != 0
    assert "encryption.kms" in refused.err
    options = ("-O", "encryption.kms-type=file", "-O", f"encryption.key-file={file}")
    assert run("scan", place, "--json", *options).json == [{"id": 1}, {"id": 2}]
    (tmp_path / "more.jsonl").write_text('{"id": 3}\n')
    run("append", place, tmp_path / "more.jsonl", *options)
    monkeypatch.setenv("FLOEBERG_ENCRYPTION__KMS_TYPE", "file")
    monkeypatch.setenv("FLOEBERG_ENCRYPTION__KEY_FILE", str(file))
    assert run("count", place, "--json").json == {"rows": 3}
    run("check", place)
