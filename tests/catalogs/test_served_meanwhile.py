"""What catalogs promise of meanwhile holds for catalogs of servers: the same tests, with other kinds."""

from test_meanwhile import *  # noqa: F403
