"""Which properties do the REST endpoints of AWS need?

Spec: AWS Glue and Amazon S3 Tables, Iceberg REST endpoints.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from floeberg.catalog.rest.pyiceberg_auth import with_pyiceberg_auth
from floeberg.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["with_preset"]

_SERVICES = {"glue": "glue", "s3tables": "s3tables"}


def with_preset(properties: Mapping[str, str]) -> dict[str, str]:
    """The properties, and those that their `type` adds: the address of the endpoint in a region, and the signature.

    What `auth` of PyIceberg means is among them.

    Raises:
        InvalidInputError: `glue` or `s3tables` without a region or an address; `s3tables` without a warehouse.
    """
    properties = with_pyiceberg_auth(properties)
    service = _SERVICES.get(properties.get("type", "").lower())
    if service is None:
        return properties
    region = properties.get("rest.signing-region") or properties.get("client.region")
    if service == "s3tables" and "warehouse" not in properties:
        raise InvalidInputError("S3 Tables need the property 'warehouse': the ARN of the table bucket")
    if region is None and service == "s3tables":
        # arn:aws:s3tables:<region>:<account>:bucket/<name>
        parts = properties["warehouse"].split(":")
        region = parts[3] if len(parts) > 4 and parts[3] else None  # noqa: PLR2004 - parts of an ARN
    if region is None and "uri" not in properties:
        raise InvalidInputError(
            f"the type {service!r} needs the property 'client.region', or the 'uri' of its endpoint"
        )
    preset = {"rest.auth.type": "sigv4", "rest.signing-name": service}
    if region is not None:
        preset |= {"uri": f"https://{service}.{region}.amazonaws.com/iceberg", "rest.signing-region": region}
        preset |= {"client.region": region}
    return preset | properties
