"""Which state of a table came from which, on which branch?

In: states, newest first, with their parents, branches and tags. Out: a list in which each state has a line of text, and
lanes beside the text that lead to its parent.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from floeberg._display import Html, escaped

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["Ref", "State", "graph", "lanes_of"]

_MOST_LANES = 6
_MOST_REFS = 3
_STEP, _EDGE, _HEIGHT, _MIDDLE = 18, 10, 48, 14


@dataclass(frozen=True)
class Ref:
    """A branch or a tag."""

    name: str
    is_tag: bool


@dataclass(frozen=True)
class State:
    """A snapshot or a version, as the graph shows it.

    Attributes:
        number: Its id.
        parent: That of its parent.
        title: What the commit did.
        facts: When, and what changed.
        refs: The branches and tags that name it.
    """

    number: int
    parent: int | None
    title: str
    facts: str
    refs: Sequence[Ref] = field(default=())


@dataclass(frozen=True)
class _Edge:
    """A way from a state down to its parent, by the places of both in the list."""

    child: int
    parent: int
    lane: int
    to_lane: int


def lanes_of(states: Sequence[State], heads: Iterable[int]) -> dict[int, int]:
    """The lane of each state: the first head and its ancestors have lane 0, and so on.

    Args:
        states: The states.
        heads: The newest states of branches, the main one first.
    """
    known = {each.number: each for each in states}
    lanes: dict[int, int] = {}
    lane = 0
    for head in (*heads, *known):
        here: int | None = head
        found = False
        while here is not None and here in known and here not in lanes:
            lanes[here], found = min(lane, _MOST_LANES - 1), True
            here = known[here].parent
        lane += found
    return lanes


def graph(states: Sequence[State], heads: Iterable[int]) -> Html:
    """The list. Lanes are a picture beside the text, which says the same: the parent stands in it."""
    lanes = lanes_of(states, heads)
    places = {each.number: place for place, each in enumerate(states)}
    edges = []
    for place, each in enumerate(states):
        if each.parent is None:
            continue
        # A parent that is not shown is below the last line.
        parent = places.get(each.parent, len(states))
        lane = lanes[each.number]
        if parent > place:
            edges.append(_Edge(place, parent, lane, lanes.get(each.parent, lane)))
    width = _STEP * (max(lanes.values(), default=0) + 1) + 4
    lines = "".join(
        _line(each, _lanes(place, lanes[each.number], edges, width)) for place, each in enumerate(states)
    )
    return Html(f'<ol class="graph">{lines}</ol>')


def _line(state: State, picture: str) -> str:
    refs = "".join(
        f'<span class="ref{" tag" if each.is_tag else ""}">{"tag " if each.is_tag else ""}{escaped(each.name)}</span>'
        for each in state.refs[:_MOST_REFS]
    )
    more = len(state.refs) - _MOST_REFS
    refs += f'<span class="ref">{more} more</span>' if more > 0 else ""
    return (
        f'<li>{picture}<div><span class="line">{refs}<strong>{escaped(state.title)}</strong></span>'
        f'<span class="line small">{escaped(state.facts)}</span></div></li>'
    )


def _lanes(place: int, lane: int, edges: Sequence[_Edge], width: int) -> str:
    """The lanes beside one line: what passes, what ends here, and what begins here."""
    drawn = []
    for each in edges:
        x, to = _x(each.lane), _x(each.to_lane)
        if each.child == place:
            path = f"M{x} {_MIDDLE}V{_HEIGHT}"
        elif each.parent == place:
            path = f"M{x} 0C{x} 9 {to} 3 {to} {_MIDDLE}"
        elif each.child < place < each.parent:
            path = f"M{x} 0V{_HEIGHT}"
        else:
            continue
        drawn.append(f'<path d="{path}" fill="none" stroke="var(--lane{each.lane})" stroke-width="2.5"/>')
    drawn.append(
        f'<circle cx="{_x(lane)}" cy="{_MIDDLE}" r="5.5" fill="var(--lane{lane})" stroke="var(--card)" '
        'stroke-width="2"/>'
    )
    return (
        f'<svg aria-hidden="true" width="{width}" height="{_HEIGHT}" viewBox="0 0 {width} {_HEIGHT}">'
        f"{''.join(drawn)}</svg>"
    )


def _x(lane: int) -> int:
    return _EDGE + _STEP * lane
