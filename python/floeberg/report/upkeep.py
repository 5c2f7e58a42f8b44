"""What is to be done about a table?

In: findings of `health` and of `check`. Out: parts of the report.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, get_args

from floeberg._display import Html, bytes_shown, escaped, shown
from floeberg.checking.finding import Severity
from floeberg.report.files import count_shown
from floeberg.report.page import Part, card, code, scrolled

if TYPE_CHECKING:
    from collections.abc import Sequence

    from floeberg.checking import Check
    from floeberg.maintenance import TableHealth

__all__ = ["Point", "check_part", "health_part", "points_of"]

_MOST_RULES = 50
_REMOVALS = ("expire_snapshots", "remove_orphan_files")
_MARKS = {"wrong-data": "bad", "engines-fail": "bad", "slow": "warn", "cosmetic": ""}


@dataclass(frozen=True)
class Point:
    """A point of the health of a table.

    Attributes:
        name: What it is.
        found: What was found, with the threshold.
        is_due: Whether something is to be done.
        call: The call that mends it.
        cost: What the call costs.
    """

    name: str
    found: str
    is_due: bool
    call: str | None = None
    cost: str | None = None


def points_of(health: TableHealth) -> list[Point]:
    """The points of an Iceberg table."""
    points = []
    for each in health.findings:
        of = "" if each.of is None else f" of {each.of:,.0f}"
        call = cost = None
        if each.is_due and each.call is not None:
            given = dict(each.call.arguments)
            if each.call.procedure in _REMOVALS:
                # Without it, an expiry only begins, and waits for its `commit`.
                given["dry_run"] = False
            arguments = ", ".join(f"{name}={value!r}" for name, value in given.items())
            call = f"table.maintenance.{each.call.procedure}({arguments})"
            size = f", {bytes_shown(each.call.bytes)} written again" if each.call.bytes else ""
            cost = f"{each.call.files:,} of them{size}"
        points.append(Point(each.name, f"{each.value:,g}{of} ({each.threshold})", each.is_due, call, cost))
    return points


def health_part(points: Sequence[Point]) -> Part:
    """The part of the report about health: what is due first, and what is fine in a list below."""
    due = [each for each in points if each.is_due]
    fine = [each for each in points if not each.is_due]
    lead = (
        f"{count_shown(len(due), 'point')} of {len(points)} {'is' if len(due) == 1 else 'are'} worth a call."
        if due
        else f"Nothing is due: {count_shown(len(fine), 'point')} looked at."
    )
    blocks = []
    if due:
        blocks.append(card(f'<ul class="points">{"".join(map(_due, due))}</ul>'))
    if fine:
        rows = [(each.name, each.found) for each in fine]
        table = scrolled(("looked at", "found"), rows, caption="points that are fine")
        count = count_shown(len(fine), "point")
        blocks.append(card(f"<details><summary>{count} that need nothing</summary>{table}</details>"))
    return Part("health", "Health", lead, blocks)


def _due(point: Point) -> Html:
    mended = "" if point.call is None else f"<br>{code(point.call)} "
    cost = "" if point.cost is None else f'<span class="small">{escaped(point.cost)}</span>'
    return Html(
        f'<li><span class="mark warn">due</span> <strong>{escaped(point.name)}</strong>: '
        f"{escaped(point.found)}{mended}{cost}</li>"
    )


def check_part(check: Check, level: str) -> Part:
    """The part of the report about findings, by rule: counted by pyarrow, with one example each."""
    rows = _rules_broken(check)
    lead = f"Checked at the level {level}: "
    if not rows:
        mark = Html(
            '<p style="margin:0"><span class="mark good">sound</span> No rule of the specification is broken.</p>'
        )
        return Part("findings", "Findings of the check", lead + "no finding.", [card(mark)])
    total = sum(each["message_count"] for each in rows)
    shown_rows = [
        (
            Html(f'<span class="mark {_MARKS.get(each["severity"], "")}">{escaped(each["severity"])}</span>'),
            each["rule"],
            f"{each['message_count']:,}",
            Html(
                f'{escaped(each["message_first"])}<br><span class="small">{escaped(each["location_first"])}</span>'
            ),
            "" if each["repair_first"] is None else code(shown(each["repair_first"])),
        )
        for each in rows[:_MOST_RULES]
    ]
    left = len(rows) - len(shown_rows)
    caption = "broken rules, the worst first, each with one finding" + (
        f"; {left} more rules" if left > 0 else ""
    )
    table = scrolled(
        ("severity", "rule", "findings", "for example", "mended by"),
        shown_rows,
        caption=caption,
        numbers=(2,),
    )
    return Part(
        "findings",
        "Findings of the check",
        f"{lead}{count_shown(total, 'finding')} of {count_shown(len(rows), 'rule')}.",
        [card(table)],
    )


def _rules_broken(check: Check) -> list[dict[str, Any]]:
    found = check.to_arrow().select(["rule", "severity", "message", "location", "repair"])
    grouped = found.group_by(["rule", "severity"], use_threads=False).aggregate(
        [("message", "count"), ("message", "first"), ("location", "first"), ("repair", "first")]
    )
    severities = get_args(Severity)
    return sorted(grouped.to_pylist(), key=lambda each: (severities.index(each["severity"]), each["rule"]))
