"""What catalogs promise of commits holds where tables are in an object store: the same tests, in another place."""

from test_commits import *  # noqa: F403
