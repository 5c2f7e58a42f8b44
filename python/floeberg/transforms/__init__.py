"""What are the partition transforms, and what do they make of Arrow arrays?

Functions, `bucket` and others, transform arrays that are not in a table: to sort and to group as a table does, or to
look into its buckets. Classes, `BucketTransform` and others, are what partition specs and sort orders name.

Examples:
    >>> import pyarrow as pa
    >>> bucket(pa.array([34, None]), 16).to_pylist()
    [3, None]
    >>> str(BucketTransform(16))
    'bucket[16]'
"""

from floeberg.transforms._classes import (
    BucketTransform,
    DayTransform,
    HourTransform,
    IdentityTransform,
    MonthTransform,
    TimeTransform,
    Transform,
    TruncateTransform,
    UnknownTransform,
    VoidTransform,
    YearTransform,
    parse_transform,
)
from floeberg.transforms._functions import bucket, days, hours, months, truncate, years

__all__ = [
    "BucketTransform",
    "DayTransform",
    "HourTransform",
    "IdentityTransform",
    "MonthTransform",
    "TimeTransform",
    "Transform",
    "TruncateTransform",
    "UnknownTransform",
    "VoidTransform",
    "YearTransform",
    "bucket",
    "days",
    "hours",
    "months",
    "parse_transform",
    "truncate",
    "years",
]
