"""What are the partition transforms, and how do they transform Arrow arrays?

Functions such as `bucket` transform Arrow arrays: to sort and group rows as a table does, or to inspect its buckets.
Classes such as `BucketTransform` are for partition specs and sort orders.

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
