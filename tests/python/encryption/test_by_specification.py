"""Does the reader of these tests, which knows the specification alone, read what Iceberg Java encrypted?"""

from __future__ import annotations

import shutil

import pytest

from encryption.by_specification import Opened
from encryption.java_tables import NAMES, java_table

COLUMNS = ["id", "secret_name", "amount"]


@pytest.mark.parametrize("name", [*NAMES, "middle_keys"])
def test_java_tables_are_read_at_each_state(name, tmp_path):
    table = java_table(name, tmp_path)
    for metadata_file, rows in table.states():
        found = Opened(metadata_file, table.key_file, table.relocate)
        assert sorted(found.rows(COLUMNS)) == rows
        # No key and no prefix is used twice.
        assert len({each.key for each in found.keys.values()}) == len(found.keys)
        assert len({each.aad_prefix for each in found.keys.values()}) == len(found.keys)


def test_a_file_that_was_swapped_is_not_read(tmp_path):
    """The reader would notice a writer that does not bind blocks to files."""
    table = java_table("avro", tmp_path)
    shutil.copytree(table.folder, tmp_path / "table")
    one, other = sorted((tmp_path / "table" / "data").glob("*.avro"))[:2]
    content = one.read_bytes()
    one.write_bytes(other.read_bytes())
    other.write_bytes(content)
    metadata_file = tmp_path / "table" / table.states()[-1][0].relative_to(table.folder)
    found = Opened(metadata_file, table.key_file, {table.expected["original_dir"]: str(tmp_path / "table")})
    with pytest.raises(Exception, match=r"^$|the key says"):
        found.rows(COLUMNS)
