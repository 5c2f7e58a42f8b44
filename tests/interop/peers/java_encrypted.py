"""How does Iceberg Java read and change the encrypted tables of folders? Part of the Java peer.

In: the folder of a table, and the key file that has its keys. `days_later` lets Java believe that it is later: after
two years, Java makes a new key that encrypts keys. Out: rows, encoded; where the metadata is after a change.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any


class Encrypted:
    """Encrypted tables, by one Java machine."""

    def __init__(self, jvm: Any, values: Any, each: Callable[[Any], Iterator[Any]]) -> None:
        self._jvm, self._values, self._each = jvm, values, each
        self._iceberg = jvm.org.apache.iceberg
        self._tables = jvm.EncryptedTables

    def open(self, location: str, keys: str, days_later: int = 0) -> Any:
        """A table that can be read and written to."""
        return self._tables.open(location, keys, days_later)

    def create(self, location: str, keys: str, schema: str, spec: str, properties: dict[str, str]) -> str:
        """Make a table; where its metadata is."""
        return self._where(self._tables.create(location, keys, schema, spec, self._map(properties)))

    def read(self, location: str, keys: str, expression: str | None = None) -> list[Any]:
        """The rows, encoded."""
        table = self.open(location, keys)
        filters = self._iceberg.expressions
        wanted = filters.Expressions.alwaysTrue()
        if expression is not None:
            wanted = filters.ExpressionParser.fromJson(expression, table.schema())
        encode = self._values.encoder(table.schema().asStruct())
        return [list(encode(record).values()) for record in self._tables.rows(table, wanted)]

    def append(self, place: dict[str, Any], rows: list[dict[str, Any]]) -> str:
        """Append rows, encoded and by name."""
        table = self.open(**place)
        commit = table.newAppend()
        for partition, records in self._by_partition(table, table.schema(), rows):
            commit.appendFile(self._tables.dataFile(table, partition, records))
        commit.commit()
        return self._where(table)

    def delete_equal(self, place: dict[str, Any], rows: list[dict[str, Any]]) -> str:
        """Delete rows by equality, in a table that has no partitions."""
        table = self.open(**place)
        names = self._list(list(rows[0]))
        records = [self._values.record(table.schema().select(names).asStruct(), row) for row in rows]
        made = self._tables.equalityDeletes(table, None, names, self._list(records))
        table.newRowDelta().addDeletes(made).commit()
        return self._where(table)

    def delete_positions(self, place: dict[str, Any], positions: list[int]) -> str:
        """Delete rows by position, from each data file that has no deletes yet: a vector each."""
        table = self.open(**place)
        change = table.newRowDelta()
        for task in self._each(table.newScan().planFiles()):
            if task.deletes().isEmpty():
                change.addDeletes(self._tables.vector(table, task.file(), self._list(positions)))
        change.commit()
        return self._where(table)

    def _by_partition(self, table: Any, schema: Any, rows: list[dict[str, Any]]) -> list[tuple[Any, Any]]:
        key = self._iceberg.PartitionKey(table.spec(), schema)
        found: dict[str, tuple[Any, Any]] = {}
        for row in rows:
            record = self._values.record(schema.asStruct(), row)
            key.partition(record)
            partition = None if table.spec().isUnpartitioned() else key.copy()
            found.setdefault(key.toPath(), (partition, self._list([])))[1].add(record)
        return list(found.values())

    def _where(self, table: Any) -> str:
        table.refresh()
        return table.operations().current().metadataFileLocation()

    def _list(self, values: list[Any]) -> Any:
        made = self._jvm.java.util.ArrayList()
        for value in values:
            made.add(value)
        return made

    def _map(self, values: dict[str, str]) -> Any:
        made = self._jvm.java.util.HashMap()
        for key, value in values.items():
            made.put(key, value)
        return made

    def calls(self) -> dict[str, Callable[..., Any]]:
        """What the peer answers."""
        names = ("create", "read", "append", "delete_equal", "delete_positions")
        return {f"encrypted_{name}": getattr(self, name) for name in names}
