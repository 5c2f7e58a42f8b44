"""Processes with pipes and with a terminal: questions, Ctrl-C, colours, and readers that go away."""

from __future__ import annotations

import os
import pty
import re
import select
import signal
import subprocess
import time

import pytest

import floeberg as fb

COLOUR = "\x1b["
pytestmark = pytest.mark.skipif(not hasattr(os, "openpty"), reason="there is no pseudo terminal")


class Terminal:
    """A process at a pseudo terminal."""

    def __init__(self, words, **environment):
        self.shown = ""
        parent, child = pty.openpty()
        self._end = parent
        kept = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
        settings = {**kept, "TERM": "xterm-256color", **environment}
        self.process = subprocess.Popen(
            words, stdin=child, stdout=child, stderr=child, env=settings, start_new_session=True
        )
        os.close(child)

    def until(self, text):
        """Waits until a text is shown."""
        last = time.monotonic() + 60
        while text not in self.shown:
            assert time.monotonic() < last, self.shown
            assert self._read(), self.shown

    def answer(self, text):
        os.write(self._end, text.encode())

    def end(self):
        """The exit code, when all was shown."""
        while self._read():
            pass
        os.close(self._end)
        return self.process.wait(60)

    def _read(self):
        ready, _, _ = select.select([self._end], [], [], 60)
        try:
            read = os.read(self._end, 65536) if ready else b""
        except OSError:
            # What Linux says where the other end is closed.
            read = b""
        self.shown += read.decode(errors="replace")
        return bool(read)


@pytest.fixture
def many_rows(tables):  # noqa: ARG001 - it is there
    """A table of more rows than a pipe holds."""
    fb.open_table("orders.lance").append(
        [{"id": number, "country": "x" * 50, "price": 1.0} for number in range(20_000)]
    )
    return "orders.lance"


@pytest.mark.usefixtures("tables")
def test_a_question_is_answered_at_a_terminal(command):
    words = [*command, "delete", "orders.lance", "--where", "id = 1"]
    terminal = Terminal(words)
    terminal.until("Delete 1 rows of orders.lance?")
    terminal.answer("n\n")
    assert terminal.end() == 11
    assert "nothing was done" in terminal.shown
    assert fb.open_table("orders.lance").count() == 3
    terminal = Terminal(words)
    terminal.until("Delete 1 rows of orders.lance?")
    terminal.answer("y\n")
    assert terminal.end() == 0
    assert fb.open_table("orders.lance").count() == 2


@pytest.mark.usefixtures("tables")
def test_ctrl_c_at_a_question_ends_with_130_and_nothing_is_done(command):
    terminal = Terminal([*command, "delete", "orders.lance", "--all"])
    terminal.until("Delete 3 rows")
    os.killpg(terminal.process.pid, signal.SIGINT)
    assert terminal.end() == 130
    assert "Traceback" not in terminal.shown
    assert fb.open_table("orders.lance").count() == 3


def test_a_terminal_gets_a_table_in_its_width_and_colours(command, many_rows):
    terminal = Terminal([*command, "scan", many_rows], COLUMNS="40", LINES="20")
    assert terminal.end() == 0
    assert COLOUR in terminal.shown
    assert "the first 40 rows are shown" in terminal.shown
    lines = re.sub(r"\x1b\[[0-9;]*m", "", terminal.shown).splitlines()
    assert max(len(line) for line in lines if "rows are shown" not in line) <= 40


@pytest.mark.usefixtures("tables")
def test_no_color_turns_colours_off(command):
    terminal = Terminal([*command, "scan", "orders.lance", "--limit", "2"], NO_COLOR="1")
    assert terminal.end() == 0
    assert not re.search(r"\x1b\[[0-9;]*3[0-9]m", terminal.shown)
    assert "country" in terminal.shown


@pytest.mark.usefixtures("tables")
def test_binary_rows_are_not_written_to_a_terminal(command):
    terminal = Terminal([*command, "scan", "orders.lance", "-o", "parquet"])
    assert terminal.end() == 2
    assert "not for a terminal" in terminal.shown


@pytest.mark.usefixtures("tables")
def test_a_pipe_gets_plain_lines(process):
    done = process("scan", "orders.lance", env={**os.environ, "COLUMNS": "10"})
    assert done.returncode == 0
    assert done.stdout == "id\tcountry\tprice\n1\tde\t2.5\n2\tfr\t3.5\n3\t\t\n"
    assert done.stderr == ""


@pytest.mark.parametrize("form", ["text", "json", "arrow"])
def test_a_reader_that_goes_away_is_no_error(command, many_rows, form):
    process = subprocess.Popen(
        [*command, "scan", many_rows, "--output", form], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout.read(10)
    process.stdout.close()
    said = process.stderr.read()
    process.stderr.close()
    assert (process.wait(60), said) == (0, b"")


@pytest.mark.usefixtures("tables")
def test_what_a_table_says_does_not_steer_a_terminal(process):
    fb.open_table("orders.lance").append([{"id": 9, "country": "\x1b[31mred\nnew\tline", "price": None}])
    done = process("scan", "orders.lance", "--where", "id = 9")
    assert done.stdout == "id\tcountry\tprice\n9\t\\x1b[31mred\\nnew\\tline\t\n"


@pytest.mark.usefixtures("tables")
def test_ctrl_c_while_rows_are_read_ends_with_130(command):
    process = subprocess.Popen(
        [*command, "append", "orders.lance", "-", "--format", "csv"],
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    # It reads, since a pipe does not hold as much.
    process.stdin.write(b"id,country,price\n" + b"1,de,2\n" * 30_000)
    process.stdin.flush()
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert (process.returncode, said) == (130, b"error: interrupted\n")
    assert fb.open_table("orders.lance").count() == 3


def test_the_shell_completes_verbs(process):
    said = {"_FLOEBERG_COMPLETE": "complete_bash", "COMP_WORDS": "floeberg sc", "COMP_CWORD": "1"}
    assert sorted(process(env={**os.environ, **said}).stdout.split()) == ["scan", "schema"]


def test_warnings_are_a_line(command):
    code = (
        "import warnings; from floeberg.cli import app; app.app = lambda **_: warnings.warn('odd'); app.run()"
    )
    done = subprocess.run([command[0], "-c", code], capture_output=True, text=True, check=False, timeout=60)
    assert done.stderr == "warning: odd\n"


def test_numbers_are_whole_and_empty_columns_are_left_out_at_a_terminal(run, lake, monkeypatch):
    for name, value in {"TTY_COMPATIBLE": "1", "TERM": "dumb", "COLUMNS": "60", "LINES": "40"}.items():
        monkeypatch.setenv(name, value)
    shown = run("refs", "lake.sales.orders").out
    assert str(lake.load_table("sales.orders").current_snapshot().snapshot_id) in shown
    assert "max_reference_age_in_ms" not in shown
    shown = run("show", "lake.sales.orders").out
    assert max(map(len, shown.splitlines())) <= 60
