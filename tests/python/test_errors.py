"""Errors are of the classes that Python programmers expect, and survive a process border."""

from __future__ import annotations

import inspect
import pickle

import pytest

from floeberg import errors

CLASSES = [
    each for _, each in inspect.getmembers(errors, inspect.isclass) if issubclass(each, errors.FloebergError)
]


def test_every_public_error_is_covered():
    assert sorted(errors.__all__) == sorted(each.__name__ for each in CLASSES)


@pytest.mark.parametrize("error", CLASSES)
def test_an_error_keeps_all_it_says_when_it_is_pickled(error):
    raised = error("no such thing", context={"path": "s3://b/k", "snapshot": "12"}, retryable=True)
    raised.add_note("caused by: the network")
    again = pickle.loads(pickle.dumps(raised))
    assert type(again) is error
    assert str(again) == str(raised)
    assert str(again).startswith("no such thing (path: s3://b/k, snapshot: 12)")
    assert (again.message, again.context, again.retryable) == (raised.message, raised.context, True)
    assert getattr(again, "__notes__", None) == getattr(raised, "__notes__", None)


@pytest.mark.parametrize(
    ("error", "builtin"),
    [
        (errors.NotFoundError, FileNotFoundError),
        (errors.AlreadyExistsError, FileExistsError),
        (errors.InvalidInputError, ValueError),
        (errors.UnsupportedError, NotImplementedError),
        (errors.PermissionDeniedError, PermissionError),
        (errors.StorageError, OSError),
        (errors.InternalError, RuntimeError),
        (errors.NotInstalledError, ImportError),
        (errors.MissingAttributeError, AttributeError),
    ],
)
def test_an_error_is_also_the_builtin_that_is_expected(error, builtin):
    with pytest.raises(builtin, match="^why$"):
        raise error("why")


def test_kinds_are_distinct_among_the_direct_subclasses():
    direct = [each for each in CLASSES if each.__bases__[0] is errors.FloebergError]
    assert len({each.kind for each in direct}) == len(direct)
