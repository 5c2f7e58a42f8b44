"""Objects of a store for tests, as files in a folder: a bucket is a folder, a key is a path below it.

An object appears whole or not at all: it is written beside the buckets and then renamed or linked.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import threading
import uuid
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

MARKER = ".marker"
"""The file of an object whose key ends with a slash."""


class RefusedError(Exception):
    """What S3 answers instead of what was asked for."""

    def __init__(self, status: int, code: str, headers: dict[str, str] | None = None) -> None:
        super().__init__(f"{status} {code}")
        self.status = status
        self.code = code
        self.headers = headers or {}


@dataclass(frozen=True)
class Stored:
    """An object as it was when it was opened: one that replaces it is another file."""

    file: BinaryIO
    size: int
    etag: str
    modified: float


@dataclass(frozen=True)
class Listed:
    """An object in a list."""

    key: str
    size: int
    etag: str
    modified: float


@dataclass(frozen=True)
class Page:
    """A page of a list, and where the next one starts."""

    objects: list[Listed]
    prefixes: list[str]
    next_after: str | None


class Objects:
    """The buckets of a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._new = folder / ".new"
        self._uploads = folder / ".uploads"
        self._new.mkdir(parents=True, exist_ok=True)
        self._uploads.mkdir(exist_ok=True)
        self._replacing = threading.Lock()

    def make_bucket(self, bucket: str) -> None:
        """Make a bucket, if it is not there."""
        self._below(bucket, "").mkdir(exist_ok=True)

    def bucket(self, bucket: str) -> Path:
        """The folder of a bucket."""
        folder = self._below(bucket, "")
        if not bucket or not folder.is_dir():
            raise RefusedError(404, "NoSuchBucket")
        return folder

    def open(self, bucket: str, key: str) -> Stored:
        """Open an object; who takes it closes its file."""
        self.bucket(bucket)
        path = self._below(bucket, key)
        try:
            file = path.open("rb")
        except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
            raise RefusedError(404, "NoSuchKey") from None
        state = os.fstat(file.fileno())
        return Stored(file, state.st_size, etag_of(state), state.st_mtime)

    def put(
        self,
        bucket: str,
        key: str,
        pieces: Iterable[bytes],
        *,
        if_absent: bool = False,
        if_match: str | None = None,
    ) -> str:
        """Write an object, under a condition; its ETag."""
        self.bucket(bucket)
        with self._written(pieces) as new:
            return self._place(new, self._below(bucket, key), if_absent=if_absent, if_match=if_match)

    def remove(self, bucket: str, key: str) -> None:
        """Remove an object, if there is one, and folders that are empty then."""
        folder, path = self.bucket(bucket), self._below(bucket, key)
        # A folder that has other objects stays.
        with contextlib.suppress(OSError):
            path.unlink()
            for parent in path.relative_to(folder).parents[:-1]:
                (folder / parent).rmdir()

    def page(self, bucket: str, prefix: str, delimiter: str, after: str, limit: int) -> Page:
        """A page of the objects whose keys begin with a prefix, in the order of their keys."""
        folder = self.bucket(bucket)
        found: dict[str, Path | None] = {}
        for key, path in _keys(folder, prefix, delimiter):
            rest = key[len(prefix) :]
            if delimiter and delimiter in rest:
                found[prefix + rest.partition(delimiter)[0] + delimiter] = None
            else:
                found[key] = path
        names = sorted(name for name in found if name > after)
        objects = []
        for name in names[:limit]:
            place = found[name]
            with contextlib.suppress(FileNotFoundError):
                if place is not None:
                    state = place.stat()
                    objects.append(Listed(name, state.st_size, etag_of(state), state.st_mtime))
        prefixes = [name for name in names[:limit] if found[name] is None]
        return Page(objects, prefixes, names[limit - 1] if len(names) > limit else None)

    def begin_upload(self, bucket: str, key: str) -> str:
        """Begin an upload of parts; its id."""
        self.bucket(bucket)
        upload = uuid.uuid4().hex
        place = self._uploads / upload
        place.mkdir()
        (place / "key").write_text(f"{bucket}/{key}")
        return upload

    def put_part(self, upload: str, number: int, pieces: Iterable[bytes]) -> str:
        """Write a part; its ETag."""
        place = self._upload(upload)
        with self._written(pieces) as new:
            etag = etag_of(new.stat())
            new.replace(place / f"{number}")
        return etag

    def complete(self, upload: str, parts: list[tuple[int, str]], *, if_absent: bool = False) -> str:
        """Make an object of parts, given with their ETags; its ETag."""
        place = self._upload(upload)
        paths = [place / f"{number}" for number, _ in parts]
        for path, (_, etag) in zip(paths, parts, strict=True):
            if not path.exists() or etag_of(path.stat()) != etag:
                raise RefusedError(400, "InvalidPart")
        bucket, _, key = (place / "key").read_text().partition("/")
        etag = self.put(bucket, key, _pieces_of(paths), if_absent=if_absent)
        shutil.rmtree(place, ignore_errors=True)
        return etag

    def abort(self, upload: str) -> None:
        """Give an upload up, with its parts."""
        shutil.rmtree(self._upload(upload), ignore_errors=True)

    def uploads(self, bucket: str) -> dict[str, str]:
        """The keys of uploads that were begun and neither completed nor given up, by id."""
        begun = {place.name: (place / "key").read_text() for place in self._uploads.iterdir()}
        return {
            upload: key.removeprefix(f"{bucket}/")
            for upload, key in begun.items()
            if key.startswith(f"{bucket}/")
        }

    def _upload(self, upload: str) -> Path:
        place = self._uploads / upload
        if not upload.isalnum() or not place.is_dir():
            raise RefusedError(404, "NoSuchUpload")
        return place

    def _below(self, bucket: str, key: str) -> Path:
        if key.endswith("/"):
            # Some clients put an empty object where they think of a folder.
            key += MARKER
        if any(name in {".", ".."} for name in f"{bucket}/{key}".split("/")) or bucket.startswith("."):
            raise RefusedError(400, "InvalidArgument")
        return self._folder / bucket / key

    @contextlib.contextmanager
    def _written(self, pieces: Iterable[bytes]) -> Iterator[Path]:
        """A new file, which is gone afterwards unless it was renamed."""
        new = self._new / uuid.uuid4().hex
        try:
            with new.open("xb") as file:
                for piece in pieces:
                    file.write(piece)
            yield new
        finally:
            new.unlink(missing_ok=True)

    def _place(self, new: Path, path: Path, *, if_absent: bool, if_match: str | None) -> str:
        etag = etag_of(new.stat())
        with self._replacing:
            if if_match is not None:
                try:
                    is_same = etag_of(path.stat()) == if_match
                except FileNotFoundError:
                    raise RefusedError(404, "NoSuchKey") from None
                if not is_same:
                    raise RefusedError(412, "PreconditionFailed")
            # Who removes a neighbour may remove the folder too.
            for _ in range(100):
                path.parent.mkdir(parents=True, exist_ok=True)
                try:
                    if if_absent:
                        os.link(new, path)
                    else:
                        new.replace(path)
                except FileNotFoundError:
                    continue
                except FileExistsError:
                    raise RefusedError(412, "PreconditionFailed") from None
                return etag
        raise RefusedError(500, "InternalError")


