"""Do the verbs of key files make, rotate and list keys, and show no key?"""

from __future__ import annotations

import json

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
