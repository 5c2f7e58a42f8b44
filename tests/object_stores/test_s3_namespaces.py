"""What catalogs promise of namespaces holds where tables are in S3: the same tests, in another place."""

from test_namespaces import *  # noqa: F403
