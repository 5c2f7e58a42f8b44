"""What catalogs promise of commits holds where tables are in S3: the same tests, in another place."""

from test_commits import *  # noqa: F403