def etag_of(state: os.stat_result) -> str:
    """A strong ETag: one that replaces a file is another file, written at another time."""
    return f'"{state.st_ino:x}-{state.st_mtime_ns:x}-{state.st_size:x}"'


def _keys(folder: Path, prefix: str, delimiter: str) -> Iterator[tuple[str, Path]]:
    """Keys that begin with a prefix, and their files; of a folder that is one entry, only the first file."""
    above, _, _ = prefix.rpartition("/")
    start = folder / above
    if delimiter != "/":
        yield from _files(folder, start, prefix)
        return
    with contextlib.suppress(FileNotFoundError, NotADirectoryError):
        for entry in start.iterdir():
            key = entry.relative_to(folder).as_posix().removesuffix(MARKER)
            if not f"{key}/".startswith(prefix):
                continue
            if entry.is_dir():
                first = next(_files(folder, entry, prefix), None)
                if first is not None:
                    yield first
            elif key.startswith(prefix):
                yield key, entry


def _files(folder: Path, start: Path, prefix: str) -> Iterator[tuple[str, Path]]:
    for place, _, names in os.walk(start):
        for name in names:
            path = Path(place, name)
            key = path.relative_to(folder).as_posix().removesuffix(MARKER)
            if key.startswith(prefix):
                yield key, path


def _pieces_of(paths: list[Path]) -> Iterator[bytes]:
    for path in paths:
        with path.open("rb") as file:
            while piece := file.read(1 << 20):
                yield piece
