"""Do key services wrap and unwrap keys, and do their errors say what to do without a secret?"""

from __future__ import annotations

import base64
import pickle

import pytest

from encryption.key_service import GOOGLE_KEY, TOKEN, KeyService
from floeberg.encryption import AzureKeyVault, GoogleKms, VaultTransit, _http, key_management_of
from floeberg.errors import (
    FloebergError,
    InvalidDataError,
    InvalidInputError,
    NotFoundError,
    NotInstalledError,
    PermissionDeniedError,
    StorageError,
)

KINDS = ["vault", "gcp", "azure"]
KEY_OF = {"vault": "customers", "gcp": GOOGLE_KEY, "azure": "customers"}
MISSING_OF = {
    "vault": "orders",
    "gcp": GOOGLE_KEY.replace("customers", "orders"),
    "azure": "orders",
}
PLAIN = bytes(range(32))


def options_of(kind: str, service: KeyService, token: str = TOKEN) -> dict[str, str]:
    place = {
        "vault": {"encryption.vault.address": service.url, "encryption.vault.token": token},
        "gcp": {"encryption.gcp.endpoint": service.url, "gcs.oauth2.token": token},
        "azure": {"azure.keyvault.url": service.url, "encryption.azure.token": token},
    }
    return {"encryption.kms-type": kind, **place[kind]}


@pytest.fixture(autouse=True)
def no_naps(monkeypatch) -> None:
    monkeypatch.setattr(_http.time, "sleep", lambda _: None)


@pytest.mark.parametrize("kind", KINDS)
def test_a_key_is_wrapped_and_unwrapped(kind, service):
    keys = key_management_of(options_of(kind, service))
    assert keys is not None
    wrapped = keys.wrap_key(PLAIN, KEY_OF[kind])
    assert PLAIN not in wrapped
    assert keys.unwrap_key(wrapped, KEY_OF[kind]) == PLAIN
    # What the pickle makes again in a worker opens it too.
    assert pickle.loads(pickle.dumps(keys)).unwrap_key(wrapped, KEY_OF[kind]) == PLAIN


@pytest.mark.parametrize("kind", KINDS)
def test_a_missing_key_is_an_error(kind, service):
    keys = key_management_of(options_of(kind, service))
    with pytest.raises(NotFoundError, match="orders") as caught:
        keys.wrap_key(PLAIN, MISSING_OF[kind])
    assert caught.value.context["key"] == MISSING_OF[kind]
    assert not caught.value.retryable


@pytest.mark.parametrize("kind", KINDS)
def test_another_key_or_damage_is_an_error(kind, service):
    keys = key_management_of(options_of(kind, service))
    wrapped = keys.wrap_key(PLAIN, KEY_OF[kind])
    service.keys["customers"] = [bytes(32)]
    with pytest.raises(InvalidDataError, match="another key wrapped"):
        keys.unwrap_key(wrapped, KEY_OF[kind])


@pytest.mark.parametrize("kind", KINDS)
def test_a_wrong_token_is_an_error_without_it(kind, service):
    keys = key_management_of(options_of(kind, service, token="a-wrong-token"))
    with pytest.raises(PermissionDeniedError, match="refuses the key") as caught:
        keys.unwrap_key(b"vault:v1:AAAA", KEY_OF[kind])
    for shown in (str(caught.value), repr(keys), repr(caught.value.context)):
        assert "a-wrong-token" not in shown
        assert TOKEN not in shown


@pytest.mark.parametrize("kind", KINDS)
def test_a_busy_service_is_asked_again(kind, service):
    keys = key_management_of(options_of(kind, service))
    service.fails_first = [503, 429, 500]
    assert keys.unwrap_key(keys.wrap_key(PLAIN, KEY_OF[kind]), KEY_OF[kind]) == PLAIN
    service.fails_first = [503] * 10
    with pytest.raises(StorageError, match="status 503") as caught:
        keys.wrap_key(PLAIN, KEY_OF[kind])
    assert caught.value.retryable
    assert len(service.fails_first) == 6
    assert TOKEN not in str(caught.value)


@pytest.mark.parametrize("kind", KINDS)
def test_a_service_that_is_not_there_is_an_error(kind, service):
    keys = key_management_of(options_of(kind, service))
    service.stop()
    with pytest.raises(StorageError, match="cannot be reached"):
        keys.wrap_key(PLAIN, KEY_OF[kind])
    service.stop = lambda: None  # type: ignore[method-assign] # it is ended


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "answer", [{}, {"data": None}, {"data": {"ciphertext": 7}}, {"value": None}, {"ciphertext": []}]
)
def test_a_strange_answer_is_an_error(kind, service, answer, monkeypatch):
    keys = key_management_of(options_of(kind, service))
    monkeypatch.setattr(service, "answer", lambda *_: answer)
    with pytest.raises(InvalidDataError):
        keys.wrap_key(PLAIN, KEY_OF[kind])


