"""What catalogs promise of views holds for catalogs of servers: the same tests, with other kinds."""

import pytest
import served_kinds

from test_views import *  # noqa: F403

# Of kinds without views, which the servers are not.
del test_catalogs_without_views_say_what_to_use  # noqa: F821


@pytest.fixture(params=[name for name, kind in served_kinds.KINDS.items() if kind.views])
def kind(request):
    return served_kinds.KINDS[request.param]
