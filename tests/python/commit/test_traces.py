"""Is an attempt of unknown outcome certainly not in a table that does not show it?"""

from __future__ import annotations

import json
from types import SimpleNamespace

import pytest

from floeberg.commit.progress import Progress, UntraceableError


def snapshots(*parents):
    return [{"snapshot-id": own} | ({} if of is None else {"parent-snapshot-id": of}) for own, of in parents]


def table(location, head, *parents, log=()):
    metadata = {
        "snapshots": snapshots(*parents),
        "refs": {} if head is None else {"main": {"snapshot-id": head, "type": "branch"}},
        "metadata-log": [{"metadata-file": each} for each in log],
    }
    return SimpleNamespace(metadata_location=location, metadata_json=lambda: json.dumps(metadata))


def progress(base, *, made_on, writes_metadata=False):
    metadata = {
        "snapshots": snapshots((7, made_on)),
        "refs": {"main": {"snapshot-id": 7, "type": "branch"}},
    }
    attempt = SimpleNamespace(snapshot_id=7, metadata_json=json.dumps(metadata))
    operations = SimpleNamespace(writes_metadata=writes_metadata, is_superseded=lambda *_: True)
    found = Progress(operations, SimpleNamespace())
    found.remember(attempt, "", SimpleNamespace(metadata_location=base))
    return found


@pytest.mark.parametrize(
    ("current", "made_on", "is_traceable"),
    [
        # Nothing happened.
        (table("base", 1, (1, None)), 1, True),
        # Others committed upon the base.
        (table("later", 3, (1, None), (2, 1), (3, 2)), 1, True),
        # What they committed upon has expired: it may have been the attempt.
        (table("later", 3, (3, 2)), 1, False),
        # The base was empty, and the first snapshot of the table is there.
        (table("later", 3, (2, None), (3, 2)), None, True),
        (table("later", 3, (3, 2)), None, False),
        # The branch was moved, or dropped.
        (table("later", 9, (1, None), (9, None)), 1, False),
        (table("later", None), 1, False),
    ],
)
def test_the_history_after_the_base_must_be_whole(current, made_on, is_traceable):
    made = progress("base", made_on=made_on)
    assert made.is_traceable(current) is is_traceable
    made.forget_superseded(current)
    assert (not made.unknown) is is_traceable


def test_a_log_of_metadata_files_shows_it_too():
    expired = {"log": ("base", "later-0")}
    assert progress("base", made_on=1, writes_metadata=True).is_traceable(
        table("later", 3, (3, 2), **expired)
    )
    assert not progress("base", made_on=1).is_traceable(table("later", 3, (3, 2), **expired))


def test_the_error_says_what_to_do():
    assert "Look for the rows" in str(UntraceableError(table("later", 3)))