def test_vault_makes_keys_and_rotated_ones_open_old_tables(service):
    keys = VaultTransit(address=f"{service.url}/", token=TOKEN)
    plain, wrapped = keys.generate_key("customers")
    assert (len(plain), wrapped[:9], keys.supports_key_generation) == (32, b"vault:v1:", True)
    service.keys["customers"].append(bytes(range(32)))
    newer = keys.wrap_key(plain, "customers")
    assert newer.startswith(b"vault:v2:")
    assert keys.unwrap_key(wrapped, "customers") == keys.unwrap_key(newer, "customers") == plain


def test_vault_is_found_by_the_environment(service, monkeypatch, tmp_path):
    keys = key_management_of({"encryption.kms-type": "vault"})
    with pytest.raises(InvalidInputError, match="VAULT_ADDR"):
        keys.wrap_key(PLAIN, "customers")
    monkeypatch.setenv("VAULT_ADDR", service.url)
    monkeypatch.setenv("HOME", str(tmp_path))
    with pytest.raises(PermissionDeniedError, match="vault login"):
        keys.wrap_key(PLAIN, "customers")
    (tmp_path / ".vault-token").write_text(f"{TOKEN}\n")
    assert keys.unwrap_key(keys.wrap_key(PLAIN, "customers"), "customers") == PLAIN
    monkeypatch.setenv("VAULT_TOKEN", "another")
    with pytest.raises(PermissionDeniedError):
        keys.wrap_key(PLAIN, "customers")
    monkeypatch.setenv("VAULT_TOKEN", TOKEN)
    monkeypatch.setenv("VAULT_NAMESPACE", "team")
    keys.wrap_key(PLAIN, "customers")
    assert service.asked[-1][1]["X-Vault-Namespace"] == "team"
    # A token of the environment does not travel.
    assert TOKEN.encode() not in pickle.dumps(keys)


def test_a_token_file_is_read_at_each_request(service, tmp_path):
    file = tmp_path / "token"
    file.write_text("old")
    keys = VaultTransit(address=service.url, token_file=str(file))
    with pytest.raises(PermissionDeniedError):
        keys.wrap_key(PLAIN, "customers")
    file.write_text(TOKEN)
    assert keys.wrap_key(PLAIN, "customers")
    file.write_text("a\nb")
    with pytest.raises(PermissionDeniedError, match="no token has"):
        keys.wrap_key(PLAIN, "customers")
    file.unlink()
    with pytest.raises(PermissionDeniedError, match="cannot be read"):
        keys.wrap_key(PLAIN, "customers")


@pytest.mark.parametrize(
    "key_id", ["../../sys/seal", "a/b", "a?b=c", "<script>", "ü", "#x", "customers/../orders"]
)
def test_an_id_is_one_part_of_the_path(service, key_id):
    keys = VaultTransit(address=service.url, token=TOKEN)
    service.keys[key_id] = [bytes(32)]
    with pytest.raises(FloebergError):
        keys.wrap_key(PLAIN, key_id)
    assert service.asked[-1][0].startswith("/v1/transit/encrypt/")
    assert service.asked[-1][0].count("/") == 4
    assert "?" not in service.asked[-1][0]


@pytest.mark.parametrize("wrapped", [b"", b"\xff\xfe", b"vault:", bytes(44), b"v1:AAAA"])
def test_what_vault_did_not_wrap_is_not_sent(service, wrapped):
    with pytest.raises(InvalidDataError, match="not wrapped by Vault"):
        VaultTransit(address=service.url, token=TOKEN).unwrap_key(wrapped, "customers")
    assert service.asked == []


@pytest.mark.parametrize(
    "address", ["", "vault", "ftp://vault", "https://user:hush@vault", "https://", "http://[::1"]
)
def test_a_wrong_address_is_refused_without_a_password(address):
    with pytest.raises(InvalidInputError) as caught:
        AzureKeyVault(vault_url=address)
    assert "hush" not in str(caught.value)


def test_google_wants_the_whole_name(service):
    keys = GoogleKms(endpoint=service.url)
    with pytest.raises(InvalidInputError, match="projects/P/locations/L"):
        keys.wrap_key(PLAIN, "customers")


def test_azure_takes_whole_addresses_and_versions(service):
    keys = key_management_of(options_of("azure", service))
    wrapped = keys.wrap_key(PLAIN, f"{service.url}/keys/customers/0123abc")
    assert service.asked[-1][0] == "/keys/customers/0123abc/wrapkey?api-version=7.4"
    assert keys.unwrap_key(wrapped, "customers/0123abc") == PLAIN
    with pytest.raises(InvalidInputError, match="azure.keyvault.url"):
        key_management_of({"encryption.kms-type": "azure"})


def test_a_secret_is_sent_to_the_service_alone(service):
    keys = key_management_of(options_of("vault", service))
    keys.wrap_key(PLAIN, "customers")
    path, headers, body = service.asked[-1]
    assert base64.b64decode(body["plaintext"]) == PLAIN
    assert headers["X-Vault-Token"] == TOKEN
    assert TOKEN not in path


def test_a_library_that_is_not_installed_is_named(service, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "httpx", None)
    with pytest.raises(NotInstalledError, match=r"floeberg\[encryption\]"):
        VaultTransit(address=service.url, token=TOKEN).wrap_key(PLAIN, "customers")
