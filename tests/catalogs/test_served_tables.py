"""What catalogs promise of tables holds for catalogs of servers: the same tests, with other kinds."""

from test_tables import *  # noqa: F403
