"""What catalogs promise of strangers holds for catalogs of servers: the same tests, with other kinds."""

from test_strangers import *  # noqa: F403
