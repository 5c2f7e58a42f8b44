"""Which key management do options, the environment and an object mean?"""

from __future__ import annotations

import os
import pickle

import pytest

import floeberg as fb
from encryption.own_keys import Backwards, Half
from floeberg.catalog.rest.configuration import table_options
from floeberg.encryption import AwsKms, KeyFile, VaultTransit, create_key, key_management_of
from floeberg.encryption.choosing import options_with
from floeberg.errors import InvalidInputError, NotInstalledError, StorageError, UnsupportedError

OWN = "encryption.own_keys.Backwards"


def test_options_without_a_key_management_mean_none():
    assert key_management_of({}) is None
    assert key_management_of({"s3.region": "x", "encryption.key-file": "keys.json"}) is None
    assert key_management_of({"encryption.kms-type": ""}) is None


def test_a_type_is_a_provider(tmp_path):
    made = key_management_of({"encryption.kms-type": "FILE", "encryption.key-file": str(tmp_path / "k")})
    assert isinstance(made, KeyFile)
    assert isinstance(key_management_of({"encryption.kms-type": "aws", "client.region": "x"}), AwsKms)
    with pytest.raises(InvalidInputError, match="encryption.key-file"):
        key_management_of({"encryption.kms-type": "file"})


@pytest.mark.parametrize(
    ("given", "hint"),
    [("vualt", "did you mean 'vault'"), ("hsm", "expected 'file', 'aws'"), ("<b>", "expected")],
)
def test_an_unknown_type_is_an_error(given, hint):
    with pytest.raises(InvalidInputError, match=hint):
        key_management_of({"encryption.kms-type": given})


def test_a_class_is_made_of_the_options():
    made = key_management_of({"encryption.kms-impl": OWN, "encryption.mark": "!"})
    assert made.wrap_key(b"0123456789abcdef", "k") == b"!fedcba9876543210"
    assert made.unwrap_key(b"!fedcba9876543210", "k") == b"0123456789abcdef"
    assert made.supports_key_generation
    assert made.generate_key("k") == (bytes(16), b"!" + bytes(16))
    assert repr(made) == "the key management encryption.own_keys.Backwards"


@pytest.mark.parametrize(
    ("path", "error", "says"),
    [
        ("encryption.own_keys.Backward", InvalidInputError, "no class 'Backward'"),
        ("encryption.no_keys.Backwards", NotInstalledError, "cannot be imported"),
        ("Backwards", NotInstalledError, "cannot be imported"),
        ("org.apache.iceberg.aws.AwsKeyManagementClient", NotInstalledError, "class of Java"),
        ("encryption.own_keys.Unmade", InvalidInputError, "raised TypeError"),
        ("encryption.own_keys.Failing", InvalidInputError, "raised RuntimeError"),
        ("encryption.own_keys.Half", InvalidInputError, "no methods 'wrap_key' and 'unwrap_key'"),
        ("encryption.own_keys.VALUE", InvalidInputError, "raised TypeError"),
    ],
)
def test_a_wrong_class_is_an_error_without_what_it_says(path, error, says):
    with pytest.raises(error, match=says) as caught:
        key_management_of({"encryption.kms-impl": path, "encryption.vault.token": "SECRET"})
    assert "SECRET" not in str(caught.value)


def test_a_type_and_a_class_exclude_each_other():
    with pytest.raises(InvalidInputError, match="not both"):
        key_management_of({"encryption.kms-impl": OWN, "encryption.kms-type": "vault"})
    with pytest.raises(InvalidInputError, match="not both"):
        options_with({"encryption.kms-type": "vault"}, Backwards({}))


@pytest.mark.parametrize(
    ("fails", "error"),
    [
        ("wrap", StorageError),
        ("type", InvalidInputError),
        ("length", InvalidInputError),
        ("generate", InvalidInputError),
    ],
)
def test_what_a_class_of_a_user_does_wrong_is_an_error_without_a_key(fails, error):
    made = key_management_of({"encryption.kms-impl": OWN, "encryption.fails": fails})
    use = {"wrap": made.wrap_key, "generate": lambda _, key_id: made.generate_key(key_id)}.get(
        fails, made.unwrap_key
    )
    with pytest.raises(error, match=r"own_keys\.Backwards") as caught:
        use(b"a secret of 16 b", "k")
    assert "secret of" not in str(caught.value)
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


