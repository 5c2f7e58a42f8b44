"""Lance tables among other processes: drivers, workers, forks, and installations without pylance."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

import pytest

from corpus import lance_lent
from floeberg import errors
from floeberg.lance import pages

POSIX = pytest.mark.skipif(os.name != "posix", reason="forks are POSIX")


def run(code: str, *, without_pylance: bool = False) -> str:
    """What a script prints that opens a table in a process of its own."""
    case = lance_lent("lance")
    prelude = "import sys, pickle\nimport floeberg as fb\n"
    if without_pylance:
        # As an installation without the extra: the import fails.
        prelude = "import sys\nsys.modules['lance'] = None\n" + prelude
    script = f"{prelude}table = fb.open_table({str(case.location)!r})\n{textwrap.dedent(code)}"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_a_driver_plans_and_counts_without_pylance():
    told = run(
        """
        scan = table.scan(row_filter="id > 3", selected_fields=("id", "_rowid"))
        groups = scan.plan_files().split(1)
        sent = [pickle.loads(pickle.dumps(each)) for each in (table, scan, *groups)]
        scan.explain(), table.versions(), table.tags(), table.branches(), repr(table), table.inspect.fragments()
        table.refresh()
        print(table.scan().count(), len(groups), "lance" in sys.modules, "pyarrow.parquet" in sys.modules)
        """
    )
    assert told == "29 31 False False"


def test_importing_the_package_imports_neither_pylance_nor_pyarrow():
    assert run("print('lance' in sys.modules, 'pyarrow' in sys.modules)") == "False False"


def test_without_pylance_all_works_but_rows():
    told = run(
        """
        print(table.version, table.scan().count(), table.schema().names[0], len(table.versions()))
        for read in (table.scan().to_arrow, table.scan(row_filter="id > 1").count, lambda: table.take(row_ids=[0])):
            try:
                read()
            except fb.errors.NotInstalledError as error:
                print(isinstance(error, ImportError), "pip install 'floeberg[lance]'" in str(error))
        """,
        without_pylance=True,
    )
    assert told.splitlines() == ["7 29 id 7", *["True True"] * 3]


@POSIX
def test_a_fork_of_a_process_that_read_is_refused_and_others_read():
    told = run(
        """
        import os, warnings
        warnings.simplefilter("ignore")
        sys.stdout.flush()

        def in_a_child(read):
            child = os.fork()
            if child == 0:
                try:
                    print(read().num_rows, flush=True)
                except fb.errors.UnsupportedError as error:
                    print("spawn" in str(error), flush=True)
                os._exit(0)
            assert os.waitpid(child, 0)[1] == 0

        # Nothing was read before: the child reads.
        in_a_child(table.scan().to_arrow)
        reader = table.scan().to_arrow_batch_reader()
        reader.read_next_batch()
        in_a_child(table.scan().to_arrow)
        in_a_child(reader.read_next_batch)
        # A child may plan, and the parent reads on.
        in_a_child(table.scan().plan_files().to_arrow)
        print(table.scan().to_arrow().num_rows)
        """
    )
    assert told.split() == ["29", "True", "True", "3", "29"]


@POSIX
def test_a_fork_of_a_process_that_wrote_can_neither_read_nor_write_and_leaves_nothing(tmp_path):
    told = run(
        f"""
        import os, pathlib, warnings
        import pyarrow as pa
        from floeberg.lance.pages import pages_of
        warnings.simplefilter("ignore")
        place = {str(tmp_path / "t")!r}
        rows = pa.table({{"id": [1, 2, 3]}})
        made = fb.lance.create_table(place, rows)
        begun = pages_of({{}}).write(place + "/data/begun.lance", rows.schema, "2.2")
        files = lambda: sorted(str(path) for path in pathlib.Path(place).rglob("*"))
        before = files()
        sys.stdout.flush()
        child = os.fork()
        if child == 0:
            for act in (
                lambda: made.append(rows),
                lambda: made.delete("id = 1"),
                lambda: made.update({{"id": 7}}, "id = 1"),
                lambda: made.upsert(rows, ["id"]),
                lambda: made.overwrite(rows),
                lambda: made.add_columns({{"b": fb.sql_expr("id")}}),
                lambda: made.maintenance.compact(),
                lambda: made.take(row_ids=[0]),
                lambda: fb.lance.create_table(place + "-2", rows),
                begun.finish,
                begun.abandon,
            ):
                try:
                    print("done", act(), flush=True)
                except fb.errors.UnsupportedError as error:
                    print("spawn" in str(error), flush=True)
            print(made.scan().count(), files() == before, flush=True)
            os._exit(0)
        print(os.waitpid(child, 0)[1])
        made.append(rows)
        print(made.version, made.scan().to_arrow().num_rows)
        """
    )
    lines = told.splitlines()
    # A table of one fragment has nothing to compact.
    assert [line for line in lines[:11] if line != "True"] in ([], ["done " + lines[6].removeprefix("done ")])
    assert lines[11:] == ["3 True", "0", "2 6"]


def test_another_decoder_takes_the_place_of_pylance(monkeypatch):
    case = lance_lent("lance")
    wanted = case.open().scan().to_arrow()
    asked = []

    class Recording:
        def __init__(self, options):
            self.inner = pages._Pylance(options)

        def read(self, location, columns, start, rows):
            asked.append((location.rsplit("/", 1)[-1], tuple(columns), start, rows))
            return self.inner.read(location, columns, start, rows)

    monkeypatch.setattr("floeberg.lance.scan.pages_of", Recording)
    assert case.open().scan().to_arrow() == wanted
    named = {each["path"] for fragment in case.expected["fragments"] for each in fragment["files"]}
    assert {location for location, *_ in asked} == named
    # Columns of no file, and those that are not selected, are not asked for.
    asked.clear()
    assert case.open().scan(selected_fields=("label", "_rowid")).to_arrow().num_rows == 29
    assert {columns for _, columns, _, _ in asked} == {("label",)}
    asked.clear()
    assert case.open().scan(selected_fields=("_rowid",)).to_arrow().num_rows == 29
    assert asked == []


def test_a_decoder_that_gives_other_rows_is_found_out(monkeypatch):
    case = lance_lent("lance")

    class Wrong(pages._Pylance):
        def read(self, location, columns, start, rows):
            return super().read(location, columns, start, rows - 1)

    monkeypatch.setattr("floeberg.lance.scan.pages_of", Wrong)
    with pytest.raises(errors.InvalidDataError, match="expected more rows in a data file"):
        case.open().scan().to_arrow()
