"""Which options pylance gets, and what of its texts is shown."""

from __future__ import annotations

import pytest

from floeberg.lance.page_options import page_options, without_secrets


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, None),
        ({"tests.reader": "3"}, None),
        (
            {
                "io.retries": "3",
                "io.request-timeout": "1.5",
                "io.read-timeout": "2",
                "io.connect-timeout": "1e300",
            },
            {
                "client_max_retries": "3",
                "lance_aimd_max_retries": "0",
                "timeout": "1500ms",
                "read_timeout": "2000ms",
                "connect_timeout": "86400000ms",
            },
        ),
        ({"s3.request-timeout": "3", "io.request-timeout": "2"}, {"timeout": "2000ms"}),
        (
            {"s3.endpoint": "http://e", "client.access-key-id": "k", "client.session-token": "t"},
            {
                "aws_endpoint": "http://e",
                "aws_access_key_id": "k",
                "aws_session_token": "t",
                "allow_http": "true",
            },
        ),
        ({"AWS_Endpoint_URL": "https://e"}, {"aws_endpoint": "https://e"}),
        ({"s3.path-style-access": "true"}, {"aws_virtual_hosted_style_request": "false"}),
        ({"s3.path-style-access": "false"}, {"aws_virtual_hosted_style_request": "true"}),
        (
            {"s3.force-virtual-addressing": "True", "s3.path-style-access": "true"},
            {"aws_virtual_hosted_style_request": "true"},
        ),
        ({"s3.anonymous": "true"}, {"aws_skip_signature": "true"}),
        ({"s3.anonymous": "false"}, {"aws_skip_signature": "false"}),
        ({"gcs.oauth2.token": "t"}, {"google_storage_token": "t"}),
        ({"gcs.service.host": "http://h"}, {"google_base_url": "http://h", "allow_http": "true"}),
        ({"gcs.no-auth": "true"}, {"google_skip_signature": "true"}),
        (
            {"adls.account-name": "n", "adls.account-key": "k"},
            {"azure_storage_account_name": "n", "azure_storage_account_key": "k"},
        ),
        ({"adls.sas-token": "sv=1&sig=2"}, {"azure_storage_sas_key": "sv=1&sig=2"}),
        ({"azure_storage_use_emulator": "true"}, {"azure_storage_use_emulator": "true"}),
    ],
)
def test_options_have_the_names_of_pylance(given, expected) -> None:
    assert page_options(given) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("no key=topsecret here", "no key=*** here"),
        ("GET https://user:word@host/a/b?sig=topsecretlonger&x=1 failed", "GET https://host/a/b failed"),
        ("the endpoint is http://e", "the endpoint is http://e"),
        ("what? nothing", "what? nothing"),
        ("a longer one: topsecretlonger", "a longer one: ***"),
    ],
)
def test_a_text_loses_what_is_secret(text, expected) -> None:
    options = {
        "s3.secret-access-key": "topsecret",
        "s3.session-token": "topsecretlonger",
        "s3.endpoint": "http://e",
        "s3.access-key-id": "no",
    }
    assert without_secrets(text, options) == expected
