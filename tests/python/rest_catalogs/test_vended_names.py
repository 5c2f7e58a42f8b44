"""Options as servers vend them: by account, with their ends, and with what is off."""

from __future__ import annotations

import pytest

import floeberg as fb
from floeberg.errors import FloebergError, InvalidInputError

ENDS = "4102444800000"


def asked(server, location, options):
    """What the store is asked by who opens a table."""
    with pytest.raises(FloebergError):
        fb.open_table(location, storage_options=options | {"io.retries": "0"})
    return server.asked


@pytest.mark.parametrize("place", ["lake.dfs.core.windows.net", "lake"])
def test_a_token_of_an_account_of_azure(server, place):
    options = {
        "adls.endpoint": server.url,
        "adls.sas-token": "sv=1&sig=other",
        f"adls.sas-token.{place}": "sv=1&sig=mine",
        f"adls.sas-token-expires-at-ms.{place}": ENDS,
        "adls.sas-token.elsewhere.dfs.core.windows.net": "sv=1&sig=elsewhere",
    }
    found = asked(server, "abfss://files@lake.dfs.core.windows.net/t", options)
    assert found
    assert all("sig=mine" in each.path for each in found)


def test_a_token_of_google_with_its_end(server):
    options = {"gcs.endpoint": server.url, "gcs.oauth2.token": "word", "gcs.oauth2.token-expires-at": ENDS}
    found = asked(server, "gs://bucket/t", options)
    assert found
    assert {each.headers["authorization"] for each in found} == {"Bearer word"}


def test_signing_by_a_server_that_is_off_is_nothing(server):
    options = {
        "s3.endpoint": server.url,
        "s3.access-key-id": "k",
        "s3.secret-access-key": "s",
        "s3.region": "here",
        "s3.session-token": "session",
        "s3.session-token-expires-at-ms": ENDS,
        "s3.remote-signing-enabled": "false",
    }
    found = asked(server, "s3://bucket/t", options)
    assert found
    assert {each.headers["x-amz-security-token"] for each in found} == {"session"}
    with pytest.raises(InvalidInputError, match=r"s3\.signer\.uri"):
        fb.open_table("s3://bucket/t", storage_options=options | {"s3.remote-signing-enabled": "true"})
