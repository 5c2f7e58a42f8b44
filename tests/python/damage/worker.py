"""Damage files and read, in a process whose memory is limited.

    python -m damage.worker FOLDER FIRST LAST STEP

works off the seeds FIRST, FIRST + STEP, .. below LAST, with copies of tables in FOLDER, and prints a line of JSON for
each: before it, so that a crash can be named, and after it with the outcome.
"""

from __future__ import annotations

import json
import resource
import shutil
import sys
from collections import defaultdict
from pathlib import Path
from random import Random
from typing import Any

import floeberg as fb
from corpus import Case, cases, checksum, encode, known_failures
from damage.kinds import DAMAGES, LOSSES, Damage
from damage.targets import CHECKED, LEAVES, Target, targets
from floeberg import errors

ADDRESS_SPACE = 6 << 30
MOST_ROWS = 100


def peak_mb() -> int:
    """The most memory that this process had: `ru_maxrss` begins with that of the process which started it."""
    status = Path("/proc/self/status")
    if not status.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    (line,) = (line for line in status.read_text().splitlines() if line.startswith("VmHWM:"))
    return int(line.split()[1]) // 1024


def usable() -> dict[str, list[tuple[Case, Target]]]:
    """What there is to damage by kind of file, in the cases that can be read today."""
    failing = {case for case, _ in known_failures()}
    found: dict[str, list[tuple[Case, Target]]] = defaultdict(list)
    for case in cases():
        if case.is_view or case.name in failing or not 0 < case.expected["row_count"] <= MOST_ROWS:
            continue
        for target in targets(case):
            found[target.kind].append((case, target))
    return found


def outcome(case: Case, table: Path, target: Target, damage: Damage) -> str:
    """Read a damaged table: `right`, `error` or `differs`, or what must not happen."""
    relocate = {case.expected["original_dir"]: str(table)}
    try:
        opened = fb.open_table(table / case.expected["metadata_file"], relocate=relocate)
        rows = opened.scan().to_arrow()
        rows.validate(full=True)
        plan_with_filter(opened, case, target)
    except fb.FloebergError as error:
        said = " ".join([str(error), *getattr(error, "__notes__", [])])
        if error.kind == "internal":
            return f"internal error: {said}"
        if not names_a_file(said, table, target):
            return f"an error that names no file: {type(error).__name__}: {said}"
        return "error"
    except Exception as error:  # noqa: BLE001 - any is a fault
        return f"foreign exception {type(error).__name__}: {error}"
    except BaseException as error:  # noqa: BLE001 - so is a panic
        return f"panic {type(error).__name__}: {error}"
    try:
        right = (
            rows.column_names == case.expected["columns"]
            and checksum(encode(rows)) == case.expected["checksum"]
        )
    except (ValueError, OverflowError):  # A date that Python's calendar does not have.
        right = False
    if right:
        return "right"
    if target.kind in CHECKED or damage in LOSSES:
        return "wrong rows, although the damage can be noticed"
    return "differs"


def plan_with_filter(opened: fb.Table, case: Case, target: Target) -> None:
    """Plan through a filter; damaged metadata may be another valid schema, without the filter's column."""
    try:
        opened.scan(row_filter=first_filter(case)).plan_files().to_arrow().validate(full=True)
    except errors.InvalidInputError:
        if target.kind != "metadata":
            raise


def first_filter(case: Case) -> Any:
    """A filter that the table's schema still knows."""
    expressions = [each["expression"] for each in case.expected["filters"] if each.get("expression")]
    return fb.expressions.from_json(expressions[0]) if expressions else True


def names_a_file(said: str, table: Path, target: Target) -> bool:
    """Whether an error says where it is: in the damaged file, or in one that metadata or a manifest then leads to."""
    if target.kind in LEAVES:
        return target.path.name in said
    return str(table) in said or any(suffix in said for suffix in (".json", ".avro", ".parquet", ".puffin"))


def main(folder: Path, first: int, last: int, step: int) -> None:
    """Work off seeds."""
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
    tables = usable()
    for seed in range(first, last, step):
        random = Random(seed)
        case, target = random.choice(tables[random.choice(sorted(tables))])
        damage = random.choice(DAMAGES)
        table = folder / case.name.replace("/", "-")
        if not table.exists():
            shutil.copytree(case.folder / "table", table)
        file = table / target.path
        whole = file.read_bytes()
        what = {
            "seed": seed,
            "case": case.name,
            "kind": target.kind,
            "damage": damage.__name__,
            "file": str(target.path),
        }
        print(json.dumps(what), flush=True)  # noqa: T201 - this is the answer
        changed = damage(random, whole)
        try:
            if changed is None:
                file.unlink()
            else:
                file.write_bytes(changed)
            found = outcome(case, table, target, damage)
        finally:
            file.write_bytes(whole)
        answer = what | {"outcome": found, "same": changed == whole, "peak_mb": peak_mb()}
        print(json.dumps(answer), flush=True)  # noqa: T201 - this is the answer


if __name__ == "__main__":
    main(Path(sys.argv[1]), *map(int, sys.argv[2:5]))
