"""Errors are of the classes that Python programmers expect, and survive a process border."""

from __future__ import annotations

import inspect
import pickle
import traceback

import pytest

import floeberg as fb
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


SIGNED = [
    "abfss://c@a.dfs.core.windows.net/t?sv=2&sig={}&se=1",
    "no file at https://a.blob.core.windows.net/c/t?SIG={}",
    "wasb://c@a/t?sv=1&amp;sig={}/metadata",
    "https://b.s3.amazonaws.com/k?X-Amz-Algorithm=A&X-Amz-Signature={}",
    "https://b/k?X-Amz-Security-Token={}, and more",
    "('gs://b/k?X-Goog-Signature={}')",
    "https://b/k?AWSAccessKeyId=A&Signature={}",
]


@pytest.mark.parametrize("text", SIGNED)
@pytest.mark.parametrize("secret", ["hush-hush", "a%2Bb%3D", "a+b/c=="])
def test_signatures_of_addresses_are_in_no_text_of_an_error(text, secret):
    given = text.format(secret)
    for error in (
        errors.StorageError(given),
        errors.NotFoundError("why", context={"path": given}),
        pickle.loads(pickle.dumps(errors.StorageError(given, context={"path": given}))),
    ):
        assert secret not in f"{error} {error!r} {error.message} {error.context} {error.args}"
        assert "=***" in str(error)


@pytest.mark.parametrize("text", ["a=1&b=2", "sig=nal", "?signal=x", "design=5", "x?significant=1", ""])
def test_what_is_no_signature_stays(text):
    assert str(errors.StorageError(text)) == text


def test_the_address_that_a_user_gives_is_shown_without_its_signature(tmp_path):
    for location in (f"{tmp_path}/t?sv=1&sig=hush-hush", "https://127.0.0.1:9/t?sig=hush-hush"):
        with pytest.raises(errors.FloebergError) as caught:
            fb.open_table(location, storage_options={"io.retries": "0"})
        assert "hush-hush" not in "".join(traceback.format_exception(caught.value))
    found = fb.catalog.check_catalog("c", type="memory", warehouse=f"{tmp_path}/w?sv=1&sig=hush-hush")
    assert "hush-hush" not in repr(found) + found._repr_html_()
