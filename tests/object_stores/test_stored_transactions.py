"""What catalogs promise of commits to several tables holds in object stores: the same tests, in another place."""

from test_transactions import *  # noqa: F403
