"""What is wrong with manifests, transactions, tags and branches is found."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any

import pytest

from .planting import FIELDS, TRANSACTION_SECTION, Plant, Planted, hold, plant
from .wire import Message

if TYPE_CHECKING:
    from pathlib import Path


def misnamed(table: Planted) -> None:
    (table.place / "_versions" / "007.manifest").write_bytes(b"")


def of_older_scheme(table: Planted) -> None:
    table.manifest(1).rename(table.place / "_versions" / "1.manifest")


def hint(table: Planted) -> None:
    (table.place / "_versions" / "latest_version_hint.json").write_text('{"version":99}')


def cut(table: Planted) -> None:
    path = table.manifest()
    path.write_bytes(path.read_bytes()[:-1])


def garbage(table: Planted) -> None:
    path = table.manifest()
    content = path.read_bytes()
    start = int.from_bytes(content[-16:-8], "little") + 4
    path.write_bytes(content[:start] + b"\xff" * (len(content) - 16 - start) + content[-16:])


def too_deep(table: Planted) -> None:
    def deeper(manifest: Message) -> None:
        for depth in range(80):
            field = Message()
            for number, value in (
                (2, b"n"),
                (3, 100 + depth),
                (4, 99 + depth if depth else 0),
                (5, b"struct"),
            ):
                field.add(number, value)
            field.put(4, 99 + depth if depth else (1 << 64) - 1)
            field.put(2, f"n{depth}".encode())
            field.add(6, 1)
            manifest.add(FIELDS, field.data())

    table.edit(deeper)


def toggled(number: int, bit: int) -> Any:
    return lambda table: table.edit(lambda manifest: manifest.put(number, manifest.number(number) ^ bit))


def put(number: int, value: int | bytes) -> Any:
    return lambda table: table.edit(lambda manifest: manifest.put(number, value))


def in_field(place: int, number: int, value: int | bytes) -> Any:
    return lambda table: table.edit_field(place, lambda field: field.put(number, value))


def no_time(table: Planted) -> None:
    table.edit(lambda manifest: manifest.drop(7))


def other_format(table: Planted) -> None:
    table.edit(lambda manifest: manifest.change(15, 0, lambda each: each.put(1, b"parquet")))


def two_bases(table: Planted) -> None:
    def add(manifest: Message) -> None:
        for path in (b"/a", b"/b"):
            base = Message()
            base.add(1, 7)
            base.add(4, path)
            manifest.add(18, base.data())
        for flags in (9, 10):
            manifest.put(flags, manifest.number(flags) | 16)

    table.edit(add)


def max_field_id(table: Planted) -> None:
    def limit(manifest: Message) -> None:
        manifest.put(24, 1)
        manifest.put(10, manifest.number(10) | 1 << 15)

    table.edit(limit)


def transaction_gone(table: Planted) -> None:
    table.transaction_file().unlink()


def transaction_damaged(table: Planted) -> None:
    table.transaction_file().write_bytes(b"\xff\xff")


def renamed_transaction(table: Planted) -> None:
    other = b"3-00000000-0000-4000-8000-000000000000.txn"
    table.transaction_file().rename(table.place / "_transactions" / other.decode())
    table.edit(lambda manifest: manifest.put(12, other))


def later_transaction(table: Planted) -> None:
    table.edit_section(TRANSACTION_SECTION, lambda made: made.put(1, 99))
    table.edit(lambda manifest: manifest.drop(12))


def other_transaction(table: Planted) -> None:
    table.edit_section(TRANSACTION_SECTION, lambda made: made.put(2, b"00000000-0000-4000-8000-000000000000"))


def ref(path: str, key: str, value: object) -> Any:
    def change(table: Planted) -> None:
        file = table.place / "_refs" / path
        file.write_text(json.dumps(json.loads(file.read_text()) | {key: value}))

    return change


def damaged_tag(table: Planted) -> None:
    (table.place / "_refs/tags/early.json").write_text("{")


def misnamed_branch(table: Planted) -> None:
    (table.place / "_refs/branches/a%2.json").write_text("{}")


def no_branch(table: Planted) -> None:
    shutil.rmtree(table.place / "tree/dev/_versions")


def cut_branch(table: Planted) -> None:
    path = max((table.place / "tree/dev/_versions").glob("*.manifest"))
    path.write_bytes(path.read_bytes()[:20])


VERSIONS = [
    plant("lance-manifest-readable", "tree/dev/_versions", cut_branch),
    plant("lance-versions", "branches/dev.json", no_branch),
    plant("lance-manifest-name", "_versions/007.manifest", misnamed),
    plant("lance-naming-scheme", "_versions", of_older_scheme),
    plant("lance-version-hint", "latest_version_hint.json", hint),
    plant("lance-manifest-readable", ".manifest", cut),
    plant("lance-manifest-readable", "_versions/", garbage),
    plant("lance-manifest-strict", ".manifest", too_deep),
    plant("lance-manifest-version", "version", put(3, 77)),
    plant("lance-manifest-branch", "branch", put(20, b"other")),
    plant("lance-version-time", "timestamp", no_time),
    plant("lance-version-time", "timestamp", put(7, b"\x08\x01")),
    plant("lance-reader-flags", "reader_feature_flags", toggled(9, 1)),
    plant("lance-reader-flags", "reader_feature", toggled(9, 2)),
    plant("lance-writer-flags", "writer_feature_flags", toggled(10, 1)),
    plant("lance-flag-pairs", "reader_feature_flags", toggled(9, 256)),
    plant("lance-flags-known", "writer_feature_flags", toggled(10, 1 << 40)),
    plant("lance-data-format", "data_format.file_format", other_format),
    plant("lance-field-id", "fields[1].id", in_field(1, 3, 0)),
    plant("lance-field-id", "fields[1]", in_field(1, 3, (1 << 64) - 5)),
    plant("lance-field-parent", "fields[1].parent_id", in_field(1, 4, 77)),
    plant("lance-field-name", "fields[1].name", in_field(1, 2, b"id")),
    plant(
        "lance-field-type",
        'the column "s"',
        in_field(1, 5, b"int65"),
        "lance-column-type",
    ),
    plant("lance-field-type", "fields[1]", in_field(1, 5, b"")),
    plant("lance-primary-key", "fields[1]", in_field(1, 12, 1)),
    plant("lance-max-field-id", "fields[2].id", max_field_id, "lance-file-field-ids"),
    plant("lance-base-path-id", "base_paths[1].id", two_bases),
    plant("lance-transaction-readable", "transaction_file", transaction_gone),
    plant("lance-transaction-readable", ".txn", transaction_damaged),
    plant("lance-transaction-name", "transaction_file", renamed_transaction),
    plant("lance-transaction-version", "read_version", later_transaction),
    plant("lance-transaction-copies", "transaction_section", other_transaction),
    plant("lance-ref-readable", "early.json", damaged_tag),
    plant("lance-ref-readable", "a%2.json", misnamed_branch),
    plant("lance-tag-version", "early.json", ref("tags/early.json", "version", 99)),
    plant("lance-tag-version", "late.json", ref("tags/late.json", "branch", "none")),
    plant("lance-tag-manifest-size", "early.json", ref("tags/early.json", "manifestSize", 5)),
    plant("lance-branch-parent", "parentVersion", ref("branches/dev.json", "parentVersion", 99)),
]


@pytest.mark.parametrize("planted", VERSIONS)
def test_what_is_wrong_with_a_version_is_found(planted: Plant, sound_lance: Path, tmp_path: Path) -> None:
    hold(sound_lance, tmp_path / "t.lance", planted)
