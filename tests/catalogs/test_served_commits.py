"""What catalogs promise of commits holds for catalogs of servers: the same tests, with other kinds."""

from test_commits import *  # noqa: F403
