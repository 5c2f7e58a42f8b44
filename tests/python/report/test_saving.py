"""A report replaces reports, and another file only where that is said."""

from __future__ import annotations

import pytest

from corpus import lance_lent
from floeberg.errors import AlreadyExistsError, InvalidInputError


@pytest.fixture(params=["iceberg", "lance"])
def table(request, orders):
    return orders if request.param == "iceberg" else lance_lent("lance").open()


def test_a_report_replaces_a_report(table, tmp_path):
    file = tmp_path / "report.html"
    first = table.report(file, check=None)
    assert file.read_text(encoding="utf-8") == first.html
    second = table.report(file, check=None)
    assert file.read_text(encoding="utf-8") == second.html


def test_another_file_is_kept(table, tmp_path, monkeypatch):
    file = tmp_path / "notes.html"
    made = table.report(check=None)
    for content in (b"", b"my notes", b"<!doctype html><title>mine</title>", b"\xff\x00"):
        file.write_bytes(content)
        with monkeypatch.context() as patches:
            # It is looked at before the work is done.
            patches.setattr(type(table), "check", None)
            with pytest.raises(AlreadyExistsError, match=r"not a report.*overwrite=True"):
                table.report(file)
        with pytest.raises(AlreadyExistsError, match="not a report"):
            made.save(file)
        assert file.read_bytes() == content
        made.save(file, overwrite=True)
        assert file.read_text(encoding="utf-8") == made.html
    file.write_bytes(b"my notes")
    assert table.report(file, check=None, overwrite=True).html == file.read_text(encoding="utf-8")


def test_a_folder_is_no_file(table, tmp_path):
    for overwrite in (False, True):
        with pytest.raises(InvalidInputError, match="expected a file, found the folder"):
            table.report(tmp_path, check=None, overwrite=overwrite)
    with pytest.raises(InvalidInputError, match="overwrite"):
        table.report(tmp_path / "x.html", check=None, overwrite="yes")
    assert not (tmp_path / "x.html").exists()
