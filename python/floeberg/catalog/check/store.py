"""Can files be listed, written, read and removed where a catalog keeps its tables?

Invariant: nothing is written but below a folder of the check's own, whose name begins with a dot, and it is removed.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from floeberg import _native
from floeberg.catalog.check.fixes import store_fix
from floeberg.catalog.check.race import raced, raced_file
from floeberg.catalog.check.recorder import SkipStepError
from floeberg.catalog.check.store_settings import credentials_of, kind_of, region_of
from floeberg.catalog.folders import Folders
from floeberg.errors import (
    FloebergError,
    InvalidInputError,
    NotFoundError,
    PermissionDeniedError,
    StorageError,
    UnsupportedError,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from floeberg.catalog.check.recorder import Recorder

__all__ = ["STORE_STEPS", "StorePlace", "check_store"]

STORE_STEPS = ("region", "store credentials", "bucket", "list", "put", "read", "put-if-absent", "delete")
_CONTENT = b"written by the check of a catalog\n"
_METADATA = (".metadata.json", ".metadata.json.gz")
_NO_BUCKET = ("NoSuchBucket", "ContainerNotFound", "bucket does not exist")
_HIDDEN = ".floeberg-check-"


@dataclass(frozen=True)
class StorePlace:
    """Where a catalog keeps its tables.

    Args:
        location: A folder.
        options: The storage options.
        origins: Where each of them came from.
        no_writes: Why nothing is written there; empty where the check may write.
        is_given: Whether the user named the folder. A store may refuse files at others.
        decides: Whether commits need the store to decide between writers.
    """

    location: str
    options: Mapping[str, str] = field(repr=False)
    origins: Mapping[str, str]
    no_writes: str = ""
    is_given: bool = True
    decides: bool = False


def check_store(recorder: Recorder, place: StorePlace) -> None:
    """Does the steps of a store, in order."""
    _Store(recorder, place).run()


class _Store:
    def __init__(self, recorder: Recorder, place: StorePlace) -> None:
        self._recorder, self._place = recorder, place
        self._options = dict(place.options)
        self._kind = kind_of(place.location)
        self._base = place.location.rstrip("/")
        self._own = f"{self._base}/{_HIDDEN}{uuid.uuid4().hex}"
        self._file = f"{self._own}/file"
        self._folders = Folders(self._options)

    def run(self) -> None:
        run = self._recorder.run
        fix = store_fix(self._kind, self._place.location)
        run("region", self._region, fix=fix)
        run("store credentials", self._credentials, fix=fix)
        run("bucket", self._bucket, fix=fix)
        run("list", self._list, fix=fix, after=("bucket",))
        missing = self._missing_folders()
        try:
            run("put", self._put, fix=fix, after=("bucket",))
            run("read", self._read, fix=fix, after=("put",))
            run("put-if-absent", self._race, fix=fix, after=("put",))
        finally:
            run("delete", lambda: self._delete(missing), fix=fix)

    def _region(self) -> str:
        if self._kind != "s3":
            raise SkipStepError("stores of this kind have no region")
        found = region_of(self._place.options, self._place.origins)
        return found or "none is given: the store takes us-east-1"

    def _credentials(self) -> str:
        if self._kind in ("local", "memory", "http"):
            raise SkipStepError("stores of this kind ask for none")
        return credentials_of(self._kind, self._place.options, self._place.origins)

    def _bucket(self) -> str:
        if self._kind == "memory":
            raise SkipStepError("the store is the memory of this process")
        if self._kind == "local":
            self._check_folders()
            there = self._folders.is_there(self._base)
            return self._base if there else f"{self._base}: not there yet, the first table creates it"
        try:
            self._listed()
        except PermissionDeniedError:
            # Who may not list may still read: then a file that is not there is not found.
            _native.file_exists(self._file, storage_options=self._options)
        except StorageError as failure:
            if any(code in failure.message for code in _NO_BUCKET):
                raise NotFoundError(
                    "the bucket or container does not exist", context={"path": self._base}
                ) from failure
            raise
        return self._base

    def _check_folders(self) -> None:
        """Checks that neither the warehouse nor a folder above it is a file."""
        folder = self._base
        while folder.strip("/").rpartition(":")[2]:
            if _native.file_exists(folder, storage_options=self._options):
                raise InvalidInputError("expected a folder, found a file", context={"path": folder})
            folder = folder.rpartition("/")[0]

    def _list(self) -> str:
        if self._kind == "http":
            raise SkipStepError("a file server cannot list files")
        found = self._listed()
        if not found:
            return f"nothing at {self._base} yet"
        folders = sum(1 for _, is_folder in found if is_folder)
        return f"{folders} folders and {len(found) - folders} files at {self._base}"

    def _listed(self) -> list[tuple[str, bool]]:
        try:
            return _native.list_folder(self._base, storage_options=self._options)
        except NotFoundError:
            return []

    def _check_may_write(self) -> None:
        if self._place.no_writes:
            raise SkipStepError(self._place.no_writes)
        if self._kind == "http":
            raise SkipStepError("a file server is read only")
        if any(name.endswith(_METADATA) for name in self._folders.files_in(f"{self._base}/metadata")):
            raise SkipStepError(f"{self._base} is the folder of a table, and nothing is written there")

    def _put(self) -> str:
        self._check_may_write()
        try:
            _native.put_file(self._file, _CONTENT, storage_options=self._options)
        except PermissionDeniedError as failure:
            if self._place.is_given:
                raise
            # Buckets of tables, as those of S3 Tables, take no other files.
            raise SkipStepError(
                f"the store takes no files beside those of tables at {self._base}: give location"
            ) from failure
        return f"{len(_CONTENT)} bytes at {self._file}"

    def _read(self) -> str:
        self._check_written()
        found = _native.read_file(self._file, storage_options=self._options)
        if found != _CONTENT:
            raise StorageError(f"{len(_CONTENT)} bytes were written, and {len(found)} other ones are read")
        if "file" not in self._folders.files_in(self._own):
            raise StorageError("the file can be read, and the list of its folder does not have it")
        return f"{len(found)} bytes, as they were written, and in the list"

    def _race(self) -> str:
        self._check_written()
        try:
            return raced(f"{self._own}/race", self._options)
        except UnsupportedError as failure:
            if self._place.decides:
                raise
            raise SkipStepError(
                f"the store cannot do it, and the catalog does not need it: {failure.message}"
            ) from failure

    def _check_written(self) -> None:
        if not self._recorder.has_passed("put"):
            raise SkipStepError("nothing was written")

    def _delete(self, missing: list[str]) -> str:
        if self._place.no_writes or not self._was_begun():
            raise SkipStepError("nothing was written")
        self._folders.remove_all(self._own)
        for folder in missing:
            self._folders.remove_empty(folder)
        # A store may still list folders, which were never made there.
        written = (self._file, raced_file(f"{self._own}/race"))
        left = [each for each in written if _native.file_exists(each, storage_options=self._options)]
        if left:
            raise StorageError("a file was removed, and is still there", context={"path": left[0]})
        return f"{self._own}"

    def _was_begun(self) -> bool:
        """Whether something may be there: a failed put may have written."""
        if self._recorder.has_passed("put"):
            return True
        try:
            return self._kind != "http" and self._folders.is_there(self._own)
        except FloebergError:
            return False

    def _missing_folders(self) -> list[str]:
        """Folders that the check makes on the way to its own, innermost first."""
        missing: list[str] = []
        if self._kind != "local" or self._place.no_writes:
            return missing
        folder = self._base
        while folder.strip("/").rpartition(":")[2] and not self._is_there(folder):
            missing.append(folder)
            folder = folder.rpartition("/")[0]
        return missing

    def _is_there(self, folder: str) -> bool:
        try:
            return self._folders.is_there(folder)
        except InvalidInputError:
            return True
