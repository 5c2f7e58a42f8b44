"""Which options does writing data files again have?

In: texts by the names of Spark's procedure, and a sort order. Out: numbers, and how rows are sorted as JSON, which Rust
checks.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from floeberg._arguments import checked_bool
from floeberg._new_table import sort_order_json
from floeberg._table_properties import whole_of
from floeberg.errors import InvalidInputError
from floeberg.maintenance.options import ProcedureOptions

if TYPE_CHECKING:
    from collections.abc import Mapping

    from floeberg._new_table import AnySortOrder

__all__ = ["RewriteOptions", "RewriteStrategy", "read_options", "read_sort"]

RewriteStrategy = Literal["binpack", "sort"]
"""How files are written again: `binpack` joins and splits them, `sort` also sorts the rows of all files of a group."""

_TARGET = "write.target-file-size-bytes"
_AT_ONCE = "max-concurrent-file-group-rewrites"
_MOST = 2**62


@dataclass(frozen=True)
class RewriteOptions:
    """The options of Spark's procedure. `read_options` has its defaults.

    Attributes:
        sizes: How large files and groups are, and how many: those that Rust's `Sizes` has.
        delete_ratio: `delete-ratio-threshold`.
        all_files: `rewrite-all`.
        output_spec_id: `output-spec-id`; by default, that of the table.
        job_order: `rewrite-job-order`.
        partial: `partial-progress.enabled`.
        most_commits: `partial-progress.max-commits`.
        most_failed_commits: `partial-progress.max-failed-commits`; by default, all.
        remove_dangling_deletes: `remove-dangling-deletes`.
        z_order: `var-length-contribution` and `max-output-size`, where they are given.
        most_groups_at_once: `max-concurrent-file-group-rewrites`, where it is given.
        encode_all_rows: `encode-all-rows`, which Spark does not have: no row group is copied as it is stored.
        compression_factor: `compression-factor`: the bytes of new files for one byte of the old ones.
    """

    sizes: Mapping[str, int]
    delete_ratio: float
    all_files: bool
    output_spec_id: int | None
    job_order: str
    partial: bool
    most_commits: int
    most_failed_commits: int
    remove_dangling_deletes: bool
    z_order: Mapping[str, int]
    most_groups_at_once: int | None = None
    compression_factor: float = 1.0
    encode_all_rows: bool = False

    @property
    def target(self) -> int:
        """The size of new files, in bytes."""
        return self.sizes["target"]


def read_options(
    options: Mapping[str, str] | None, properties: Mapping[str, str], strategy: RewriteStrategy = "binpack"
) -> RewriteOptions:
    """Reads options, all of them texts.

    Raises:
        InvalidInputError: An option does not exist, or not for the strategy, has another type, or sizes contradict each
            other.
        UnsupportedError: An option of Spark's procedure is not supported.
    """
    given = ProcedureOptions(f"rewrite_data_files with strategy {strategy!r}", options)
    sizes = {
        **given.sizes(whole_of(properties, _TARGET)),
        "delete_files": given.size("delete-file-threshold", 2**31 - 1, 1),
        "most_files_of_group": given.size("max-file-group-input-files", _MOST, 1),
        "most_files": given.size("max-files-to-rewrite", _MOST, 1),
    }
    # Without Spark, groups are written one after another, each by all cores.
    most_at_once = given.size(_AT_ONCE, 1, 1) if given.has(_AT_ONCE) else None
    most_commits = given.size("partial-progress.max-commits", 10, 1)
    read = RewriteOptions(
        sizes,
        given.number("delete-ratio-threshold", 0.3, 1),
        given.flag("rewrite-all"),
        given.size("output-spec-id", 0, 0) if given.has("output-spec-id") else None,
        given.text("rewrite-job-order", "none"),
        given.flag("partial-progress.enabled"),
        most_commits,
        given.size("partial-progress.max-failed-commits", most_commits, 0),
        given.flag("remove-dangling-deletes"),
        _of_z_order(given) if strategy == "sort" else {},
        most_at_once,
        _compression(given) if strategy == "sort" else 1.0,
        given.flag("encode-all-rows"),
    )
    given.end(("use-starting-sequence-number",))
    return read


def _of_z_order(given: ProcedureOptions) -> dict[str, int]:
    """The options of z-orders."""
    names = {"var-length-contribution": "variable-bytes", "max-output-size": "key-bytes"}
    return {key: given.size(name, 0, 1) for name, key in names.items() if given.has(name)}


def _compression(given: ProcedureOptions) -> float:
    """`compression-factor`. A task sorts rows of any size, so that a file needs no more than one of them."""
    given.size("shuffle-partitions-per-file", 1, 1)
    return given.number("compression-factor", 1)


def read_sort(
    strategy: object, sort_order: AnySortOrder | str, *, case_sensitive: bool
) -> tuple[RewriteStrategy, dict[str, Any] | None]:
    """The strategy, and how rows are sorted, as JSON. A sort order alone means `sort`, as with Spark's procedure.

    Raises:
        InvalidInputError: There is no such strategy, or it is `binpack` and a sort order is given; the sort order has
            another form.
    """
    found = ("binpack" if sort_order is None else "sort") if strategy is None else strategy
    if found == "binpack" and sort_order is None:
        return "binpack", None
    if found == "binpack":
        raise InvalidInputError("sort_order: expected none with strategy 'binpack', which does not sort")
    if found != "sort":
        raise InvalidInputError(f"strategy: expected 'binpack' or 'sort', found {found!r}")
    order: Any = None
    if sort_order is not None:
        order = sort_order if isinstance(sort_order, str) else json.loads(sort_order_json(sort_order))
    return "sort", {"order": order, "case-sensitive": checked_bool("case_sensitive", case_sensitive)}
