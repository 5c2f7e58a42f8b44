"""Does a key file keep keys, for its owner alone?"""

from __future__ import annotations

import base64
import json
import os
import pickle
import secrets
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from floeberg.encryption import KeyFile, create_key, key_ids, rotate_key
from floeberg.errors import (
    AlreadyExistsError,
    InvalidDataError,
    InvalidInputError,
    NotFoundError,
    PermissionDeniedError,
    StorageError,
)


@pytest.fixture
def file(tmp_path) -> Path:
    """A key file with the keys `customers` and `orders`."""
    made = tmp_path / "keys.json"
    create_key(made, "customers")
    create_key(made, "orders", length=16)
    return made


def stored(file: Path) -> dict[str, list[str]]:
    return json.loads(file.read_text())["keys"]


def put(file: Path, content: object) -> None:
    file.write_text(content if isinstance(content, str) else json.dumps(content))
    file.chmod(0o600)


@pytest.mark.parametrize("length", [16, 24, 32])
@pytest.mark.parametrize("wrapped_length", [16, 24, 32])
def test_a_key_is_wrapped_and_unwrapped(tmp_path, length, wrapped_length):
    create_key(tmp_path / "keys.json", "k", length=length)
    keys, plain = KeyFile(tmp_path / "keys.json"), secrets.token_bytes(wrapped_length)
    wrapped = keys.wrap_key(plain, "k")
    assert keys.unwrap_key(wrapped, "k") == plain
    # Two wrappings of a key differ, and neither has a part of it.
    assert wrapped != keys.wrap_key(plain, "k")
    assert len(wrapped) == 12 + wrapped_length + 16


def test_the_form_is_the_documented_one(file):
    """Another implementation reads the file and the wrapped key from the documentation alone."""
    plain = b"sixteen bytes..."
    wrapped = KeyFile(file).wrap_key(plain, "customers")
    key = base64.b64decode(stored(file)["customers"][-1])
    assert AESGCM(key).decrypt(wrapped[:12], wrapped[12:], None) == plain
    assert json.loads(file.read_text())["format-version"] == 1


def test_only_the_owner_has_rights(file):
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    rotate_key(file, "customers")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660, 0o601])
def test_a_file_that_others_may_use_is_refused(file, mode):
    file.chmod(mode)
    for use in (
        lambda: KeyFile(file).wrap_key(bytes(16), "customers"),
        lambda: KeyFile(file).unwrap_key(bytes(44), "customers"),
        lambda: create_key(file, "new"),
        lambda: rotate_key(file, "customers"),
        lambda: key_ids(file),
    ):
        with pytest.raises(PermissionDeniedError, match=rf"mode {mode:04o}.*chmod 600"):
            use()


def test_rotated_keys_open_what_old_ones_wrapped(file):
    keys = KeyFile(file)
    plain = [secrets.token_bytes(16) for _ in range(4)]
    wrapped = []
    for number, each in enumerate(plain):
        wrapped.append(keys.wrap_key(each, "orders"))
        assert rotate_key(file, "orders") == number + 2
    assert [keys.unwrap_key(each, "orders") for each in wrapped] == plain
    assert key_ids(file) == {"customers": 1, "orders": 5}
    # The newest one wraps: without it, nothing opens.
    newest = keys.wrap_key(plain[0], "orders")
    content = json.loads(file.read_text())
    content["keys"]["orders"].pop()
    put(file, content)
    with pytest.raises(InvalidDataError, match="each of the 4 versions of the key 'orders'"):
        keys.unwrap_key(newest, "orders")
    assert keys.unwrap_key(wrapped[3], "orders") == plain[3]


def test_no_key_is_replaced(file):
    before = file.read_bytes()
    with pytest.raises(AlreadyExistsError, match="rotate"):
        create_key(file, "customers")
    assert file.read_bytes() == before
    assert [each.name for each in file.parent.iterdir()] == ["keys.json"]


def test_another_key_or_damage_is_an_error(file):
    keys = KeyFile(file)
    wrapped = keys.wrap_key(bytes(16), "customers")
    flipped = bytes([*wrapped[:-1], wrapped[-1] ^ 1])
    for damaged in (flipped, wrapped[:-1], wrapped[1:], wrapped + b"x", b"", wrapped[12:], os.urandom(44)):
        with pytest.raises(InvalidDataError, match="'customers'") as caught:
            keys.unwrap_key(damaged, "customers")
        assert caught.value.context["path"] == str(file)
    with pytest.raises(InvalidDataError, match="another key wrapped it"):
        keys.unwrap_key(wrapped, "orders")


