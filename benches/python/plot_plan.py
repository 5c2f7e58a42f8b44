"""Draw what `bench_plan.py` measured: seconds to plan by the number of files, as `planning.svg` beside the README."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from xml.sax.saxutils import escape

from measure import folder

PLACE = Path(__file__).parents[1] / "planning.svg"
WIDTH, HEIGHT = 820, 460
LEFT, RIGHT, TOP, BOTTOM = 80, 230, 40, 60
COLORS = {
    "libdeflate": "#888888",
    "floeberg, warm": "#0b62a4",
    "floeberg, cold": "#6fa8dc",
    "floeberg, again": "#38a169",
    "floeberg, one day, warm": "#7a5195",
    "Iceberg Java": "#b5651d",
    "DuckDB": "#d69e2e",
    "PyIceberg": "#c53030",
}
"""What is drawn, where it was measured; the legend is in the order of the highest ends."""

Series = dict[str, dict[int, float]]


class Axes:
    """Both are logarithmic, from one power of ten to another."""

    def __init__(self, series: Series) -> None:
        """Take in all points."""
        points = [point for line in series.values() for point in line.items()]
        self.x = powers([files for files, _ in points])
        self.y = powers([seconds for _, seconds in points])

    def at(self, files: float, seconds: float) -> tuple[float, float]:
        """The place of a point."""
        x, y = share(files, self.x), share(seconds, self.y)
        return LEFT + x * (WIDTH - LEFT - RIGHT), HEIGHT - BOTTOM - y * (HEIGHT - TOP - BOTTOM)


def powers(values: list[float] | list[int]) -> range:
    """The powers of ten around them."""
    low, high = math.floor(math.log10(min(values)) + 1e-9), math.ceil(math.log10(max(values)) - 1e-9)
    return range(low, max(high, low + 1) + 1)


def share(value: float, axis: range) -> float:
    """How far along an axis."""
    return (math.log10(value) - axis[0]) / (axis[-1] - axis[0])


def drawn(series: Series) -> Iterator[str]:
    """The lines of the picture."""
    axes = Axes(series)
    box, font = f"0 0 {WIDTH} {HEIGHT}", 'font-family="sans-serif" font-size="13"'
    yield f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}" {font}>'
    yield f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>'
    yield text(LEFT, 22, "Seconds to plan a table, by its number of files (two cores, no filter unless said)")
    for power in axes.x:
        x, y = axes.at(10.0**power, 10.0 ** axes.y[0])
        yield line([(x, TOP), (x, y)], "#e2e2e2", 1)
        yield text(x, y + 20, f"{10**power:,}", anchor="middle")
    for power in axes.y:
        x, y = axes.at(10.0 ** axes.x[0], 10.0**power)
        yield line([(x, y), (WIDTH - RIGHT, y)], "#e2e2e2", 1)
        yield text(x - 8, y + 4, f"{10.0**power:g} s", anchor="end")
    yield text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 16, "files", anchor="middle")
    last = -math.inf
    for name, points in sorted(series.items(), key=lambda item: -item[1][max(item[1])]):
        places = [axes.at(files, seconds) for files, seconds in sorted(points.items())]
        yield line(places, COLORS[name], 2)
        for x, y in places:
            yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{COLORS[name]}"/>'
        # Names of lines that end close to each other stand below each other.
        last = max(places[-1][1] + 4, last + 17)
        yield text(WIDTH - RIGHT + 12, last, name, color=COLORS[name])
    yield "</svg>"


def line(places: list[tuple[float, float]], color: str, width: int) -> str:
    """A line through places."""
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    return f'<polyline points="{points}" fill="none" stroke="{color}" stroke-width="{width}"/>'


def text(x: float, y: float, words: str, *, anchor: str = "start", color: str = "#333333") -> str:
    """Words at a place."""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{color}">{escape(words)}</text>'


def main() -> None:
    """Read what was measured, and draw it."""
    seconds = json.loads((folder() / "planning.json").read_text())["seconds"]
    series = {
        name: {int(files): taken for files, taken in seconds[name].items()}
        for name in COLORS
        if name in seconds
    }
    PLACE.write_text("\n".join(drawn(series)) + "\n")
    print(PLACE)


if __name__ == "__main__":
    main()
