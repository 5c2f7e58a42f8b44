"""What catalogs promise of namespaces holds where each request needs a token: the same tests, with another kind."""

import pytest
from served_kinds import WITH_TOKENS
from test_namespaces import *  # noqa: F403

import floeberg as fb
from floeberg.errors import PermissionDeniedError


@pytest.fixture
def kind():
    return WITH_TOKENS


def test_without_a_credential_nothing_is_shown(catalog):
    with pytest.raises(PermissionDeniedError, match="401"):
        fb.load_catalog("nobody", type="rest", uri=catalog.properties["uri"])
