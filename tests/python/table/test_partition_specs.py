"""Tables whose partition specs say what this version does not know, or say it in an older way."""

from __future__ import annotations

import json

import pytest

import floeberg as fb

FILTERS = ["TRUE", "cat = 'a'", "id > 5 AND cat <> 'b'", "cat IS NULL"]


def edited(case, folder, edit):
    """Open a table with every field of its partition specs edited."""
    metadata = json.loads(case.metadata_file.read_text())
    for spec in metadata["partition-specs"]:
        for field in spec["fields"]:
            edit(field)
    for field in metadata.get("partition-spec", []):
        edit(field)
    file = folder / "edited.metadata.json"
    file.write_text(json.dumps(metadata))
    return fb.open_table(str(file), relocate=case.relocate)


def rows(scan):
    table = scan.to_arrow()
    return sorted(map(repr, zip(*(column.to_pylist() for column in table.columns), strict=True)))


def unknown(field):
    """A transform that no version knows yet."""
    field["transform"] = "futureHash[7]"


def several_arguments(field):
    """A transform of several columns, which the specification has a place for and no definition of."""
    del field["source-id"]
    field |= {"transform": "bucketV2[4]", "source-ids": [1, 2]}


def known_of_several(field):
    """A transform that is known, of more columns than it takes."""
    del field["source-id"]
    field |= {"transform": "bucket[4]", "source-ids": [2, 1]}


def lost_source(field):
    """A column that no schema has."""
    field["source-id"] = 999


@pytest.mark.parametrize("edit", [unknown, several_arguments, known_of_several, lost_source])
@pytest.mark.parametrize("name", ["partitioned_keys", "partitioned_positions"])
def test_deletes_stay_in_partitions_of_a_transform_that_is_not_known(name, edit, request, tmp_path):
    case = request.getfixturevalue(name)
    table = edited(case, tmp_path, edit)
    for text in FILTERS:
        assert rows(table.scan(row_filter=text)) == rows(case.open().scan(row_filter=text)), text
    assert len(rows(table.scan())) == case.expected["row_count"]


def test_a_transform_that_is_not_known_filters_nothing(partitioned_positions, tmp_path):
    table = edited(partitioned_positions, tmp_path, unknown)
    stages = {stage.name: stage for stage in table.scan(row_filter="cat = 'a'").explain().stages}
    by_partition = stages["data files by partition"]
    assert by_partition.entered == by_partition.kept


def one_source_in_a_list(field):
    """The form of several sources, of one."""
    field["source-ids"] = [field.pop("source-id")]


def both_forms(field):
    """What a cautious writer might say."""
    field["source-ids"] = [field["source-id"]]


@pytest.mark.parametrize("edit", [one_source_in_a_list, both_forms])
def test_one_source_is_read_in_either_form(edit, partitioned_positions, tmp_path):
    table = edited(partitioned_positions, tmp_path, edit)
    for text in FILTERS:
        plan = table.scan(row_filter=text).plan_files()
        expected = partitioned_positions.open().scan(row_filter=text).plan_files()
        assert plan.to_arrow().drop_columns("location") == expected.to_arrow().drop_columns("location")


def test_partition_fields_of_version_1_without_ids_count_from_1000(partitioned_v1, tmp_path):
    def without_id(field):
        del field["field-id"]

    table = edited(partitioned_v1, tmp_path, without_id)
    for text in FILTERS:
        plan = table.scan(row_filter=text).plan_files()
        expected = partitioned_v1.open().scan(row_filter=text).plan_files()
        assert plan.to_arrow() == expected.to_arrow()
    assert len(rows(table.scan())) == partitioned_v1.expected["row_count"]