def test_a_missing_key_is_an_error_with_the_next_step(file):
    for use in (
        lambda: KeyFile(file).wrap_key(bytes(16), "custumers"),
        lambda: rotate_key(file, "custumers"),
    ):
        with pytest.raises(NotFoundError, match="no key 'custumers': did you mean 'customers'") as caught:
            use()
        assert "'customers', 'orders'" in str(caught.value)
    with pytest.raises(NotFoundError, match="keys create FILE KEY_ID"):
        KeyFile(file.with_name("other.json")).unwrap_key(bytes(44), "customers")


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{",
        "[]",
        "null",
        {},
        {"format-version": 2, "keys": {}},
        {"format-version": 1},
        {"format-version": 1, "keys": []},
        {"format-version": 1, "keys": {"customers": []}},
        {"format-version": 1, "keys": {"customers": "c2l4dGVlbiBieXRlcy4uLg=="}},
        {"format-version": 1, "keys": {"customers": ["c2hvcnQ="]}},
        {"format-version": 1, "keys": {"customers": ["not base64 SECRET"]}},
        {"format-version": 1, "keys": {"customers": [7]}},
        "[" * 100_000,
        "\ud83d SECRET".encode("utf-8", "surrogatepass").decode("latin-1"),
    ],
)
def test_a_damaged_file_is_an_error_without_its_text(file, content):
    put(file, content)
    with pytest.raises(InvalidDataError, match="the key file is damaged") as caught:
        KeyFile(file).wrap_key(bytes(16), "customers")
    assert "SECRET" not in str(caught.value)
    # The library's own error, which shows a part of the text, is not shown with it.
    assert caught.value.__suppress_context__ or caught.value.__context__ is None
    with pytest.raises(InvalidDataError):
        create_key(file, "new")
    assert file.read_text() == (content if isinstance(content, str) else json.dumps(content))


def test_a_folder_and_a_place_that_is_not_there_are_errors(tmp_path):
    with pytest.raises(StorageError):
        KeyFile(tmp_path).wrap_key(bytes(16), "k")
    with pytest.raises(StorageError, match="folder of the key file"):
        create_key(tmp_path / "no" / "keys.json", "k")


@pytest.mark.parametrize("length", [0, 8, 31, 64, True, "32"])
def test_lengths_that_aes_has_not_are_refused(tmp_path, length):
    with pytest.raises(InvalidInputError, match="16, 24 or 32"):
        create_key(tmp_path / "keys.json", "k", length=length)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("key", [b"", b"x", bytes(17), "a" * 16, None, 7])
def test_what_is_no_key_is_refused_without_showing_it(file, key):
    with pytest.raises(InvalidInputError) as caught:
        KeyFile(file).wrap_key(key, "customers")
    assert "aaaa" not in str(caught.value)


@pytest.mark.parametrize("key_id", ["<b>a</b>", "../x", "a b\n", "schlüssel-鍵", "x" * 10_000, "--help"])
def test_any_text_is_an_id(file, key_id):
    create_key(file, key_id)
    wrapped = KeyFile(file).wrap_key(bytes(32), key_id)
    assert KeyFile(file).unwrap_key(wrapped, key_id) == bytes(32)


@pytest.mark.parametrize("key_id", ["", None, b"k", 7, "\ud800"])
def test_what_is_no_id_is_refused(file, key_id):
    with pytest.raises(InvalidInputError):
        create_key(file, key_id)
    with pytest.raises(InvalidInputError):
        KeyFile(file).wrap_key(bytes(16), key_id)


def test_a_pickle_has_the_path_and_no_key(file):
    keys = KeyFile(file)
    wrapped = keys.wrap_key(bytes(16), "customers")
    dumped = pickle.dumps(keys)
    for version in stored(file)["customers"]:
        assert version.encode() not in dumped
        assert base64.b64decode(version) not in dumped
    again = pickle.loads(dumped)
    assert again == keys
    assert again.unwrap_key(wrapped, "customers") == bytes(16)
    assert repr(keys) == f"KeyFile(encryption.key-file='{file}')"


def test_a_relative_path_stays_the_same_file(file, monkeypatch):
    monkeypatch.chdir(file.parent)
    keys = KeyFile("keys.json")
    monkeypatch.chdir("/")
    assert keys.unwrap_key(keys.wrap_key(bytes(16), "customers"), "customers") == bytes(16)
    assert KeyFile(file.as_uri()).wrap_key(bytes(16), "customers")
    with pytest.raises(InvalidInputError, match="file of this machine"):
        KeyFile("s3://bucket/keys.json")


def test_commands_at_once_lose_no_key(tmp_path):
    """Eight processes add a key each to a file that is not there yet."""
    program = "import sys; from floeberg.encryption import create_key; create_key(sys.argv[1], sys.argv[2])"
    file = tmp_path / "keys.json"
    running = [
        subprocess.Popen([sys.executable, "-c", program, str(file), f"k{number}"]) for number in range(8)
    ]
    assert [each.wait(60) for each in running] == [0] * 8
    assert key_ids(file) == {f"k{number}": 1 for number in range(8)}
    assert [each.name for each in tmp_path.iterdir()] == ["keys.json"]
