"""A cleanup removes the kinds of files that pylance's removes, and nothing outside of the table."""

import shutil
from datetime import timedelta
from pathlib import Path

import pyarrow as pa
import pytest

import floeberg as fb
from floeberg.errors import FloebergError, InvalidDataError

lance = pytest.importorskip("lance")
NOW = timedelta(0)


def files_in(folder):
    found = sorted(str(path.relative_to(folder)) for path in Path(folder).rglob("*") if path.is_file())
    # The hint is written by every commit, and is no part of a table.
    return [name for name in found if not name.endswith("_hint.json")]


def blobs(place):
    schema = pa.schema(
        [
            pa.field("k", pa.int64()),
            pa.field("b", pa.large_binary(), metadata={"lance-encoding:blob": "true"}),
        ]
    )
    lance.write_dataset(pa.table({"k": [0, 1], "b": [b"z" * 1_000_000, b"y"]}, schema=schema), place)
    lance.write_dataset(pa.table({"k": [0]}), place, mode="overwrite")


def kept_blobs(place):
    blobs(place)
    lance.dataset(place).tags.create("kept", 1)
    lance.write_dataset(pa.table({"k": [1]}), place, mode="overwrite")


def deletes(place):
    table = lance.write_dataset(pa.table({"k": range(100)}), place)
    table.delete("k < 3")
    table.delete("k < 10")


def indices(place):
    words = [f"w{number % 7}" for number in range(1000)]
    table = lance.write_dataset(pa.table({"k": range(1000), "s": words}), place)
    table.create_scalar_index("k", "BTREE")
    table.create_scalar_index("s", "INVERTED")
    table.create_scalar_index("k", "BITMAP", replace=True)
    lance.write_dataset(pa.table({"k": [0]}), place, mode="overwrite")


def kept_indices(place):
    table = lance.write_dataset(pa.table({"k": range(1000)}), place)
    table.create_scalar_index("k", "BTREE")
    lance.write_dataset(pa.table({"k": [0]}), place, mode="append")


def columns(place):
    table = lance.write_dataset(pa.table({"k": range(100)}), place)
    table.add_columns({"j": "k * 2"})
    table.drop_columns(["j"])
    lance.dataset(place).optimize.compact_files()


def updates(place):
    table = lance.write_dataset(pa.table({"k": range(100)}), place, enable_stable_row_ids=True)
    table.update({"k": "k + 1"}, where="k < 5")
    table.optimize.compact_files()


@pytest.mark.parametrize(
    "make",
    [blobs, kept_blobs, deletes, indices, kept_indices, columns, updates],
    ids=lambda make: make.__name__,
)
def test_what_a_cleanup_leaves_is_what_that_of_pylance_leaves(tmp_path, make):
    place, other = f"{tmp_path}/t", f"{tmp_path}/o"
    make(place)
    shutil.copytree(place, other)
    lance.dataset(other).cleanup_old_versions(older_than=NOW, error_if_tagged_old_versions=False)
    done = fb.open_table(place).maintenance.cleanup(older_than=NOW)
    assert files_in(place) == files_in(other)
    assert done.versions
    lance.dataset(place).to_table(columns=["k"])
    lance.dataset(place).validate()


def test_a_cleanup_says_what_it_would_remove(tmp_path):
    place = f"{tmp_path}/t"
    blobs(place)
    before = files_in(place)
    done = fb.open_table(place).maintenance.cleanup(older_than=NOW, dry_run=True)
    assert files_in(place) == before
    assert sum(name.endswith(".blob") for name in done.files) == 1
    assert done.size_bytes > 1_000_000
    assert repr(done).startswith("CleanupResult(1 versions (1 to 1), 3 files, ")


def test_files_in_a_folder_that_is_a_link_stay(tmp_path):
    place, outside = f"{tmp_path}/t", tmp_path / "outside"
    table = fb.lance.create_table(place, pa.table({"a": [1]}))
    (data_file,) = Path(f"{place}/data").iterdir()
    outside.mkdir()
    (outside / "precious").write_text("x")
    data_file.with_suffix("").symlink_to(outside)
    table.overwrite(pa.table({"a": [2]}))
    table.maintenance.cleanup(older_than=NOW)
    assert (outside / "precious").exists()
    assert not data_file.exists()


@pytest.mark.parametrize(
    "start", ["../../", "./././", "%2e%2e/", "a/../../", "s3://b/", "C:\\..\\", "////a/"]
)
def test_a_path_that_leads_elsewhere_is_refused_wherever_it_is_used(tmp_path, start):
    place = f"{tmp_path}/t"
    table = fb.lance.create_table(place, pa.table({"a": [1]}))
    (name,) = (path.name for path in Path(f"{place}/data").iterdir())
    table.overwrite(pa.table({"a": [2]}))
    manifest = f"{place}/_versions/{2**64 - 2:020d}.manifest"
    content = Path(manifest).read_bytes()
    # A path of the same length needs no other byte of the file to change.
    victim = "v" * (len(name) - len(start))
    (tmp_path / victim).write_text("precious")
    Path(manifest).write_bytes(content.replace(name.encode(), f"{start}{victim}".encode()))
    old = fb.open_table(place, version=1)
    for use in (
        lambda: old.scan().to_arrow(),
        lambda: old.scan().plan_files()[0],
        old.inspect.data_files,
        lambda: fb.open_table(place).maintenance.cleanup(older_than=NOW),
        lambda: fb.open_table(place).restore(1),
        lambda: old.create_branch("b"),
        lambda: old.shallow_clone(f"{tmp_path}/clone"),
    ):
        with pytest.raises(InvalidDataError, match="below its folder"):
            use()
    assert (tmp_path / victim).exists()


def test_a_tag_names_no_folder(tmp_path):
    fb.lance.create_table(f"{tmp_path}/other", pa.table({"a": [1]}))
    table = fb.lance.create_table(f"{tmp_path}/t", pa.table({"a": [1]}))
    table.create_tag("x")
    path = Path(f"{table.location}/_refs/tags/x.json")
    path.write_text(path.read_text().replace("null", '"../../other"'))
    with pytest.raises(FloebergError, match="name of a branch"):
        fb.open_table(table.location, tag="x")
