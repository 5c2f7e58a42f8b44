"""What catalogs promise of namespaces holds where tables are in an object store: the same tests, in another place."""

from test_namespaces import *  # noqa: F403
