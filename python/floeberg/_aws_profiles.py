"""Which credentials has a profile of AWS?

In: the options `s3.profile-name` or `client.profile-name`. Out: the options that they stand for: keys, a session token,
and the region where no option gives one. They are asked for in each process, so that a worker reads its own files.
"""

from __future__ import annotations

import time
from collections.abc import Mapping  # noqa: TC003 - part of the signature of a provider
from typing import Final

from floeberg.errors import InvalidInputError, NotInstalledError, StorageError

__all__ = ["PROFILE_OPTIONS", "provide"]

PROFILE_OPTIONS: Final = ("s3.profile-name", "client.profile-name")
"""The options that name a profile; the first one wins."""

_AGAIN_AFTER: Final = 600
"""Seconds after which credentials that botocore renews are asked for again."""


def provide(options: Mapping[str, str]) -> dict[str, str]:
    """The credentials of the profile that the options name.

    Raises:
        NotInstalledError: botocore is not installed: `pip install 'floeberg[aws]'`.
        InvalidInputError: No profile has the name.
        StorageError: The profile has no credentials.
    """
    name = next(options[key] for key in PROFILE_OPTIONS if key in options)
    try:
        from botocore.credentials import RefreshableCredentials  # noqa: PLC0415 - importing floeberg imports nothing large
        from botocore.exceptions import BotoCoreError, ProfileNotFound  # noqa: PLC0415
        from botocore.session import Session  # noqa: PLC0415
    except ImportError:
        raise NotInstalledError(
            "a profile of AWS needs botocore: pip install 'floeberg[aws]'", context={"profile": name}
        ) from None
    session = Session(profile=name)
    try:
        found = session.get_credentials()
        frozen = None if found is None else found.get_frozen_credentials()
        region = session.get_config_variable("region")
    except ProfileNotFound:
        known = ", ".join(map(repr, session.available_profiles)) or "none"
        raise InvalidInputError(
            f"no profile of AWS is named {name!r}: there are {known}", context={"profile": name}
        ) from None
    except BotoCoreError as failure:
        raise StorageError(
            f"the profile of AWS gives no credentials: {type(failure).__name__}", context={"profile": name}
        ) from None
    if frozen is None or not frozen.access_key or not frozen.secret_key:
        raise StorageError("the profile of AWS has no credentials", context={"profile": name})
    given = {"s3.access-key-id": frozen.access_key, "s3.secret-access-key": frozen.secret_key}
    if frozen.token:
        given["s3.session-token"] = frozen.token
    if region and not {"s3.region", "client.region"} & set(options):
        given["s3.region"] = region
    if isinstance(found, RefreshableCredentials):
        given["storage-options.expires-at-ms"] = str(round((time.time() + _AGAIN_AFTER) * 1000))
    return given
