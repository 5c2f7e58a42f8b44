"""Profiles of AWS name the credentials of a store."""

from __future__ import annotations

import pickle
import sys

import pyarrow as pa
import pytest

import floeberg as fb
from floeberg.errors import FloebergError, UnsupportedError

SECRET = "hush-hush-secret"
CONFIG = f"""
[profile lake]
aws_access_key_id = KEYOFLAKE
aws_secret_access_key = {SECRET}
region = eu-north-1
[profile empty]
region = eu-north-1
"""


@pytest.fixture
def _profiles(tmp_path, monkeypatch):
    file = tmp_path / "config"
    file.write_text(CONFIG)
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", str(file))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")


@pytest.fixture
def written(place):
    """A table behind the store, and the options of the store without credentials."""
    table = place.catalog().create_table("db.profiled", pa.schema({"id": pa.int64()}))
    table.append(pa.table({"id": [1, 2, 3]}))
    hidden = ("access-key", "secret", "token")
    options = {key: value for key, value in place.options.items() if not any(each in key for each in hidden)}
    return table.metadata_location, options


@pytest.mark.usefixtures("_profiles")
@pytest.mark.parametrize("option", ["s3.profile-name", "client.profile-name"])
def test_a_profile_gives_the_credentials(written, option):
    location, options = written
    table = fb.open_table(location, storage_options=options | {option: "lake"})
    assert sorted(table.scan().to_arrow()["id"].to_pylist()) == [1, 2, 3]
    again = pickle.loads(pickle.dumps(table))
    assert again.scan().count() == 3
    assert SECRET.encode() not in pickle.dumps(table)
    assert SECRET not in repr(table)


@pytest.mark.usefixtures("_profiles")
@pytest.mark.parametrize(
    ("profile", "message"),
    [("lakes", "no profile of AWS is named 'lakes': there are"), ("empty", "no credentials")],
)
def test_a_profile_without_credentials_is_an_error(written, profile, message):
    location, options = written
    with pytest.raises(FloebergError, match=message):
        fb.open_table(location, storage_options=options | {"s3.profile-name": profile})


@pytest.mark.usefixtures("_profiles")
def test_without_botocore_the_extra_is_named(written, monkeypatch):
    location, options = written
    for name in [each for each in sys.modules if each.split(".")[0] == "botocore"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "botocore", None)
    monkeypatch.setitem(sys.modules, "botocore.credentials", None)
    with pytest.raises(FloebergError, match=r"floeberg\[aws\]"):
        fb.open_table(location, storage_options=options | {"s3.profile-name": "lake", "io.retries": "0"})


def test_hadoops_names_are_known(written):
    location, options = written
    endpoint = next(value for value in options.values() if value.startswith("http://"))
    hadoop = {
        "fs.s3a.endpoint": endpoint.removeprefix("http://"),
        "fs.s3a.connection.ssl.enabled": "false",
        "fs.s3a.path.style.access": "true",
        "fs.s3a.access.key": "k",
        "fs.s3a.secret.key": "s",
        "fs.s3a.endpoint.region": "us-east-1",
    }
    assert fb.open_table(location, storage_options=hadoop).scan().count() == 3


@pytest.mark.parametrize("option", ["s3.sse.type", "fs.s3a.encryption.algorithm", "s3.acl"])
def test_what_changes_safety_is_not_passed_over(written, option):
    location, options = written
    with pytest.raises(UnsupportedError, match=option):
        fb.open_table(location, storage_options=options | {option: "kms"})
