"""What do partition transforms make of Arrow arrays?

The transforms of the table format, for arrays that are not in a table: to sort and to group as a table does, or to look
into its buckets.

Examples:
    >>> import pyarrow as pa
    >>> bucket(pa.array([34, None]), 16).to_pylist()
    [3, None]
"""

from floeberg.transforms._functions import bucket, days, hours, months, truncate, years

__all__ = ["bucket", "days", "hours", "months", "truncate", "years"]
