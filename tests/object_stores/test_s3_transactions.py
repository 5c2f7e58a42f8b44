"""What catalogs promise of commits to several tables holds where tables are in S3: the same tests, in another place."""

from test_transactions import *  # noqa: F403
