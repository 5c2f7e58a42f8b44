"""How are keys wrapped by AWS Key Management Service?

In: a key, and the id, the ARN or the alias of a KMS key. Out: the ciphertext of KMS, which names the version of the key
itself.

The options are those of Iceberg Java's `AwsKeyManagementClient`, and wrapped keys are the same: each opens tables of
the other.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, ClassVar, Final

from floeberg.encryption._http import checked_address
from floeberg.encryption._provider import Provider, checked_id, checked_key
from floeberg.errors import (
    FloebergError,
    InvalidDataError,
    InvalidInputError,
    NotFoundError,
    NotInstalledError,
    PermissionDeniedError,
    StorageError,
)

__all__ = ["AwsKms"]

ENDPOINT: Final = "kms.endpoint"
ALGORITHM: Final = "kms.encryption-algorithm-spec"
DATA_KEY: Final = "kms.data-key-spec"
REGION: Final = "client.region"
PROFILE: Final = "client.profile-name"
_CREDENTIALS: Final = ("client.access-key-id", "client.secret-access-key", "client.session-token")
_SERVICE: Final = "AWS KMS"
_DATA_KEYS: Final = ("AES_128", "AES_256")
_REFUSED: Final = frozenset(
    {"AccessDeniedException", "UnrecognizedClientException", "InvalidSignatureException"}
)
_WRONG: Final = frozenset({"InvalidCiphertextException", "IncorrectKeyException", "ValidationException"})
_BUSY: Final = frozenset(
    {"ThrottlingException", "KMSInternalException", "DependencyTimeoutException", "KeyUnavailableException"}
)

if TYPE_CHECKING:
    from collections.abc import Callable


class AwsKms(Provider):
    """Keys of AWS Key Management Service.

    Credentials are found where AWS keeps them: in the environment, in profiles, on machines. The property
    `encryption.key-id` of a table is the id, the ARN or the alias of a symmetric key. Policies must allow
    `kms:Encrypt`, `kms:Decrypt` and `kms:GenerateDataKey`.

    Args:
        region: The region; by default, that of the profile or the environment.
        profile: A profile of AWS.
        endpoint: Another address of KMS, as of a private network.
        data_key_spec: The size of keys that KMS makes: `AES_128` or `AES_256`, the default.
        encryption_algorithm: By default, `SYMMETRIC_DEFAULT`.

    Examples:
        >>> AwsKms(region="eu-central-1")
        AwsKms(client.region='eu-central-1')
    """

    kind: ClassVar[str] = "aws"
    shown: ClassVar[tuple[str, ...]] = (REGION, PROFILE, ENDPOINT)
    supports_key_generation = True

    def __init__(
        self,
        *,
        region: str | None = None,
        profile: str | None = None,
        endpoint: str | None = None,
        data_key_spec: str | None = None,
        encryption_algorithm: str | None = None,
    ) -> None:
        super().__init__(
            {
                REGION: region,
                PROFILE: profile,
                ENDPOINT: endpoint,
                DATA_KEY: data_key_spec,
                ALGORITHM: encryption_algorithm,
            }
        )
        self._check()

    def _check(self) -> None:
        if endpoint := self._option(ENDPOINT):
            checked_address(ENDPOINT, endpoint)
        if (spec := self._option(DATA_KEY)) not in (None, *_DATA_KEYS):
            raise InvalidInputError(f"{DATA_KEY}: expected 'AES_128' or 'AES_256', found {spec!r}")
        # Clients are threads' own business, but not that of a forked process.
        self._clients: dict[int, Any] = {}

    def wrap_key(self, key: bytes, wrapping_key_id: str) -> bytes:
        """Encrypts a key by a KMS key.

        Raises:
            NotFoundError: KMS has no such key.
            PermissionDeniedError: AWS has no credentials here, or they do not allow this.
            StorageError: KMS cannot be reached, or is busy.
            NotInstalledError: botocore is not installed: `pip install 'floeberg[aws]'`.
        """
        plain = checked_key("key", key)
        answer = self._asked(
            wrapping_key_id,
            lambda client, key_id: client.encrypt(
                KeyId=key_id, Plaintext=plain, EncryptionAlgorithm=self._algorithm
            ),
        )
        return bytes(answer["CiphertextBlob"])

    def unwrap_key(self, wrapped_key: bytes, wrapping_key_id: str) -> bytes:
        """Decrypts a key by the KMS key that wrapped it.

        Raises:
            InvalidDataError: Another key wrapped it, or it is damaged.
            NotFoundError: KMS has no such key.
            PermissionDeniedError: AWS has no credentials here, or they do not allow this.
            StorageError: KMS cannot be reached, or is busy.
            NotInstalledError: botocore is not installed.
        """
        wrapped = bytes(wrapped_key)
        answer = self._asked(
            wrapping_key_id,
            lambda client, key_id: client.decrypt(
                KeyId=key_id, CiphertextBlob=wrapped, EncryptionAlgorithm=self._algorithm
            ),
        )
        return bytes(answer["Plaintext"])

    def generate_key(self, wrapping_key_id: str) -> tuple[bytes, bytes]:
        """Lets KMS make a key.

        Returns:
            The key, and the same key wrapped.

        Raises:
            NotFoundError: KMS has no such key.
            PermissionDeniedError: AWS has no credentials here, or they do not allow this.
            StorageError: KMS cannot be reached, or is busy.
            NotInstalledError: botocore is not installed.
        """
        spec = self._option(DATA_KEY) or _DATA_KEYS[1]
        answer = self._asked(
            wrapping_key_id, lambda client, key_id: client.generate_data_key(KeyId=key_id, KeySpec=spec)
        )
        return bytes(answer["Plaintext"]), bytes(answer["CiphertextBlob"])

    @property
    def _algorithm(self) -> str:
        return self._option(ALGORITHM) or "SYMMETRIC_DEFAULT"

    def _asked(self, wrapping_key_id: str, ask: Callable[[Any, str], Any]) -> Any:  # noqa: ANN401 - an answer of botocore
        known = checked_id(wrapping_key_id)
        client = self._client()
        from botocore.exceptions import (  # noqa: PLC0415 - importing floeberg imports nothing large
            BotoCoreError,
            ClientError,
            ConnectionError,  # noqa: A004 - that of botocore
            HTTPClientError,
            NoCredentialsError,
            PartialCredentialsError,
        )

        try:
            return ask(client, known)
        except ClientError as failure:
            raise _judged(failure.response.get("Error", {}).get("Code", ""), known) from None
        except (NoCredentialsError, PartialCredentialsError):
            raise PermissionDeniedError(
                "AWS has no credentials here: give a profile, or those of the environment",
                context=_where(known),
            ) from None
        except (ConnectionError, HTTPClientError) as failure:
            raise StorageError(
                f"{_SERVICE} cannot be reached: {type(failure).__name__}",
                context=_where(known),
                retryable=True,
            ) from None
        except BotoCoreError as failure:
            raise InvalidInputError(
                f"{_SERVICE} cannot be asked: {type(failure).__name__}", context=_where(known)
            ) from None

    def _client(self) -> Any:  # noqa: ANN401 - a class that botocore makes
        process = os.getpid()
        if process not in self._clients:
            self._clients[process] = self._connected()
        return self._clients[process]

    def _connected(self) -> Any:  # noqa: ANN401 - the same
        try:
            from botocore.config import Config  # noqa: PLC0415 - importing floeberg imports nothing large
            from botocore.exceptions import BotoCoreError, NoRegionError  # noqa: PLC0415
            from botocore.session import Session  # noqa: PLC0415
        except ImportError:
            raise NotInstalledError(f"{_SERVICE} needs botocore: pip install 'floeberg[aws]'") from None
        try:
            session: Any = Session(profile=self._option(PROFILE))
            key, secret, token = (self._option(each) for each in _CREDENTIALS)
            return session.create_client(
                "kms",
                region_name=self._option(REGION),
                endpoint_url=self._option(ENDPOINT),
                aws_access_key_id=key,
                aws_secret_access_key=secret,
                aws_session_token=token,
                config=Config(
                    connect_timeout=10, read_timeout=20, retries={"mode": "standard", "max_attempts": 4}
                ),
            )
        except NoRegionError:
            raise InvalidInputError(
                f"{_SERVICE} has no region: give the option {REGION!r}, a profile with a region, or AWS_DEFAULT_REGION"
            ) from None
        except (BotoCoreError, ValueError) as failure:
            raise InvalidInputError(
                f"{_SERVICE} cannot be asked with these options: {type(failure).__name__}"
            ) from None


def _where(key_id: str) -> dict[str, str]:
    return {"key": key_id, "service": _SERVICE}


def _judged(code: str, key_id: str) -> FloebergError:
    where = _where(key_id)
    if code == "NotFoundException":
        return NotFoundError(
            f"{_SERVICE} has no key {key_id!r} in this account and region: is the id, the ARN or the alias right?",
            context=where,
        )
    if code in _REFUSED or code.startswith("ExpiredToken"):
        return PermissionDeniedError(
            f"{_SERVICE} refuses the key {key_id!r} ({code}): the policy must allow kms:Encrypt, kms:Decrypt and "
            "kms:GenerateDataKey",
            context=where,
        )
    if code in _WRONG:
        return InvalidDataError(
            f"{_SERVICE} cannot open this by the key {key_id!r} ({code}): another key wrapped it, or it is damaged",
            context=where,
        )
    if code in ("DisabledException", "KMSInvalidStateException", "InvalidKeyUsageException"):
        return PermissionDeniedError(
            f"the key {key_id!r} of {_SERVICE} is disabled, waits for its deletion, or is of another kind ({code})",
            context=where,
        )
    return StorageError(f"{_SERVICE} answered {code or 'an error'}", context=where, retryable=code in _BUSY)
