"""What catalogs promise where others write into them holds for those of servers: the same tests, other kinds."""

from test_strangers import (
    test_a_property_that_nobody_could_follow_is_refused_where_it_is_set,
    test_a_table_does_not_become_another_of_its_name,
)

__all__ = [
    "test_a_property_that_nobody_could_follow_is_refused_where_it_is_set",
    "test_a_table_does_not_become_another_of_its_name",
]
