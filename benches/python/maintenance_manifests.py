"""What is measured of manifests that are written again: the table to plan is as before after each run."""

from __future__ import annotations

from pathlib import Path


def floeberg_plan(location: str) -> int:
    """Plan all files."""
    import floeberg as fb

    return len(fb.open_table(location).scan().plan_files())


def floeberg_rewrite_manifests(location: str) -> int:
    """Cluster all files by the bucket, and remove what that wrote."""
    import floeberg as fb

    folder = Path(location, "metadata")
    before = set(folder.iterdir())
    table = fb.open_table(location)
    done = table.maintenance.rewrite_manifests(sort_by=["id_bucket"])
    assert done.rewritten_manifests_count > done.added_manifests_count > 0
    files = int(table.current_snapshot().summary["entries-processed"])
    for each in set(folder.iterdir()) - before:
        each.unlink()
    return files
