"""What catalogs promise of new tables holds for catalogs of servers: the same tests, with other kinds."""

from test_new_tables import *  # noqa: F403
