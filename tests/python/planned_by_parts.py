"""Plans whose manifests are read by tasks, without Spark: what tasks do is done here."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import floeberg as fb
from floeberg import _native
from floeberg.scan.plan import Plan


def planned_by_parts(scan: fb.Scan, most: int = 1, *, deletes_too: bool = True) -> Plan:
    """The plan of tasks that read so many manifests each, at most."""
    _, (recipe,) = scan._inner.__reduce__()
    parts = _native.plan_parts(scan._inner)

    def answers(*, deletes: bool) -> list[bytes]:
        count = len(parts.lengths(deletes))
        cuts = [*range(0, count, most), count] if count else []
        return [
            _native.read_manifests(_native.Scan._from_recipe(recipe), parts.task(deletes, *task), 1)
            for task in pairwise(cuts)
        ]

    parts.index(answers(deletes=True) if deletes_too else None)
    for answer in answers(deletes=False):
        parts.add(answer)
    return Plan(parts.finish())


def told(plan: Plan) -> dict[str, Any]:
    """All that a plan says, and what it is split into."""
    groups = plan.split(1 << 20)
    return {
        "files": plan.to_arrow().to_pylist(),
        "schema": plan.to_arrow().schema,
        "deletes": plan.delete_files(),
        "residuals": plan.residuals(),
        "explain": plan.explain(),
        "tasks": [*plan],
        "groups": [[*group] for group in groups],
    }
