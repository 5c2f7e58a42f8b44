"""How are metadata files of functions read and written?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from floeberg import _native
from floeberg._arguments import checked_options, checked_path
from floeberg._keywords import says_keywords
from floeberg.errors import FloebergError, InvalidDataError, LimitExceededError, UnsupportedError
from floeberg.udf.metadata import UdfMetadata

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

__all__ = ["open_udf", "read_udf", "write_udf"]

_MOST_BYTES = 64 << 20


@says_keywords
def open_udf(
    location: str | os.PathLike[str], *, storage_options: Mapping[str, str] | None = None
) -> UdfMetadata:
    """Opens the metadata file of a function, without a catalog.

    Args:
        location: The file, as a path or a URI.
        storage_options: Options of the storage. Reprs and errors do not show them.

    Returns:
        The metadata.

    Raises:
        NotFoundError: There is no such file.
        InvalidDataError: The metadata is damaged. The error names the file and the place in it.
        UnsupportedError: The format version, or the scheme of the location, is not supported.

    Examples:
        >>> import tempfile, pathlib
        >>> from floeberg.udf import UdfMetadata, open_udf
        >>> path = pathlib.Path(tempfile.mkdtemp(), "f.json")
        >>> udf = UdfMetadata.new().with_definition({"x": "long"}, "long", sql={"spark": "x"})
        >>> path.write_text(udf.to_json()) > 0, open_udf(path) == udf
        (True, True)
    """
    place = _native.location_from_user(checked_path("location", location))
    return read_udf(place, checked_options("storage_options", storage_options))


def read_udf(location: str, storage_options: Mapping[str, str]) -> UdfMetadata:
    """The metadata in a file."""
    content = _native.read_file(location, storage_options=dict(storage_options))
    if len(content) > _MOST_BYTES:
        raise LimitExceededError(
            f"the metadata of a function has more than {_MOST_BYTES >> 20} MiB", context={"path": location}
        )
    try:
        return UdfMetadata.from_json(content)
    except (InvalidDataError, UnsupportedError) as error:
        kind: type[FloebergError] = type(error)
        raise kind(error.message, context={"path": location} | error.context) from error


def write_udf(location: str, metadata: UdfMetadata, storage_options: Mapping[str, str]) -> None:
    """Writes metadata durably to a file that does not exist yet.

    Raises:
        AlreadyExistsError: The file is there.
    """
    _native.put_file_if_absent(location, metadata.to_json().encode(), storage_options=dict(storage_options))
