"""How large are the files of a table, and where are they?

In: a plan and a metadata table, as Arrow. Out: cards with a chart or a table.

Invariant: files are counted by pyarrow, in bins. No object is made for a file or a partition that is not shown.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from floeberg._display import Html, bytes_shown, escaped, shown
from floeberg.report.charts import SIZES, file_sizes
from floeberg.report.drawing import figure
from floeberg.report.page import card, cards, scrolled

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pyarrow as pa

__all__ = ["bar_cell", "count_shown", "legend", "partitions_card", "sizes_cards"]

_MOST_PARTITIONS = 20


def count_shown(count: int, thing: str, things: str | None = None) -> str:
    """A number with what it counts.

    Examples:
        >>> count_shown(1, "file"), count_shown(2000, "file"), count_shown(2, "entry", "entries")
        ('1 file', '2,000 files', '2 entries')
    """
    return f"{count:,} {thing if count == 1 else things or thing + 's'}"


def legend(entries: Sequence[tuple[str, str]]) -> Html:
    """What the colours of a chart mean."""
    items = "".join(
        f'<li><i style="background:{colour}" aria-hidden="true"></i>{escaped(text)}</li>'
        for text, colour in entries
    )
    return Html(f'<ul class="legend">{items}</ul>')


def sizes_cards(sizes: pa.ChunkedArray, target: int, least: int, most: int) -> Html:
    """How many files have which size: a chart, and its numbers beside it.

    Args:
        sizes: The sizes, in bytes.
        target: What the table wants.
        least: Smaller files are small.
        most: Larger files are large.
    """
    bins = size_bins(sizes, least, most)
    counts = {name: sum(each["files"] for each in bins if each["kind"] == name) for name, _ in SIZES}
    said = (
        f"{counts['small']:,} of {count_shown(len(sizes), 'file')} are smaller than {bytes_shown(least)}, which counts "
        f"as small. The target is {bytes_shown(target)}: the dashed line."
    )
    named = ", ".join(f"{count:,} {name}" for name, count in counts.items())
    chart = figure(file_sizes(bins, math.log2(target)), f"Files by size: {named}.")
    rows = [
        (
            f"{_power(each['low'])} to {_power(each['high'])}",
            each["kind"],
            f"{each['files']:,}",
            bytes_shown(each["bytes"]),
        )
        for each in bins
    ]
    table = scrolled(("size", "which is", "files", "bytes"), rows, caption="files by size", numbers=(2, 3))
    return cards(
        card(
            f'<p class="small">{escaped(said)}</p>',
            chart,
            legend([(f"{name}: {counts[name]:,}", colour) for name, colour in SIZES]),
            title="File sizes against the target",
        ),
        card(f'<div class="dense">{table}</div>', title="File sizes in numbers"),
    )


def size_bins(sizes: pa.ChunkedArray, least: int, most: int) -> list[dict[str, Any]]:
    """Files in bins, each twice as wide as the one before, and by whether they are small or large.

    Returns:
        `low` and `high`, powers of two, `kind`, `files` and `bytes`, by size.
    """
    import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large
    import pyarrow.compute as pc  # noqa: PLC0415

    if not len(sizes):
        return []
    known = pc.max_element_wise(sizes.cast(pa.int64()), 1)
    kinds = [pa.scalar(name) for name, _ in SIZES]
    table = pa.table(
        {
            # A double has no place for the last bits of the largest sizes: a bin more or less is no matter there.
            "low": pc.floor(pc.log2(known.cast(pa.float64(), safe=False))).cast(pa.int64()),
            "kind": pc.if_else(
                pc.less(known, least), kinds[0], pc.if_else(pc.greater(known, most), kinds[2], kinds[1])
            ),
            "bytes": known.cast(pa.float64(), safe=False),
        }
    )
    found = table.group_by(["low", "kind"]).aggregate([("bytes", "sum"), ("bytes", "count")]).to_pylist()
    rows = [
        {
            "low": each["low"],
            "high": each["low"] + 1,
            "kind": each["kind"],
            "files": each["bytes_count"],
            "bytes": int(each["bytes_sum"]),
        }
        for each in found
    ]
    return sorted(rows, key=lambda each: (each["low"], each["kind"]))


def partitions_card(partitions: pa.Table, fields: Mapping[int, Sequence[str]]) -> Html:
    """The largest partitions, with their deletes.

    Args:
        partitions: The metadata table `partitions`.
        fields: The names of the partition fields of each spec.
    """
    import pyarrow.compute as pc  # noqa: PLC0415

    size = "total_data_file_size_in_bytes"
    best = pc.select_k_unstable(partitions, _MOST_PARTITIONS, [(size, "descending")])
    top = partitions.take(best)
    columns = [top[each].to_pylist() for each in (size, "file_count", "record_count")]
    largest = max(columns[0], default=0)
    deletes = [
        position + equality
        for position, equality in zip(
            top["position_delete_record_count"].to_pylist(),
            top["equality_delete_record_count"].to_pylist(),
            strict=True,
        )
    ]
    rows: list[tuple[object, ...]] = []
    for name, of_bytes, files, records, deleted in zip(
        _names_shown(top, fields), *columns, deletes, strict=True
    ):
        share = deleted / records if records > 0 else 0
        rows.append(
            (
                name,
                bar_cell(bytes_shown(of_bytes), of_bytes / largest if largest > 0 else 0),
                f"{files:,}",
                f"{records:,}",
                bar_cell(f"{deleted:,}", min(share, 1), of_deletes=True) if deleted else "0",
            )
        )
    others = partitions.num_rows - len(rows)
    if others > 0:
        total = {
            name: pc.sum(partitions[name]).as_py() - sum(known)
            for name, known in zip((size, "file_count", "record_count"), columns, strict=True)
        }
        all_deletes = (
            pc.sum(partitions["position_delete_record_count"]).as_py()
            + pc.sum(partitions["equality_delete_record_count"]).as_py()
        )
        rows.append(
            (
                f"{others:,} other partitions",
                bytes_shown(total[size]),
                f"{total['file_count']:,}",
                f"{total['record_count']:,}",
                f"{all_deletes - sum(deletes):,}",
            )
        )
    of = count_shown(partitions.num_rows, "partition")
    caption = f"the {len(top):,} largest of {of}, by bytes" if others > 0 else f"{of}, the largest first"
    heads = ("partition", "bytes", "files", "rows", "deletes")
    table = scrolled(heads, rows, caption=caption, numbers=(2, 3))
    return card(f'<div class="bars">{table}</div>', title="Partitions by bytes and deletes")


def _names_shown(partitions: pa.Table, fields: Mapping[int, Sequence[str]]) -> list[str]:
    """The values of a few partitions, with the names of their fields."""
    import pyarrow.compute as pc  # noqa: PLC0415

    if "partition" not in partitions.column_names:
        return ["all rows"] * partitions.num_rows
    # By their places: a name may look like a path.
    values = {
        each.name: _texts(pc.struct_field(partitions["partition"], [place]))
        for place, each in enumerate(partitions.schema.field("partition").type)
    }
    names = []
    for place, spec in enumerate(partitions["spec_id"].to_pylist()):
        parts = [f"{name}={values[name][place]}" for name in fields.get(spec, values) if name in values]
        names.append(shown(", ".join(parts) or "all rows"))
    return names


def _texts(values: pa.ChunkedArray) -> list[str]:
    """Values as texts, also those that Python has no type for, such as a date after the year 9999."""
    import pyarrow as pa  # noqa: PLC0415

    try:
        found = values.cast(pa.string()).to_pylist()
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        # Bytes that are no text, and types of other libraries.
        found = values.to_pylist()
    return ["null" if each is None else str(each) for each in found]


def bar_cell(text: str, share: float, *, of_deletes: bool = False) -> Html:
    """A number with a bar below it, which is as long as the share."""
    kind = "bar of-deletes" if of_deletes else "bar"
    bar = f'<span class="{kind}" style="width:{share:.1%}" aria-hidden="true"></span>' if share > 0 else ""
    return Html(f'<span class="with-bar"><span>{escaped(text)}</span><span>{bar}</span></span>')


def _power(exponent: int) -> str:
    return bytes_shown(2**exponent)
