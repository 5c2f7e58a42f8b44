"""Changes of the partition spec and the sort order."""

from __future__ import annotations

from typing import Any

from histories.model import ID, PART, Columns
from histories.steps import Step

ACTIONS = ("respec", "reorder")
SHARD = "bucket[2]"


def change(table: Any, step: Step, columns: Columns) -> None:
    """Adds, removes or renames a partition field, or sorts in another way."""
    names = {each.number: each.name for each in columns}
    if step.action == "reorder":
        order = table.update_sort_order()
        if step.number % 3:
            order.desc(names[ID]) if step.number % 2 else order.asc(names[PART], "truncate[1]").desc(
                names[ID]
            )
        order.commit()
        return
    fields = {field.source_id: field for field in table.spec().fields if str(field.transform) != "void"}
    update = table.update_spec()
    if step.number % 3 == 0 and ID in fields:
        name = fields[ID].name
        update.rename_field(name, "shard" if name == "buckets" else "buckets")
    elif step.number % 3 == 1:
        update.remove_field(fields[PART].name) if PART in fields else update.add_identity(names[PART])
    else:
        update.remove_field(fields[ID].name) if ID in fields else update.add_field(names[ID], SHARD)
    update.commit()
