"""What catalogs promise of tables holds where tables are in an object store: the same tests, in another place."""

from test_tables import *  # noqa: F403
