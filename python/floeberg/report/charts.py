"""Which charts has a report?

In: rows with numbers. Out: marks and encodings of Vega-Lite. No name of a table or a column is in a chart.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["SIZES", "file_sizes", "over_time", "squares"]

SIZES = (
    ("small", "var(--warn)"),
    ("about the target", "var(--accent)"),
    ("large", "var(--lane1)"),
)
"""Classes of file sizes, with their colours."""

_UNITS = "['B','KiB','MiB','GiB','TiB','PiB','EiB']"
_OF_EXPONENT = f"pow(2, datum.value % 10) + ' ' + {_UNITS}[floor(datum.value / 10)]"
_OF_COUNTS = "datum.value < 10000 ? format(datum.value, ',.0f') : format(datum.value, '.3~s')"


def over_time(points: Sequence[Mapping[str, int]], *, is_bytes: bool = False) -> dict[str, Any]:
    """A number after each commit: it stays until the next one."""
    unit = 0
    if is_bytes:
        # In the unit of the largest, so that the steps of the axis are round.
        unit = max(0, *((each["value"].bit_length() - 1) // 10 for each in points))
    values = [{"at": each["at"], "value": each["value"] / 1024**unit} for each in points]
    x = {"field": "at", "type": "temporal", "scale": {"type": "utc"}, "axis": _axis(grid=False, ticks=4)}
    y = {
        "field": "value",
        "type": "quantitative",
        "scale": {"zero": True, "nice": True},
        "axis": _axis(
            ticks=4, labels=f"format(datum.value, ',~g') + ' ' + {_UNITS}[{unit}]" if is_bytes else _OF_COUNTS
        ),
    }
    line = {"type": "line", "interpolate": "step-after", "stroke": "var(--accent)", "strokeWidth": 2}
    area = {"type": "area", "interpolate": "step-after", "fill": "var(--soft)", "fillOpacity": 0.6}
    last = {"type": "point", "filled": True, "fill": "var(--accent)", "size": 50}
    at = {"x": x, "y": y}
    return {
        "data": {"values": values},
        "layer": [
            {"mark": area, "encoding": at},
            {"mark": line, "encoding": at},
            {"data": {"values": values[-1:]}, "mark": last, "encoding": at},
        ],
    }


def file_sizes(bins: Sequence[Mapping[str, object]], target: float) -> dict[str, Any]:
    """How many files have which size, on a scale on which each step doubles it."""
    lows = [float(str(each["low"])) for each in bins] or [target]
    low, high = min(*lows, target), max(*(each + 1 for each in lows), target)
    first, last = int(low) - 1, int(high) + 2
    step = max(1, -(-(last - first) // 6))
    x = {
        "field": "low",
        "type": "quantitative",
        "scale": {"domain": [first, last], "nice": False, "zero": False},
        "axis": {**_axis(grid=False, labels=_OF_EXPONENT), "values": list(range(first, last + 1, step))},
        "bin": "binned",
    }
    y = {
        "field": "files",
        "type": "quantitative",
        "stack": "zero",
        "axis": {**_axis(ticks=4, labels=_OF_COUNTS), "title": "files"},
    }
    names, colours = zip(*SIZES, strict=True)
    colour = {
        "field": "kind",
        "type": "nominal",
        "scale": {"domain": names, "range": colours},
        "legend": None,
    }
    return {
        "layer": [
            {
                "data": {"values": list(bins)},
                "mark": {"type": "bar", "stroke": "var(--card)", "strokeWidth": 1},
                "encoding": {"x": x, "x2": {"field": "high"}, "y": y, "color": colour},
            },
            {
                "data": {"values": [{"at": target}]},
                "mark": {"type": "rule", "stroke": "var(--ink)", "strokeDash": [4, 3], "strokeWidth": 1.5},
                "encoding": {
                    "x": {name: value for name, value in {**x, "field": "at"}.items() if name != "bin"}
                },
            },
        ]
    }


def squares(
    counts: Sequence[tuple[str, str, int]], *, across: int = 24, most: int = 240
) -> tuple[dict[str, Any], int, int]:
    """Squares in the colours of what became of things.

    Args:
        counts: What became of them, the colour, and how many.
        across: Squares in a row.
        most: Squares in all: where there are more things, a square stands for several.

    Returns:
        The chart, how many things a square stands for, and the rows of squares.
    """
    total = sum(count for _, _, count in counts)
    each = max(1, -(-total // most))
    values: list[dict[str, object]] = []
    for name, _, count in counts:
        # What is there is seen, however little it is.
        squares_of = -(-count // each)
        values += [
            {"row": place // across, "column": place % across, "kind": name}
            for place in range(len(values), len(values) + squares_of)
        ]
    rows = -(-len(values) // across)
    names = [name for name, _, _ in counts]
    colours = [colour for _, colour, _ in counts]
    chart = {
        "data": {"values": values},
        "mark": "rect",
        "encoding": {
            "x": _place("column", across),
            "y": _place("row", max(rows, 1)),
            "color": {
                "field": "kind",
                "type": "nominal",
                "scale": {"domain": names, "range": colours},
                "legend": None,
            },
        },
    }
    return chart, each, rows


def _place(field: str, places: int) -> dict[str, Any]:
    scale = {"domain": list(range(places)), "paddingInner": 0.14, "paddingOuter": 0}
    return {"field": field, "type": "ordinal", "axis": None, "scale": scale}


def _axis(*, grid: bool = True, ticks: int | None = None, labels: str | None = None) -> dict[str, Any]:
    axis: dict[str, Any] = {"title": None, "grid": grid, "domain": not grid, "ticks": not grid}
    if ticks is not None:
        axis |= {"tickCount": ticks}
    if grid:
        # Files and rows are whole.
        axis |= {"tickMinStep": 1}
    if labels is not None:
        axis["labelExpr"] = labels
    if grid:
        return axis
    return {**axis, "labelOverlap": True, "labelFlush": True}
