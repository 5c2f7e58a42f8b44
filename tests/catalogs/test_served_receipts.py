"""What catalogs promise of receipts holds for catalogs of servers: the same tests, with other kinds."""

from test_receipts import *  # noqa: F403
