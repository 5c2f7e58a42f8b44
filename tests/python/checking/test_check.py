"""How is a check asked for, and what does it give?"""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import fastavro
import pytest

import floeberg as fb
from checking.found import findings
from conformance_checking.planting import path_of
from conformance_checking.test_file_rules import in_first, removed
from floeberg.errors import InvalidInputError, NotFoundError


def test_findings_are_objects_and_a_table(sound):
    with sound(2) as table:
        removed(table)
        check = fb.check(table.place, "files", all_snapshots=True)
        found = list(check)
        assert {each.rule.id for each in found} == {"file-there"}
        first = found[0]
        assert (first.severity, first.rule.level, first.rule.section) == (
            "wrong-data",
            "files",
            "Data File Fields",
        )
        assert first.location.endswith(".parquet")
        assert str(first).startswith("file-there (wrong-data): ")
        rows = check.to_arrow()
        assert rows.column("location").to_pylist() == [each.location for each in found]
        assert rows.column("rule").to_pylist() == ["file-there"] * len(found)
        assert check.counts() == {"wrong-data": len(found), "engines-fail": 0, "slow": 0, "cosmetic": 0}
        assert not check.is_sound()
        with pytest.raises(InvalidInputError, match="neither true nor false"):
            bool(check)
        with pytest.raises(TypeError, match="cannot be pickled"):
            pickle.dumps(check)


def test_levels_include_those_before(sound):
    with sound(2) as table:
        table.change_metadata(lambda metadata: metadata.update({"next-row-id": 0}))
        removed(table)
        assert [each.rule.id for each in findings(table, "metadata")] == ["field-of-version"]
        assert {each.rule.id for each in findings(table, "manifests")} == {"field-of-version"}
        assert {each.rule.id for each in findings(table, "files")} == {"field-of-version", "file-there"}


def test_the_current_snapshot_is_checked_unless_others_are_asked_for(sound):
    with sound(2) as table:
        opened = fb.open_table(table.place)
        last = opened.current_snapshot()
        current = last.snapshot_id
        dev = opened.refs()["dev"].snapshot_id
        table.lists()[0].unlink()
        first = table.metadata["snapshots"][0]["snapshot-id"]
        assert fb.check(table.place).is_sound()
        assert fb.check(table.place, snapshot_id=dev).is_sound()
        [found] = fb.check(table.place, snapshot_id=first)
        assert (found.rule.id, found.snapshot_id) == ("manifest-list-readable", first)
        assert [each.rule.id for each in fb.check(table.place, all_snapshots=True)] == [
            "manifest-list-readable"
        ]
        assert fb.check(table.place, since=last.parent_snapshot_id).is_sound()
        with pytest.raises(InvalidInputError, match="no ancestor"):
            list(fb.check(table.place, since=dev, snapshot_id=current))
        with pytest.raises(NotFoundError, match="snapshot 7"):
            list(fb.check(table.place, since=7))


def test_what_is_new_since_a_snapshot_is_checked(sound):
    with sound(2) as table:
        snapshots = sorted(table.metadata["snapshots"], key=lambda each: each["sequence-number"])
        # All entries of the first append are broken, which the next snapshot has too.
        in_first(lambda file: file.update(sort_order_id=99))(table)
        first, second = (each["snapshot-id"] for each in snapshots[:2])
        assert {each.rule.id for each in fb.check(table.place, snapshot_id=second)} == {"file-sort-order"}
        assert fb.check(table.place, snapshot_id=second, since=first).is_sound()


def test_a_sample_opens_a_part_of_the_files(sound):
    with sound(2) as table:
        removed(table)
        whole = len(list(fb.check(table.place, "files", all_snapshots=True)))
        assert len(list(fb.check(table.place, "files", all_snapshots=True, sample=1))) == whole
        assert fb.check(table.place, "files", all_snapshots=True, sample=1e-9).is_sound()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"level": "all"}, "level: expected one of"),
        ({"sample": 0}, "sample: expected a part"),
        ({"sample": "1"}, "sample: expected a number"),
        ({"sample": 1.5}, "sample: expected a part"),
        ({"all_snapshots": True, "snapshot_id": 1}, "all_snapshots: expected neither"),
        ({"since": "1"}, "since"),
    ],
)
def test_a_wrong_request_is_an_error_at_once(sound, arguments, message):
    with sound(2) as table, pytest.raises(InvalidInputError, match=message):
        fb.check(table.place, **arguments)


def test_what_cannot_be_opened_is_a_finding(tmp_path):
    (tmp_path / "empty").mkdir()
    for place in (tmp_path / "gone", tmp_path / "empty"):
        assert [each.rule.id for each in fb.check(place)] == ["metadata-readable"]
    file = tmp_path / "v1.metadata.json"
    for text in ("", "{", "[]", "7", "\x00", '{"format-version": 2}'):
        file.write_text(text)
        assert not fb.check(file, "rows").is_sound()


def test_one_broken_part_hides_no_other(sound):
    with sound(2) as table:
        table.lists()[-1].unlink()

        def broken(metadata):
            metadata["refs"]["dev"]["snapshot-id"] = "x"
            metadata["snapshot-log"] = 7
            metadata["properties"] = []
            del metadata["snapshots"][0]["timestamp-ms"]

        table.change_metadata(broken)
        found = {each.rule.id for each in fb.check(table.place)}
        assert {"field-type", "required-field", "manifest-list-readable"} <= found


def test_a_table_is_checked_as_its_files_are_now(sound):
    with sound(3) as table:
        opened = fb.open_table(table.place)
        assert opened.check("rows").is_sound()
        opened.scan().to_arrow()
        table.manifests()[0].write_bytes(b"none")
        assert {each.rule.id for each in opened.check()} == {"manifest-readable", "manifest-length"}


def test_a_table_in_memory_is_checked_by_its_metadata(sound):
    with sound(2) as table:
        text = json.dumps(table.metadata)
        opened = fb.Table.from_metadata(text, str(table.place.with_name("elsewhere.metadata.json")))
        assert {each.rule.id for each in opened.check()} == {"metadata-readable"}
        path_of(table.metadata["snapshots"][-1]["manifest-list"]).unlink()
        assert {each.rule.id for each in opened.check()} == {"metadata-readable", "manifest-list-readable"}


def test_rules_say_what_they_are():
    rules = fb.checking.rules()
    assert len(rules) > 100
    assert {each.level for each in rules} == {"metadata", "manifests", "files", "rows"}
    assert len({each.id for each in rules}) == len(rules)


@pytest.mark.parametrize(
    "said",
    [{"manifest_length": 1}, {"added_files_count": 9}, {"min_sequence_number": 99}, {"partition_spec_id": 7}],
)
def test_what_a_new_list_says_of_an_old_manifest_is_checked(sound, said):
    with sound(2) as table:
        last = fb.open_table(table.place).current_snapshot()
        older = {row["manifest_path"] for path in table.lists()[:-1] for row in listed(path)}
        shared = [row["manifest_path"] for row in listed(table.lists()[-1]) if row["manifest_path"] in older]
        assert shared
        table.change_list(
            lambda file: [row.update(said) for row in file["rows"] if row["manifest_path"] == shared[0]]
        )
        expected = {each.rule.id for each in fb.check(table.place)}
        assert expected
        assert {each.rule.id for each in fb.check(table.place, all_snapshots=True)} >= expected
        assert {each.rule.id for each in fb.check(table.place, since=last.parent_snapshot_id)} >= expected


def listed(path: Path) -> list[dict[str, Any]]:
    """The rows of a manifest list."""
    with path.open("rb") as file:
        return list(fastavro.reader(file))
