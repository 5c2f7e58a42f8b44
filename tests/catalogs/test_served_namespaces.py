"""What catalogs promise of namespaces holds for catalogs of servers: the same tests, with other kinds."""

from test_namespaces import *  # noqa: F403
