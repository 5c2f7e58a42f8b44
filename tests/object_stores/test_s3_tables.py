"""What catalogs promise of tables holds where tables are in S3: the same tests, in another place."""

from test_tables import *  # noqa: F403