def test_the_environment_names_one(monkeypatch, tmp_path):
    monkeypatch.setenv("FLOEBERG_ENCRYPTION__KMS_TYPE", "file")
    monkeypatch.setenv("FLOEBERG_ENCRYPTION__KEY_FILE", str(tmp_path / "keys.json"))
    made = key_management_of({"s3.region": "x"})
    assert repr(made) == f"KeyFile(encryption.key-file='{tmp_path / 'keys.json'}')"
    # Options win, and one that names a type or a class is not mixed up with the other of the environment.
    assert isinstance(key_management_of({"encryption.kms-type": "vault"}), VaultTransit)
    assert repr(key_management_of({"encryption.kms-impl": OWN})).endswith("Backwards")
    monkeypatch.setenv("FLOEBERG_ENCRYPTION__VAULT__ADDRESS", "https://vault.example.org")
    assert "https://vault.example.org" in repr(key_management_of({"encryption.kms-type": "vault"}))


def test_an_object_becomes_options(tmp_path):
    create_key(tmp_path / "keys.json", "k")
    keys = KeyFile(tmp_path / "keys.json")
    given = options_with({"s3.region": "x"}, keys)
    assert given == {
        "s3.region": "x",
        "encryption.kms-type": "file",
        "encryption.key-file": str(tmp_path / "keys.json"),
    }
    assert key_management_of(given).unwrap_key(keys.wrap_key(bytes(16), "k"), "k") == bytes(16)
    own = Backwards({"encryption.mark": "?"})
    named = options_with({}, own)
    assert options_with({}, own) == named
    assert key_management_of(named).wrap_key(bytes(16), "k") == b"?" + bytes(16)


def test_an_object_of_another_process_is_an_error():
    named = options_with({}, Backwards({}))
    unknown = dict.fromkeys(named, "0" * 32)
    with pytest.raises(InvalidInputError, match=r"another process.*encryption.kms-impl"):
        key_management_of(unknown)


@pytest.mark.parametrize(
    "given", [KeyFile, Backwards, Half({}), "file", 7, object(), {"encryption.kms-type": "file"}]
)
def test_what_is_no_key_management_is_refused(given, refs):
    with pytest.raises(InvalidInputError, match="key_management: expected an object"):
        fb.open_table(refs.folder / "table", key_management=given)
    with pytest.raises(InvalidInputError, match="key_management: expected an object"):
        fb.load_catalog("wrong keys", type="memory", key_management=given)


def test_a_table_that_is_plain_needs_no_keys(refs, tmp_path):
    table = fb.open_table(
        refs.folder / "table", relocate=refs.relocate, key_management=KeyFile(tmp_path / "no")
    )
    assert table.scan().count() == 9
    assert pickle.loads(pickle.dumps(table)).scan().count() == 9


def test_lance_tables_have_no_key_management(tmp_path):
    with pytest.raises(UnsupportedError, match="Lance tables have no key_management"):
        fb.open_table(tmp_path, format="lance", key_management=Backwards({}))


def test_a_catalog_keeps_it_in_its_options(tmp_path):
    catalog = fb.load_catalog(
        "keys in options", type="memory", key_management=KeyFile(tmp_path / "keys.json")
    )
    assert catalog.storage_options["encryption.key-file"] == str(tmp_path / "keys.json")
    assert "keys.json" not in repr(catalog)


def test_a_forked_process_makes_its_own():
    options = {"encryption.kms-type": "aws", "client.region": "x"}
    mine = key_management_of(options)
    assert key_management_of(options) is mine
    read, write = os.pipe()
    if os.fork() == 0:
        os.write(write, b"other" if key_management_of(options) is not mine else b"same")
        os._exit(0)
    os.wait()
    assert os.read(read, 10) == b"other"


def test_a_server_chooses_neither_keys_nor_who_is_asked():
    """A REST server could else read the token of Vault, or have a class of its choice imported."""
    hostile = {
        "encryption.kms-type": "vault",
        "encryption.kms-impl": "os.system",
        "encryption.vault.address": "https://evil.example.org",
        "kms.endpoint": "https://evil.example.org",
        "azure.keyvault.url": "https://evil.example.org",
        "s3.region": "there",
    }
    answer = {"config": hostile, "storage-credentials": [{"prefix": "s3://b", "config": hostile}]}
    own = {"encryption.kms-type": "file", "encryption.key-file": "k"}
    assert table_options(own, answer, "s3://b/t") == {**own, "s3.region": "there"}
