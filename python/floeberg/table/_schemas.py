"""Which schemas, partition specs and sort orders does a table have?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from floeberg.table._scans import TableScans
from floeberg.table.metadata import TableMetadata
from floeberg.types._from_json import read_schema, read_sort_order, read_spec

if TYPE_CHECKING:
    from floeberg.types import PartitionSpec, Schema, SortOrder

__all__ = ["TableSchemas"]


class TableSchemas(TableScans):
    """The methods of `floeberg.Table` that give schemas, partition specs and sort orders."""

    @property
    def metadata(self) -> TableMetadata:
        """What the metadata file says, by PyIceberg's names.

        Examples:
            >>> table.metadata.last_column_id, len(table.metadata.schemas)
            (3, 1)
        """
        return TableMetadata(self._metadata(), self._inner)

    def schema(self) -> Schema:
        """The schema: the current one, or that of the snapshot that the table was opened at.

        Examples:
            >>> [(field.name, str(field.field_type)) for field in table.schema().fields]
            [('id', 'long'), ('cat', 'string'), ('v', 'int')]
        """
        return self.scan().schema()

    def schemas(self) -> dict[int, Schema]:
        """All schemas by id.

        Examples:
            >>> {id: schema.column_names for id, schema in table.schemas().items()}
            {0: ['id', 'cat', 'v']}
        """
        return {each.schema_id: each for each in map(read_schema, self._metadata()["schemas"])}

    def spec(self) -> PartitionSpec:
        """The default partition spec, which new files get."""
        return self.specs()[self._metadata()["default-spec-id"]]

    def specs(self) -> dict[int, PartitionSpec]:
        """All partition specs by id.

        Examples:
            >>> table.specs()
            {0: PartitionSpec(spec_id=0)}
        """
        return {each.spec_id: each for each in map(read_spec, self._metadata()["partition-specs"])}

    def sort_order(self) -> SortOrder:
        """The default sort order, which new files get."""
        return self.sort_orders()[self._metadata()["default-sort-order-id"]]

    def sort_orders(self) -> dict[int, SortOrder]:
        """All sort orders by id."""
        return {each.order_id: each for each in map(read_sort_order, self._metadata()["sort-orders"])}
