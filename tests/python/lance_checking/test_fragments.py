"""What is wrong with fragments, row ids and indices in a manifest is found."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

import pytest

from .planting import FRAGMENTS, INDEX_SECTION, Plant, Planted, hold, plant
from .wire import Message, packed, unpacked

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

FILES, DELETION, ROWS, ROW_IDS, UPDATED, CREATED = 2, 3, 4, 5, 7, 9


def put(number: int, value: int | bytes) -> Any:
    return lambda table: table.edit(lambda manifest: manifest.put(number, value))


def in_fragment(place: int, number: int, value: int | bytes) -> Any:
    return lambda table: table.edit_fragment(place, lambda fragment: fragment.put(number, value))


def in_file(place: int, number: int, value: int | bytes) -> Any:
    return lambda table: table.edit_file(place, lambda file: file.put(number, value))


def numbers(place: int, number: int, change: Callable[[list[int]], list[int]]) -> Any:
    """Change a packed list of a data file."""
    return lambda table: table.edit_file(
        place, lambda file: file.put(number, packed(change(unpacked(file.data_of(number)))))
    )


def without_row_ids(table: Planted) -> None:
    table.edit_fragment(0, lambda fragment: fragment.drop(ROW_IDS))


def sequence(start: int, end: int) -> bytes:
    """Row ids of a range."""
    ids, segment, row_ids = Message(), Message(), Message()
    ids.add(1, start)
    ids.add(2, end)
    segment.add(1, ids.data())
    row_ids.add(1, segment.data())
    return row_ids.data()


def versions(rows: int, version: int) -> bytes:
    """One version of rows."""
    run, runs = Message(), Message()
    run.add(1, Message(sequence(0, rows)).data_of(1))
    run.add(2, version)
    runs.add(1, run.data())
    return runs.data()


def twice(table: Planted) -> None:
    """The last fragment once more, by another id."""
    _, message = table.parts()
    most, last = message.number(11), message.all(FRAGMENTS)[-1]
    again = Message(last)
    again.put(1, most + 1)

    def add(manifest: Message) -> None:
        manifest.add(FRAGMENTS, again.data())
        manifest.put(11, most + 1)

    table.edit(add)


def in_index(number: int, value: int | bytes) -> Any:
    return lambda table: table.edit_index(lambda index: index.put(number, value))


def second_index(**changes: Any) -> Any:
    """The index once more."""

    def change(table: Planted) -> None:
        def add(section: Message) -> None:
            again = Message(section.data_of(1))
            if "uuid" in changes:
                again.put(1, b"\x0a\x10" + changes["uuid"])
            if "name" in changes:
                again.put(3, changes["name"])
            section.add(1, again.data())

        if "uuid" in changes:
            known = next((table.place / "_indices").iterdir())
            digits = changes["uuid"].hex()
            parts = (digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:])
            shutil.copytree(known, known.parent / "-".join(parts))
        table.edit_section(INDEX_SECTION, add)

    return change


def damaged_section(table: Planted) -> None:
    sections, message = table.parts()
    table.write({**sections, INDEX_SECTION: b"\x0a\x7f"}, message)


def section_behind_the_end(table: Planted) -> None:
    content = bytearray(table.manifest().read_bytes())
    _, message = table.parts()
    at = message.number(INDEX_SECTION)
    content[at : at + 4] = b"\xff\xff\xff\x7f"
    table.manifest().write_bytes(bytes(content))


BITMAP_OF_1000 = (
    (12346).to_bytes(4, "little") + (1).to_bytes(4, "little") + bytes(4) + (16).to_bytes(4, "little")
) + (1000).to_bytes(2, "little")

COUNTED_BY_ROWS = ("lance-row-ids-count", "lance-row-versions-readable")

MANIFESTS = [
    plant("lance-fragment-id", "fragment 0", in_fragment(-1, 1, 0)),
    plant("lance-fragment-id", "fragment 8589934592", in_fragment(-1, 1, 1 << 33), "lance-max-fragment-id"),
    plant("lance-max-fragment-id", "fragment 2", put(11, 1), "lance-index-fragments"),
    plant("lance-fragment-rows", "fragment 0", in_fragment(0, ROWS, 0), *COUNTED_BY_ROWS),
    plant(
        "lance-fragment-rows",
        "fragment 0",
        in_fragment(0, ROWS, 3),
        *COUNTED_BY_ROWS,
        "lance-file-rows",
        "lance-deletion-rows",
    ),
    plant("lance-fragment-columns", "fragment 1", numbers(1, 2, lambda ids: [-2, *ids[1:]])),
    plant(
        "lance-field-once",
        "fragment 1",
        numbers(1, 2, lambda ids: [ids[0], ids[0], *ids[2:]]),
        "lance-column-type",
    ),
    plant("lance-column-indices", "fragment 1, file 0", numbers(1, 3, lambda places: places[:-1])),
    plant(
        "lance-column-indices",
        "fragment 1, file 0",
        numbers(1, 3, lambda places: [places[1], *places[1:]]),
        "lance-file-columns",
    ),
    plant("lance-file-field-ids", "fragment 1, file 0", numbers(1, 2, lambda ids: [ids[0], -1, *ids[2:]])),
    plant("lance-file-version", "fragment 1, file 0", in_file(1, 5, 2), "lance-footer-version"),
    plant("lance-data-file-once", "file 0", twice, "lance-row-ids-once"),
    plant("lance-file-path", "fragment 1, file 0", in_file(1, 1, b"../x.lance")),
    plant("lance-base-path", "fragment 1, file 0", in_file(1, 7, 9)),
    plant(
        "lance-base-path",
        "fragment 0, deletion file",
        lambda table: table.edit_fragment(
            0, lambda each: each.change(DELETION, 0, lambda file: file.put(7, 9))
        ),
    ),
    plant("lance-row-ids-all", "fragments", without_row_ids),
    plant("lance-row-ids-readable", "fragment 0, row ids", in_fragment(0, ROW_IDS, b"\x0a\x01\x0a")),
    plant("lance-row-ids-count", "fragment 0, row ids", in_fragment(0, ROW_IDS, sequence(0, 39))),
    plant(
        "lance-row-ids-count",
        "fragment 0",
        in_fragment(0, ROW_IDS, sequence(0, 1 << 62)),
        "lance-next-row-id",
    ),
    plant("lance-next-row-id", "fragment 2, row ids", put(14, 100)),
    plant("lance-row-versions-readable", "came into the table", in_fragment(0, CREATED, b"\x0a\x01\x0a")),
    plant("lance-row-versions-readable", "were last changed", in_fragment(0, UPDATED, versions(39, 1))),
    plant("lance-row-versions-range", "came into the table", in_fragment(0, CREATED, versions(40, 99))),
    plant("lance-row-versions-range", "fragment 0", in_fragment(0, CREATED, versions(40, 2))),
    plant("lance-indices-readable", "index_section", damaged_section),
    plant("lance-indices-readable", "index_section", section_behind_the_end),
    plant("lance-indices-readable", 'index 0, "id_idx"', in_index(5, b"\x01\x02")),
    plant("lance-index-once", "index 1", second_index(name=b"other")),
    plant("lance-index-field", "index 0", in_index(2, packed([99]))),
    plant("lance-index-version", "index 0", in_index(4, 99)),
    plant("lance-index-fragments", "index 0", in_index(5, BITMAP_OF_1000)),
    plant("lance-index-overlap", "index 1", second_index(uuid=bytes(range(16)))),
]


@pytest.mark.parametrize("planted", MANIFESTS)
def test_what_is_wrong_in_a_manifest_is_found(planted: Plant, sound_lance: Path, tmp_path: Path) -> None:
    hold(sound_lance, tmp_path / "t.lance", planted)
