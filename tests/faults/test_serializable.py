"""Does the checker of histories find what is wrong with bad ones?"""

from __future__ import annotations

import pytest
from serializable import FIRST, Transaction, faults


def transaction(name, reads, writes, begun=0.0, ended=float("inf")):
    return Transaction(name, reads, frozenset(writes), begun, ended)


GOOD = [
    transaction("a", {"x": FIRST, "y": FIRST}, "x"),
    transaction("b", {"x": "a", "y": FIRST}, "y"),
    transaction("c", {"y": "b"}, "y"),
]
END = {"x": "a", "y": "c"}


def test_a_serial_history_has_no_faults():
    assert faults(GOOD, END) == []
    assert faults(GOOD[::-1], END) == [], "in any order"
    assert faults([], {"x": FIRST}) == []


@pytest.mark.parametrize(
    ("history", "end", "said"),
    [
        # A lost update: both stand on the same version.
        (
            [transaction("a", {"x": FIRST}, "x"), transaction("b", {"x": FIRST}, "x")],
            {"x": "b"},
            "a and b both wrote key x",
        ),
        # A write skew: each left alone what the other changed.
        (
            [
                transaction("a", {"x": FIRST, "y": FIRST}, "x"),
                transaction("b", {"x": FIRST, "y": FIRST}, "y"),
            ],
            {"x": "a", "y": "b"},
            "a -> b -> a",
        ),
        # A read of parts of two states.
        (
            [
                transaction("a", {"x": FIRST, "y": FIRST}, "xy"),
                transaction("b", {"x": "a", "y": FIRST}, ""),
            ],
            {"x": "a", "y": "a"},
            "a -> b -> a",
        ),
        # A long cycle.
        (
            [
                transaction("a", {"x": FIRST, "z": FIRST}, "x"),
                transaction("b", {"x": FIRST, "y": FIRST}, "y"),
                transaction("c", {"y": FIRST, "z": FIRST}, "z"),
            ],
            {"x": "a", "y": "b", "z": "c"},
            "each came before the next",
        ),
        # A version of a transaction that failed.
        ([transaction("a", {"x": "gone"}, "")], {"x": FIRST}, "of gone, which was not acknowledged"),
        # What was acknowledged is not there.
        (
            [transaction("a", {"x": FIRST}, "x")],
            {"x": FIRST},
            "key x is of first at the end, and a wrote it last",
        ),
        ([transaction("a", {}, "x")], {"x": "a"}, "did not read it"),
        # It began after another had ended, and did not see what that wrote.
        (
            [
                transaction("a", {"x": FIRST}, "x", begun=0, ended=1),
                transaction("b", {"x": FIRST}, "", begun=2, ended=3),
            ],
            {"x": "a"},
            "a -> b -> a",
        ),
    ],
)
def test_faults_of_bad_histories_are_found(history, end, said):
    found = faults(history, end)
    assert any(said in fault for fault in found), found
