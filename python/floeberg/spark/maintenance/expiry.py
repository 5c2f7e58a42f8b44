"""How do tasks of Spark find the files that no snapshot needs any more?

In: a table before and after snapshots expired. Out: the files that only the expired snapshots needed, as without Spark.

```text
expired snapshots    their manifests, here     ->  places of files   ->  joined by Spark  ->  files that are needed
snapshots that stay  their manifests, by tasks ->  places of files   ->
```

Where few manifests have to be read, since history is one line or the table is small, this process reads them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from floeberg import _native
from floeberg.spark.maintenance.places import Places, arrow_batch, most_tasks, named_places
from floeberg.spark.session.batch_limits import frame_of_arrow
from floeberg.spark.session.task_errors import own_errors

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from floeberg.commit.operations import OpenedTable

__all__ = ["unneeded_files"]


def unneeded_files(spark: SparkSession, before: OpenedTable, after: OpenedTable) -> list[tuple[str, str]]:
    """See `Workers.unneeded_files`."""
    import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large

    expired = _native.ExpiredFiles.of(before, after)
    tasks = expired.tasks(most_tasks(spark))
    if len(tasks) < 2:  # noqa: PLR2004 - one task is no faster than this process
        return expired.unneeded()
    places = Places(dict(after.storage_options), {}, {})
    with own_errors():
        files = frame_of_arrow(spark, pa.Table.from_batches([arrow_batch(expired.places())]))
        named = named_places(spark, tasks, places)
        needed = named.join(files, ["prefix", "path"]).select("number").distinct().toArrow()
    return expired.unneeded(needed["number"].to_pylist())
