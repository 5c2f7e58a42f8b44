"""Which options does writing data files again have?

In: texts by the names of Spark's procedure, and a sort order. Out: numbers, and how rows are sorted as JSON, which Rust
checks.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from floeberg._arguments import checked_bool, checked_options
from floeberg._new_table import sort_order_json
from floeberg._table_properties import whole_of
from floeberg.errors import InvalidInputError, UnsupportedError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from floeberg._new_table import AnySortOrder

__all__ = ["RewriteOptions", "RewriteStrategy", "read_options", "read_sort"]

RewriteStrategy = Literal["binpack", "sort"]
"""How files are written again: `binpack` joins and splits them, `sort` also sorts the rows of all files of a group."""

_TARGET = "write.target-file-size-bytes"
_NOT_SERVED = frozenset({"remove-dangling-deletes", "use-starting-sequence-number"})
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
        z_order: `var-length-contribution` and `max-output-size`, where they are given.
    """

    sizes: Mapping[str, int]
    delete_ratio: float
    all_files: bool
    output_spec_id: int | None
    job_order: str
    partial: bool
    most_commits: int
    most_failed_commits: int
    z_order: Mapping[str, int]

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
    given = dict(checked_options("options", options))
    target = _whole(given, "target-file-size-bytes", whole_of(properties, _TARGET), 1)
    least = _whole(given, "min-file-size-bytes", target * 3 // 4, 0)
    most = _whole(given, "max-file-size-bytes", target * 9 // 5, 1)
    if not least < target < most:
        raise InvalidInputError(
            "options: expected min-file-size-bytes < target-file-size-bytes < max-file-size-bytes, found "
            f"{least}, {target}, {most}"
        )
    sizes = {
        "target": target,
        "least": least,
        "most": most,
        "least_files": _whole(given, "min-input-files", 5, 1),
        "delete_files": _whole(given, "delete-file-threshold", 2**31 - 1, 1),
        "most_of_group": _whole(given, "max-file-group-size-bytes", 100 << 30, 1),
        "most_files_of_group": _whole(given, "max-file-group-input-files", _MOST, 1),
        "most_files": _whole(given, "max-files-to-rewrite", _MOST, 1),
    }
    # Groups are written one after another, each by all cores.
    _whole(given, "max-concurrent-file-group-rewrites", 5, 1)
    most_commits = _whole(given, "partial-progress.max-commits", 10, 1)
    read = RewriteOptions(
        sizes,
        _number(given, "delete-ratio-threshold", 0.3, 1),
        _flag(given, "rewrite-all"),
        _whole(given, "output-spec-id", 0, 0) if "output-spec-id" in given else None,
        given.pop("rewrite-job-order", "none"),
        _flag(given, "partial-progress.enabled"),
        most_commits,
        _whole(given, "partial-progress.max-failed-commits", most_commits, 0),
        _of_sort(given) if strategy == "sort" else {},
    )
    if refused := sorted(_NOT_SERVED.intersection(given)):
        raise UnsupportedError(f"options: {refused[0]!r} is not supported")
    if given:
        raise InvalidInputError(
            f"options: unknown option {min(given)!r} of rewrite_data_files with strategy {strategy!r}"
        )
    return read


def _of_sort(given: dict[str, str]) -> dict[str, int]:
    """The options of z-orders. The others of strategy `sort` say how Spark shuffles, and here nothing is shuffled."""
    _number(given, "compression-factor", 1, None)
    _whole(given, "shuffle-partitions-per-file", 1, 1)
    names = {"var-length-contribution": "variable-bytes", "max-output-size": "key-bytes"}
    return {key: _whole(given, name, 0, 1) for name, key in names.items() if name in given}


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


def _whole(given: dict[str, str], name: str, default: int, least: int) -> int:
    text = given.pop(name, None)
    if text is None:
        return default
    if not text.strip().isascii() or not text.strip().isdigit() or int(text) < least:
        raise InvalidInputError(
            f"options: expected a whole number of at least {least} for {name!r}, found {text!r}"
        )
    return min(int(text), _MOST)


def _number(given: dict[str, str], name: str, default: float, most: float | None) -> float:
    text = given.pop(name, None)
    if text is None:
        return default
    try:
        number = float(text)
    except ValueError:
        number = -1
    if not 0 < number <= (float("inf") if most is None else most):
        up_to = "" if most is None else f" and at most {most:g}"
        raise InvalidInputError(f"options: expected a number above 0{up_to} for {name!r}, found {text!r}")
    return number


def _flag(given: dict[str, str], name: str) -> bool:
    text = given.pop(name, "false").strip().lower()
    if text not in {"true", "false"}:
        raise InvalidInputError(f"options: expected 'true' or 'false' for {name!r}, found {text!r}")
    return text == "true"
