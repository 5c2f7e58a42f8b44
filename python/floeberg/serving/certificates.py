"""With which certificate does a server speak HTTPS?

In: files in PEM. Out: the same files, which fit, or an error before the server listens.
"""

from __future__ import annotations

import ssl
from pathlib import Path
from typing import TYPE_CHECKING

from floeberg._arguments import checked_path
from floeberg.errors import InvalidInputError, NotFoundError

if TYPE_CHECKING:
    import os

__all__ = ["checked_certificate"]


def checked_certificate(
    certificate: str | os.PathLike[str] | None, key: str | os.PathLike[str] | None
) -> tuple[str, str | None] | None:
    """The files of a certificate and of its key; `None` for HTTP.

    Raises:
        InvalidInputError: There is a key alone, or the files are no certificate with its key.
        NotFoundError: A file is not there.
    """
    if certificate is None:
        if key is not None:
            raise InvalidInputError("key: expected the certificate of the key too (--certificate)")
        return None
    own = checked_path("certificate", certificate)
    its = None if key is None else checked_path("key", key)
    for name, file in (("certificate", own), ("key", its)):
        if file is not None and not Path(file).is_file():
            raise NotFoundError(f"{name}: there is no such file", context={"path": file})

    def no_password() -> str:
        raise InvalidInputError("key: the key has a password, and a server cannot ask for it")

    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(own, its, no_password)
    except (OSError, ValueError) as error:
        if isinstance(error, InvalidInputError):
            raise
        more = "" if its is not None else ", and the key is expected in the same file without --key"
        raise InvalidInputError(
            f"certificate: expected a certificate in PEM and its own key{more}: {error}",
            context={"path": own},
        ) from error
    return own, its
