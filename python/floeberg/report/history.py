"""How did a table come to what it is?

In: snapshots of an Iceberg table, as objects and as Arrow. Out: the states of the graph, and points over time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from floeberg._display import Html, bytes_shown, moment_shown, shown
from floeberg.report.charts import over_time
from floeberg.report.drawing import figure
from floeberg.report.files import count_shown
from floeberg.report.graph import Ref, State, graph
from floeberg.report.page import Part, card, cards, numbers_below
from floeberg.types._snapshots import ancestors

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping, Sequence

    import pyarrow as pa

    from floeberg.types import Snapshot, SnapshotRef

__all__ = ["MOST_STATES", "chosen_states", "growth_cards", "history_part", "points_over_time", "states_of"]

MOST_STATES = 25
_MOST_REFS = 15
_MOST_POINTS = 300
_LONGEST = 18
_COUNTS = (("added-records", "+{}"), ("deleted-records", "\N{MINUS SIGN}{}"))


def chosen_states(snapshots: Sequence[Snapshot], refs: Mapping[str, SnapshotRef]) -> list[Snapshot]:
    """The snapshots that the graph shows: the newest, and those of branches and tags. The newest is first."""
    newest = sorted(snapshots, key=lambda each: (each.timestamp_ms, each.sequence_number), reverse=True)
    named = {each.snapshot_id for each in list(refs.values())[:_MOST_REFS]}
    return [each for place, each in enumerate(newest) if place < MOST_STATES or each.snapshot_id in named]


def states_of(
    snapshots: Sequence[Snapshot], all_of: Iterable[Snapshot], refs: Mapping[str, SnapshotRef]
) -> list[State]:
    """Some of the snapshots, as the graph shows them: each leads to the nearest ancestor that is shown."""
    parents = {each.snapshot_id: each.parent_snapshot_id for each in all_of}
    here = {each.snapshot_id for each in snapshots}
    named: dict[int, list[Ref]] = {}
    for name, ref in refs.items():
        named.setdefault(ref.snapshot_id, []).append(Ref(name, ref.snapshot_ref_type == "tag"))
    states = []
    for each in snapshots:
        changed = [text.format(_number(each.summary[key])) for key, text in _COUNTS if key in each.summary]
        facts = [moment_shown(each.timestamp_ms)[:19]]
        if changed:
            facts.append(f"{' '.join(changed)} rows")
        if "total-records" in each.summary:
            facts.append(f"{_number(each.summary['total-records'])} in all")
        facts.append(f"id {each.snapshot_id}")
        if each.parent_snapshot_id is not None:
            facts.append(f"after {each.parent_snapshot_id}")
        states.append(
            State(
                each.snapshot_id,
                _nearest(each.parent_snapshot_id, here, parents),
                each.operation or "unknown operation",
                " \N{MIDDLE DOT} ".join(facts),
                named.get(each.snapshot_id, ()),
            )
        )
    return states


def _nearest(ancestor: int | None, here: Container[int], parents: Mapping[int, int | None]) -> int | None:
    """The first ancestor that is shown, or the last that is known. A circle of parents ends where it is whole."""
    seen: set[int] = set()
    while ancestor is not None and ancestor not in here and ancestor not in seen:
        seen.add(ancestor)
        older = parents.get(ancestor)
        if older is None:
            break
        ancestor = older
    return ancestor


def history_part(states: Sequence[State], total: int, heads: Iterable[int], growth: str, thing: str) -> Part:
    """The part of the report about history.

    Args:
        states: The states that are shown, the newest first.
        total: How many there are.
        heads: The newest states of branches, the main one first.
        growth: What stands above the graph.
        thing: `snapshot` or `version`.
    """
    if not total:
        return Part("history", "History", f"The table has no {thing} yet.")
    left = total - len(states)
    lead = f"{count_shown(total, thing)}. Times are those of UTC."
    if left > 0:
        lead += (
            f" The graph shows {len(states):,}: the newest, and those of branches and tags. "
            f"{left:,} others are left out."
        )
    title = f"{thing.capitalize()}s, branches and tags"
    return Part("history", "History", lead, [Html(growth), card(graph(states, heads), title=title)])


def points_over_time(snapshots: pa.Table, kept: Iterable[int], key: str) -> list[dict[str, int]]:
    """A count of the summaries over time, of some of the snapshots. Where there are many, some are left out.

    Args:
        snapshots: The metadata table `snapshots`.
        kept: The ids of the snapshots.
        key: The count, such as `total-records`.

    Returns:
        `at`, in milliseconds, and `value`.
    """
    import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large
    import pyarrow.compute as pc  # noqa: PLC0415

    ids = pa.array(list(kept), pa.int64())
    rows = snapshots.filter(pc.is_in(snapshots["snapshot_id"], ids))
    texts = pc.map_lookup(rows["summary"], pa.scalar(key), "first")
    # Summaries are texts of others: what is no number is left out.
    is_number = pc.fill_null(pc.match_substring_regex(texts, f"^[0-9]{{1,{_LONGEST}}}$"), False)
    values = pc.if_else(is_number, texts, pa.scalar(None, pa.string())).cast(pa.int64())
    moments = rows["committed_at"].cast(pa.timestamp("ms", "UTC"), safe=False).cast(pa.int64())
    points = pa.table({"at": moments, "value": values}).drop_null().sort_by("at")
    step = -(-points.num_rows // _MOST_POINTS) or 1
    if step > 1:
        chosen = sorted({*range(0, points.num_rows, step), points.num_rows - 1})
        points = points.take(chosen)
    found: list[dict[str, int]] = points.to_pylist()
    return found


def growth_cards(snapshots: pa.Table, all_of: Sequence[Snapshot], current: int | None) -> Html:
    """Rows and bytes over time, of the current snapshot and its ancestors."""
    line = [each.snapshot_id for each in ancestors(all_of, current)]
    drawn = []
    for key, title, form in (
        ("total-records", "Rows over time", lambda value: f"{value:,}"),
        ("total-files-size", "Bytes over time", bytes_shown),
    ):
        points = points_over_time(snapshots, line, key)
        if not points:
            drawn.append(card(f'<p class="small">No snapshot says {key} in its summary.</p>', title=title))
            continue
        first, last = points[0], points[-1]
        label = (
            f"{title}: {form(first['value'])} at {moment_shown(first['at'])}, "
            f"{form(last['value'])} at {moment_shown(last['at'])}."
        )
        chart = figure(over_time(points, is_bytes=key == "total-files-size"), label)
        rows = [(moment_shown(each["at"])[:19], form(each["value"])) for each in points[-MOST_STATES:]]
        few = f", the last {len(rows)} of {len(points)} in the chart" if len(points) > len(rows) else ""
        named = title.lower() + few
        below = numbers_below(("committed", title.split()[0].lower()), rows, caption=named, numbers=(1,))
        drawn.append(card(chart, below, title=title))
    return cards(*drawn)


def _number(text: Any) -> str:  # noqa: ANN401 - a text of a summary
    """A count of a summary, which should be a number."""
    known = str(text)
    return (
        f"{int(known):,}" if known.isascii() and known.isdigit() and len(known) <= _LONGEST else shown(known)
    )
