"""What does a filter leave out, and why?

In: what planning says of a filter, and how many files there are. Out: pictures of manifests and files, and the reasons.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from floeberg._display import Html, bytes_shown, escaped
from floeberg.report.charts import squares
from floeberg.report.drawing import figure
from floeberg.report.files import count_shown, legend
from floeberg.report.page import Part, card, cards, code, numbers_below, scrolled

if TYPE_CHECKING:
    from collections.abc import Sequence

    from floeberg.scan.explain import Explain

__all__ = ["fates_of", "pruning_part"]

_READ = ("read", "var(--accent)")
_SQUARE = 13
_MANIFESTS, _BY_PARTITION, _BY_BOUNDS = (
    "data manifests",
    "data files by partition",
    "data files by counts and bounds",
)


def fates_of(explain: Explain, files: int) -> tuple[list[tuple[str, str, int]], list[tuple[str, str, int]]]:
    """What becomes of the manifests, and of the files.

    Args:
        explain: What planning says.
        files: The data files of the snapshot.

    Returns:
        For manifests and for files: each outcome with its colour and its count. The counts add up to all of them.
    """
    stages = {each.name: each for each in explain.stages}
    manifests, partition = stages.get(_MANIFESTS), stages.get(_BY_PARTITION)
    bounds = stages.get(_BY_BOUNDS)
    of_manifests = [
        (*_READ, 0 if manifests is None else manifests.kept),
        (
            "left out by its summary",
            "var(--left0)",
            0 if manifests is None else manifests.entered - manifests.kept,
        ),
    ]
    entered = files if partition is None else partition.entered
    of_files = [
        (*_READ, explain.data_files),
        ("left out with its manifest", "var(--left0)", max(0, files - entered)),
        (
            "left out by its partition",
            "var(--left1)",
            0 if partition is None else partition.entered - partition.kept,
        ),
        (
            "left out by counts and bounds",
            "var(--left2)",
            0 if bounds is None else bounds.entered - bounds.kept,
        ),
    ]
    return of_manifests, of_files


def pruning_part(explain: Explain, files: int, size: int) -> Part:
    """The part of the report about a filter."""
    of_manifests, of_files = fates_of(explain, files)
    read = explain.data_files
    share = f"{explain.size_in_bytes / size:.1%}" if size > 0 else "0 %"
    lead = (
        f"The filter reads {read:,} of {count_shown(files, 'data file')}: {bytes_shown(explain.size_in_bytes)}, "
        f"{share} of the bytes."
    )
    reasons = [
        (stage.name, each.reason, code(each.by), each.count)
        for stage in explain.stages
        for each in stage.dropped
    ]
    blocks = [
        card(f"<p>Filter: {code(explain.filter)}</p>"),
        cards(_picture("Manifests", "manifest", of_manifests), _picture("Data files", "file", of_files)),
    ]
    if reasons:
        table = scrolled(
            ("tested", "reason", "test", "left out"), reasons, caption="why it is left out", numbers=(3,)
        )
        blocks.append(card(table, title="Reasons"))
    else:
        blocks.append(
            card(
                '<p class="small">Nothing is left out: no manifest and no file has counts that rule it out.</p>'
            )
        )
    return Part("filter", "What the filter leaves out", lead, blocks)


def _picture(title: str, thing: str, fates: Sequence[tuple[str, str, int]]) -> Html:
    there = [each for each in fates if each[2]]
    if not there:
        return card(f'<p class="small">There is no {escaped(thing)}.</p>', title=title)
    chart, each, rows = squares(there)
    label = f"{title}: {', '.join(f'{count:,} {name}' for name, _, count in there)}."
    scale = f"A square is {count_shown(each, thing)}" + ("." if each == 1 else ", or the rest of them.")
    return card(
        figure(chart, label, height=rows * _SQUARE + 4, has_text=False),
        legend([(f"{name}: {count:,}", colour) for name, colour, count in there]),
        f'<p class="small" style="margin:8px 0 0">{escaped(scale)}</p>',
        numbers_below(
            (f"{thing}s", "count"),
            [(name, count) for name, _, count in fates],
            caption=title.lower(),
            numbers=(1,),
        ),
        title=title,
    )
