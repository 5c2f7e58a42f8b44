"""Does AWS Key Management Service, which moto plays, wrap and unwrap keys?"""

from __future__ import annotations

import os
import pickle
import socket

import pytest
from botocore.session import Session
from botocore.stub import Stubber
from emulators import Emulator

from floeberg.encryption import AwsKms, key_management_of
from floeberg.errors import (
    InvalidDataError,
    InvalidInputError,
    NotFoundError,
    PermissionDeniedError,
    StorageError,
)

PLAIN = bytes(range(32))


@pytest.fixture
def kms(server: Emulator):
    """The service, asked without our code."""
    return Session().create_client("kms", region_name="us-east-1", endpoint_url=server.url)


@pytest.fixture
def key(kms) -> str:
    """A key that is there."""
    return kms.create_key()["KeyMetadata"]["KeyId"]


@pytest.fixture
def keys(server: Emulator) -> AwsKms:
    """Our client of the service."""
    return AwsKms(region="us-east-1", endpoint=server.url)


def test_a_key_is_wrapped_and_unwrapped(keys, kms, key):
    wrapped = keys.wrap_key(PLAIN, key)
    assert PLAIN not in wrapped
    assert keys.unwrap_key(wrapped, key) == PLAIN
    # As any other client of the service, such as Iceberg Java's.
    assert kms.decrypt(CiphertextBlob=wrapped, KeyId=key)["Plaintext"] == PLAIN
    assert keys.unwrap_key(kms.encrypt(KeyId=key, Plaintext=PLAIN)["CiphertextBlob"], key) == PLAIN


@pytest.mark.parametrize(("spec", "length"), [(None, 32), ("AES_128", 16), ("AES_256", 32)])
def test_the_service_makes_keys(server, key, spec, length):
    keys = AwsKms(region="us-east-1", endpoint=server.url, data_key_spec=spec)
    plain, wrapped = keys.generate_key(key)
    assert len(plain) == length
    assert keys.supports_key_generation
    assert keys.unwrap_key(wrapped, key) == plain


def test_an_alias_and_an_arn_name_a_key(keys, kms, key):
    kms.create_alias(AliasName=f"alias/{key}", TargetKeyId=key)
    arn = kms.describe_key(KeyId=key)["KeyMetadata"]["Arn"]
    for name in (f"alias/{key}", arn):
        assert keys.unwrap_key(keys.wrap_key(PLAIN, name), key) == PLAIN


def test_a_rotated_key_opens_what_it_wrapped_before(keys, kms, key):
    wrapped = keys.wrap_key(PLAIN, key)
    kms.rotate_key_on_demand(KeyId=key)
    assert keys.unwrap_key(wrapped, key) == PLAIN
    assert keys.unwrap_key(keys.wrap_key(PLAIN, key), key) == PLAIN


def test_a_missing_key_is_an_error(keys):
    with pytest.raises(NotFoundError, match="no key 'alias/nowhere' in this account and region") as caught:
        keys.wrap_key(PLAIN, "alias/nowhere")
    assert caught.value.context["service"] == "AWS KMS"


def test_damage_is_an_error(keys, key):
    wrapped = keys.wrap_key(PLAIN, key)
    with pytest.raises(InvalidDataError, match="another key wrapped it"):
        keys.unwrap_key(wrapped[:-1] + bytes([wrapped[-1] ^ 1]), key)


@pytest.mark.parametrize(
    ("code", "error", "says"),
    [
        ("DisabledException", PermissionDeniedError, "disabled"),
        ("KMSInvalidStateException", PermissionDeniedError, "waits for its deletion"),
        ("AccessDeniedException", PermissionDeniedError, "kms:Decrypt"),
        ("ExpiredTokenException", PermissionDeniedError, "refuses the key"),
        ("IncorrectKeyException", InvalidDataError, "another key wrapped it"),
        ("ThrottlingException", StorageError, "ThrottlingException"),
        ("", StorageError, "answered an error"),
    ],
)
def test_a_refusal_is_an_error_that_says_what_to_do(keys, code, error, says):
    """Refusals that moto does not play."""
    with Stubber(keys._client()) as stubbed:
        stubbed.add_client_error("decrypt", code, "SECRET")
        with pytest.raises(error, match=says) as caught:
            keys.unwrap_key(PLAIN, "a-key")
    assert "SECRET" not in str(caught.value)
    assert caught.value.context["key"] == "a-key"
    assert caught.value.retryable == (code == "ThrottlingException")


def test_a_service_that_is_not_there_is_an_error():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{probe.getsockname()[1]}"
    with pytest.raises(StorageError, match="cannot be reached") as caught:
        AwsKms(region="us-east-1", endpoint=url).wrap_key(PLAIN, "k")
    assert caught.value.retryable


def test_credentials_come_from_options_and_stay_out_of_reprs(server, key):
    options = {
        "encryption.kms-type": "aws",
        "kms.endpoint": server.url,
        "client.region": "us-east-1",
        "client.access-key-id": "AKIASECRETSECRETSECR",
        "client.secret-access-key": "SECRET",
    }
    keys = key_management_of(options)
    assert keys.unwrap_key(keys.wrap_key(PLAIN, key), key) == PLAIN
    assert "SECRET" not in repr(keys)
    assert pickle.loads(pickle.dumps(keys)).wrap_key(PLAIN, key)


def test_no_credentials_and_no_region_are_errors(server, monkeypatch, tmp_path):
    for name in list(os.environ):
        if name.startswith("AWS_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("HOME", str(tmp_path))
    with pytest.raises(PermissionDeniedError, match="no credentials"):
        AwsKms(region="us-east-1", endpoint=server.url).wrap_key(PLAIN, "k")
    with pytest.raises(InvalidInputError, match=r"no region: give the option 'client\.region'"):
        AwsKms(endpoint=server.url).wrap_key(PLAIN, "k")
    with pytest.raises(InvalidInputError, match="cannot be asked"):
        AwsKms(region="us-east-1", profile="nobody").wrap_key(PLAIN, "k")


@pytest.mark.parametrize("spec", ["AES_512", "", "aes_128"])
def test_a_wrong_spec_is_refused(spec):
    if spec:
        with pytest.raises(InvalidInputError, match="AES_128"):
            AwsKms(data_key_spec=spec)
    else:
        assert AwsKms(data_key_spec=spec)
