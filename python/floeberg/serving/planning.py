"""How does a server answer about plans of scans?

In: a `PlanTableScanRequest`. Out: the tasks of the plan that the library makes, without column statistics. A plan that
takes long is answered by its id, and a large one in pages: plan tasks. Only files below the warehouse, or below the
table, are named: a manifest may name others.
Spec: REST catalog specification, `PlanTableScanRequest`, `PlanTableScanResult`, `FetchPlanningResult`,
`FetchScanTasksRequest`.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from floeberg.errors import InvalidInputError, UnsupportedError
from floeberg.expressions import ALWAYS_TRUE, from_json
from floeberg.serving.answers import done, json_answer
from floeberg.serving.manifests import check_manifests
from floeberg.serving.names import decoded, table_in
from floeberg.serving.plan_pages import PlannedScan
from floeberg.serving.plans import no_plan
from floeberg.serving.refusals import answer_to
from floeberg.table import Table

if TYPE_CHECKING:
    from starlette.responses import Response

    from floeberg.scan.scan import Scan
    from floeberg.serving.plans import KeptPlan
    from floeberg.serving.served import Asked

__all__ = ["cancel_plan", "fetch_plan", "fetch_tasks", "plan_scan"]


def plan_scan(asked: Asked) -> Response:
    """Begins a plan. One that is made soon, and has few tasks, is answered whole and not kept."""
    identifier = table_in(asked.path)
    operations = asked.catalog.table_operations(identifier)
    table = Table(asked.served.load(identifier), operations=operations, listed=(asked.catalog, identifier))
    scan = _scan(table, asked.body)
    is_incremental = asked.body.get("start-snapshot-id") is not None

    def make() -> PlannedScan:
        if any(name.startswith("encryption.") for name in table.properties):
            raise UnsupportedError("the table is encrypted: its clients plan scans themselves")
        check_manifests(asked, table, None if is_incremental else scan.snapshot_id)
        return PlannedScan(table, scan)

    plans = asked.served.plans
    kept = plans.begin(identifier, make)
    if kept.error is not None:
        plans.drop(identifier, kept.plan_id)
        raise kept.error
    is_whole = kept.made is not None and len(kept.made) <= asked.served.limits.plan_tasks
    if is_whole:
        plans.drop(identifier, kept.plan_id)
    members = {} if is_whole else {"plan-id": kept.plan_id}
    return json_answer({**_state(asked, kept), **members})


def fetch_plan(asked: Asked) -> Response:
    """How far a plan is, and its first tasks."""
    kept = asked.served.plans.find(table_in(asked.path), decoded(asked.path["plan_id"]))
    return json_answer(_state(asked, kept))


def cancel_plan(asked: Asked) -> Response:
    """Forgets a plan."""
    asked.served.plans.drop(table_in(asked.path), decoded(asked.path["plan_id"]))
    return done()


def fetch_tasks(asked: Asked) -> Response:
    """The tasks of a page of a plan."""
    text = asked.body.get("plan-task")
    if not isinstance(text, str):
        raise InvalidInputError("expected a text as 'plan-task'")
    plan_id, _, page = text.rpartition(".")
    kept = asked.served.plans.find(table_in(asked.path), plan_id)
    most = asked.served.limits.plan_tasks
    is_number = page.isascii() and page.isdigit() and len(page) < _DIGITS
    if kept.made is None or not is_number or not 0 < int(page) * most < len(kept.made):
        raise no_plan("NoSuchPlanTaskException", "plan task")
    return json_answer(kept.made.page(int(page) * most, most))


_DIGITS = 10


def _state(asked: Asked, kept: KeptPlan) -> dict[str, Any]:
    """What is said of a plan."""
    if kept.error is not None:
        return {"status": "failed", **json.loads(bytes(answer_to(kept.error).body))}
    if kept.made is None:
        return {"status": "cancelled" if kept.is_cancelled else "submitted"}
    most = asked.served.limits.plan_tasks
    pages = -(-len(kept.made) // most)
    more = {"plan-tasks": [f"{kept.plan_id}.{page}" for page in range(1, pages)]} if pages > 1 else {}
    return {"status": "completed", **kept.made.page(0, most), **more}


def _scan(table: Table, body: dict[str, Any]) -> Scan:
    """The scan that a request describes."""
    numbers = [body.get(f"{each}snapshot-id") for each in ("", "start-", "end-")]
    for each in numbers:
        if each is not None and (not isinstance(each, int) or isinstance(each, bool)):
            raise InvalidInputError("expected whole numbers as ids of snapshots")
    chosen, start, end = numbers
    select = body.get("select")
    if select is not None and (
        not isinstance(select, list) or not all(isinstance(one, str) for one in select)
    ):
        raise InvalidInputError("expected a list of names as 'select'")
    columns = ("*",) if select is None else tuple(select)
    wanted = ALWAYS_TRUE if body.get("filter") is None else from_json(body["filter"])
    is_exact = body.get("case-sensitive") is not False
    if start is None and end is None:
        scan = table.scan(wanted, columns, is_exact, snapshot_id=chosen)
    elif chosen is not None or start is None or end is None:
        raise InvalidInputError("expected either snapshot-id, or both start-snapshot-id and end-snapshot-id")
    else:
        scan = table.incremental_append_scan(
            from_snapshot_id_exclusive=start,
            to_snapshot_id_inclusive=end,
            row_filter=wanted,
            selected_fields=columns,
            case_sensitive=is_exact,
        )
    return scan
