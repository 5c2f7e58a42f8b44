"""Catalogs whose tables are in S3."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from catalog_kinds import Kind
from s3_kinds import BUCKET, KINDS
from s3_server import S3Server

from floeberg.catalog import Catalog


@pytest.fixture(scope="session", autouse=True)
def server(tmp_path_factory) -> Iterator[S3Server]:
    """The server, with a bucket, found as those of Amazon are: by the environment."""
    started = S3Server(tmp_path_factory.mktemp("s3") / "log")
    found_by = {
        "AWS_ENDPOINT_URL": started.url,
        "AWS_ALLOW_HTTP": "true",
        "AWS_ACCESS_KEY_ID": "nobody",
        "AWS_SECRET_ACCESS_KEY": "nothing",
        "AWS_REGION": "us-east-1",
    }
    os.environ.update(found_by)
    started.ask("PUT", BUCKET)
    yield started
    for name in found_by:
        del os.environ[name]
    started.stop()


@pytest.fixture(params=KINDS)
def kind(request) -> Kind:
    return KINDS[request.param]


@pytest.fixture
def catalog(kind, tmp_path) -> Catalog:
    return kind.new(tmp_path)
