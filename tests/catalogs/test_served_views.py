"""What catalogs promise of views holds for catalogs of servers: the same tests, with other kinds."""

from test_views import *  # noqa: F403
