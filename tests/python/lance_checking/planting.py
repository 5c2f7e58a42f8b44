"""Lance tables that pylance writes, and violations that are planted in copies of them."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import lance
import pyarrow as pa
import pytest

import floeberg as fb

from .wire import Message

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Plant", "Planted", "findings", "hold", "plant", "write_sound"]

FIELDS, FRAGMENTS, INDEX_SECTION, TRANSACTION_SECTION = 1, 2, 6, 23
SCHEMA = pa.schema(
    [
        pa.field("id", pa.int64(), nullable=False),
        pa.field("s", pa.string()),
        pa.field("p", pa.struct([pa.field("x", pa.int32(), nullable=False), pa.field("y", pa.string())])),
        pa.field("l", pa.list_(pa.int16())),
    ]
)


def rows(start: int, end: int) -> pa.Table:
    """Rows with nulls where there may be some."""
    keys = range(start, end)
    values = {
        "id": keys,
        "s": [None if key % 4 == 0 else f"s{key}" for key in keys],
        "p": [None if key % 5 == 0 else {"x": key, "y": None} for key in keys],
        "l": [None if key % 3 == 0 else [key, None] for key in keys],
    }
    return pa.table({name: pa.array(each, SCHEMA.field(name).type) for name, each in values.items()}, SCHEMA)


def write_sound(place: Path) -> None:
    """A table of stable row ids, with deletes, an index, moved rows, tags and a branch."""
    dataset = lance.write_dataset(
        rows(0, 120), place, enable_stable_row_ids=True, max_rows_per_file=40, data_storage_version="2.1"
    )
    dataset.delete("id % 10 = 3")
    dataset.create_scalar_index("id", "BTREE")
    lance.dataset(place).insert(rows(200, 203))
    lance.dataset(place).update({"s": "'new'"}, "id % 20 = 4")
    dataset = lance.dataset(place)
    dataset.tags.create("early", 2)
    dataset.tags.create("late", dataset.version - 1)
    dataset.create_branch("dev").insert(rows(300, 302))


@dataclass
class Planted:
    """A copy of a table, to be broken."""

    place: Path

    @property
    def newest(self) -> int:
        """The newest version of the main branch."""
        return max((1 << 64) - 1 - int(path.stem) for path in (self.place / "_versions").glob("*.manifest"))

    def manifest(self, version: int | None = None) -> Path:
        """The manifest of a version."""
        return self.place / "_versions" / f"{(1 << 64) - 1 - (version or self.newest):020}.manifest"

    def parts(self) -> tuple[dict[int, bytes], Message]:
        """The sections of the newest manifest, by the fields that say where they are, and its message."""
        content = self.manifest().read_bytes()
        start = int.from_bytes(content[-16:-8], "little")
        message = Message(content[start + 4 : -16])
        sections = {}
        for number in (INDEX_SECTION, TRANSACTION_SECTION):
            if message.all(number):
                at = message.number(number)
                end = at + 4 + int.from_bytes(content[at : at + 4], "little")
                sections[number] = content[at + 4 : end]
        return sections, message

    def write(self, sections: dict[int, bytes], message: Message) -> None:
        """Write the newest manifest anew."""
        end = self.manifest().read_bytes()[-8:]
        content = b""
        for number, section in sections.items():
            message.put(number, len(content))
            content += len(section).to_bytes(4, "little") + section
        position, data = len(content), message.data()
        content += len(data).to_bytes(4, "little") + data + position.to_bytes(8, "little") + end
        self.manifest().write_bytes(content)

    def edit(self, change: Callable[[Message], object]) -> None:
        """Change the message of the newest manifest."""
        sections, message = self.parts()
        change(message)
        self.write(sections, message)

    def edit_field(self, place: int, change: Callable[[Message], object]) -> None:
        """Change a field of the schema."""
        self.edit(lambda manifest: manifest.change(FIELDS, place, change))

    def edit_fragment(self, place: int, change: Callable[[Message], object]) -> None:
        """Change a fragment; -1 is the last one."""
        _, message = self.parts()
        count = len(message.all(FRAGMENTS))
        self.edit(lambda manifest: manifest.change(FRAGMENTS, place % count, change))

    def edit_file(self, place: int, change: Callable[[Message], object]) -> None:
        """Change the first data file of a fragment."""
        self.edit_fragment(place, lambda fragment: fragment.change(2, 0, change))

    def edit_section(self, number: int, change: Callable[[Message], object]) -> None:
        """Change the indices, or the transaction, of the newest manifest."""
        sections, message = self.parts()
        section = Message(sections[number])
        change(section)
        self.write({**sections, number: section.data()}, message)

    def edit_index(self, change: Callable[[Message], object]) -> None:
        """Change the first index."""
        self.edit_section(INDEX_SECTION, lambda section: section.change(1, 0, change))

    def fragment(self, place: int) -> Message:
        """A fragment of the newest version."""
        return Message(self.parts()[1].data_of(FRAGMENTS, place))

    def data_file(self, place: int) -> Path:
        """The first data file of a fragment."""
        return self.place / "data" / Message(self.fragment(place).data_of(2)).data_of(1).decode()

    def deletion_file(self, place: int) -> Path:
        """The deletion file of a fragment."""
        fragment = self.fragment(place)
        deletion = Message(fragment.data_of(3))
        name = f"{fragment.number(1)}-{deletion.number(2)}-{deletion.number(3)}"
        return self.place / "_deletions" / f"{name}.{'bin' if deletion.number(1) else 'arrow'}"

    def transaction_file(self) -> Path:
        """The file of the newest version's transaction."""
        return self.place / "_transactions" / self.parts()[1].data_of(12).decode()


@dataclass(frozen=True)
class Plant:
    """A violation.

    Attributes:
        rule: The rule that it is found by.
        where: What the place of a finding of this rule has in it: of its location, or of its part.
        change: What plants it.
        also: Rules that are broken with it, since one thing is said at two places.
    """

    rule: str
    where: str
    change: Callable[[Planted], object]
    also: frozenset[str] = frozenset()


def plant(rule: str, where: str, change: Callable[[Planted], object], *also: str) -> object:
    """A violation, for a parametrised test."""
    return pytest.param(Plant(rule, where, change, frozenset(also)), id=f"{rule}-{where.replace('/', '-')}")


def findings(place: Path, level: str = "rows", *, all_versions: bool = True) -> list[fb.Finding]:
    """All that is found in all versions of a table, or in the newest."""
    return list(fb.check(place, level, all_snapshots=all_versions))


def hold(sound: Path, place: Path, planted: Plant, *, all_versions: bool = True) -> None:
    """The violation is found by its rule, at its place, and no other rule is broken."""
    shutil.copytree(sound, place)
    planted.change(Planted(place))
    found = findings(place, all_versions=all_versions)
    rules = {each.rule.id for each in found}
    shown = "\n".join(map(str, found))
    assert planted.rule in rules, shown
    assert rules <= {planted.rule, *planted.also}, shown
    where = [f"{each.location}, {each.part}" for each in found if each.rule.id == planted.rule]
    assert any(planted.where in each for each in where), shown
    level = next(each.rule.level for each in found if each.rule.id == planted.rule)
    assert planted.rule in {each.rule.id for each in findings(place, level, all_versions=all_versions)}, level
