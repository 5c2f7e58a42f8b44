"""What does S3 answer? Signatures are not looked at."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timezone
from email.message import Message
from email.utils import formatdate
from typing import BinaryIO
from urllib.parse import quote
from xml.etree import ElementTree
from xml.sax.saxutils import escape

from far_store_objects import Listed, Objects, RefusedError, Stored

NAMESPACE = 'xmlns="http://s3.amazonaws.com/doc/2006-03-01/"'
RANGE = re.compile(r"bytes=(\d*)-(\d*)")


@dataclass(frozen=True)
class Call:
    """What was asked.

    Args:
        verb: The verb of HTTP.
        bucket: The first name of the path.
        key: The rest of it; empty for the bucket itself.
        query: The query, each name once.
        headers: The headers.
        body: What was sent, in pieces.
        whole: Does the range count for nothing?
        target: The path and the query, as they were sent.
    """

    verb: str
    bucket: str
    key: str
    query: Mapping[str, str]
    headers: Message
    body: Iterator[bytes]
    whole: bool = False
    target: str = ""

    @property
    def is_list(self) -> bool:
        """Is it a list of keys?"""
        return self.verb == "GET" and not self.key and not self.query.keys() & {"uploads", "location"}

    @property
    def about(self) -> str:
        """The key, or the prefix of a list, or the keys that are removed together."""
        return self.key or self.query.get("prefix", "")


@dataclass(frozen=True)
class Answer:
    """What is sent: bytes, or a part of a file, which is closed afterwards."""

    status: int
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""
    file: BinaryIO | None = None
    start: int = 0
    length: int = 0


def xml(status: int, text: str, headers: Mapping[str, str] | None = None) -> Answer:
    """An answer of XML."""
    body = f'<?xml version="1.0" encoding="UTF-8"?>\n{text}'.encode()
    return Answer(status, {"Content-Type": "application/xml", **(headers or {})}, body, length=len(body))


def refusal(error: RefusedError, key: str) -> Answer:
    """An error, as S3 tells it."""
    about = f"<Code>{error.code}</Code><Message>{error.code}</Message><Key>{escape(key)}</Key>"
    return xml(error.status, f"<Error>{about}<RequestId>0</RequestId></Error>", error.headers)


class S3:
    """What S3 answers, of the objects of a folder."""

    def __init__(self, objects: Objects, page: int) -> None:
        self._objects = objects
        self.page = page

    def answer(self, call: Call) -> Answer:
        """Do what was asked, and say what is answered."""
        try:
            return self._answers(call)(call)
        except RefusedError as error:
            return refusal(error, call.key)

    def _answers(self, call: Call) -> Callable[[Call], Answer]:
        of_buckets = {"GET": self._list, "HEAD": self._has_bucket, "PUT": self._make_bucket}
        of_keys = {"GET": self._get, "HEAD": self._get, "PUT": self._put, "DELETE": self._delete}
        by_query = {
            ("POST", "delete"): self._delete_many,
            ("POST", "uploads"): self._begin_upload,
            ("POST", "uploadId"): self._complete,
            ("PUT", "uploadId"): self._put_part,
            ("DELETE", "uploadId"): self._abort,
            ("GET", "uploads"): self._uploads,
            ("GET", "location"): self._location,
        }
        for (verb, name), does in by_query.items():
            if call.verb == verb and name in call.query:
                return does
        if "x-amz-copy-source" in call.headers:
            raise RefusedError(501, "NotImplemented")
        try:
            return (of_keys if call.key else of_buckets)[call.verb]
        except KeyError:
            raise RefusedError(405, "MethodNotAllowed") from None

    def _get(self, call: Call) -> Answer:
        stored = self._objects.open(call.bucket, call.key)
        try:
            return _part_of(stored, call)
        except RefusedError:
            stored.file.close()
            raise

    def _put(self, call: Call) -> Answer:
        if call.headers.get("If-None-Match", "*") != "*":
            raise RefusedError(501, "NotImplemented")
        etag = self._objects.put(
            call.bucket,
            call.key,
            call.body,
            if_absent="If-None-Match" in call.headers,
            if_match=call.headers.get("If-Match"),
        )
        return Answer(200, {"ETag": etag})

    def _delete(self, call: Call) -> Answer:
        self._objects.remove(call.bucket, call.key)
        return Answer(204)

    def _delete_many(self, call: Call) -> Answer:
        asked = ElementTree.fromstring(b"".join(call.body))
        keys = [each.text or "" for each in asked.iterfind("{*}Object/{*}Key")]
        for key in keys:
            self._objects.remove(call.bucket, key)
        removed = "".join(f"<Deleted><Key>{escape(key)}</Key></Deleted>" for key in keys)
        return xml(200, f"<DeleteResult {NAMESPACE}>{removed}</DeleteResult>")

    def _begin_upload(self, call: Call) -> Answer:
        upload = self._objects.begin_upload(call.bucket, call.key)
        told = f"<Bucket>{call.bucket}</Bucket><Key>{escape(call.key)}</Key><UploadId>{upload}</UploadId>"
        return xml(200, f"<InitiateMultipartUploadResult {NAMESPACE}>{told}</InitiateMultipartUploadResult>")

    def _put_part(self, call: Call) -> Answer:
        number = int(call.query["partNumber"])
        return Answer(200, {"ETag": self._objects.put_part(call.query["uploadId"], number, call.body)})

    def _complete(self, call: Call) -> Answer:
        asked = ElementTree.fromstring(b"".join(call.body))
        parts = [
            (int(part.findtext("{*}PartNumber", "0")), part.findtext("{*}ETag", ""))
            for part in asked.iterfind("{*}Part")
        ]
        etag = self._objects.complete(
            call.query["uploadId"], parts, if_absent="If-None-Match" in call.headers
        )
        told = f"<Bucket>{call.bucket}</Bucket><Key>{escape(call.key)}</Key><ETag>{escape(etag)}</ETag>"
        return xml(200, f"<CompleteMultipartUploadResult {NAMESPACE}>{told}</CompleteMultipartUploadResult>")

    def _abort(self, call: Call) -> Answer:
        self._objects.abort(call.query["uploadId"])
        return Answer(204)

    def _uploads(self, call: Call) -> Answer:
        begun = self._objects.uploads(call.bucket)
        told = "".join(
            f"<Upload><Key>{escape(key)}</Key><UploadId>{upload}</UploadId></Upload>"
            for upload, key in begun.items()
        )
        return xml(200, f"<ListMultipartUploadsResult {NAMESPACE}>{told}</ListMultipartUploadsResult>")

    def _list(self, call: Call) -> Answer:
        query = call.query
        token = query.get("continuation-token")
        after = base64.b64decode(token).decode() if token else query.get("start-after", "")
        limit = min(int(query.get("max-keys") or 1000), self.page)
        prefix, delimiter = query.get("prefix", ""), query.get("delimiter", "")
        page = self._objects.page(call.bucket, prefix, delimiter, after, limit)
        written = quote if query.get("encoding-type") == "url" else escape
        told = [
            f"<Name>{call.bucket}</Name><Prefix>{written(prefix)}</Prefix><MaxKeys>{limit}</MaxKeys>",
            f"<KeyCount>{len(page.objects) + len(page.prefixes)}</KeyCount>",
            f"<IsTruncated>{str(page.next_after is not None).lower()}</IsTruncated>",
        ]
        if page.next_after is not None:
            following = base64.b64encode(page.next_after.encode()).decode()
            told.append(f"<NextContinuationToken>{following}</NextContinuationToken>")
        told += [_contents(each, written) for each in page.objects]
        told += [
            f"<CommonPrefixes><Prefix>{written(each)}</Prefix></CommonPrefixes>" for each in page.prefixes
        ]
        return xml(200, f"<ListBucketResult {NAMESPACE}>{''.join(told)}</ListBucketResult>")

    def _has_bucket(self, call: Call) -> Answer:
        self._objects.bucket(call.bucket)
        return Answer(200)

    def _make_bucket(self, call: Call) -> Answer:
        self._objects.make_bucket(call.bucket)
        return Answer(200)

    def _location(self, call: Call) -> Answer:
        self._objects.bucket(call.bucket)
        return xml(200, f"<LocationConstraint {NAMESPACE}>us-east-1</LocationConstraint>")


def _contents(each: Listed, written: Callable[[str], str]) -> str:
    when = datetime.fromtimestamp(each.modified, timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.000Z")
    told = (
        f"<Key>{written(each.key)}</Key><LastModified>{when}</LastModified><ETag>{escape(each.etag)}</ETag>"
    )
    return f"<Contents>{told}<Size>{each.size}</Size><StorageClass>STANDARD</StorageClass></Contents>"


def _part_of(stored: Stored, call: Call) -> Answer:
    """The object, or the part that is asked for, if the conditions hold."""
    told = {
        "ETag": stored.etag,
        "Last-Modified": formatdate(stored.modified, usegmt=True),
        "Accept-Ranges": "bytes",
        "Content-Type": "application/octet-stream",
    }
    wanted, unwanted = call.headers.get("If-Match"), call.headers.get("If-None-Match")
    if wanted is not None and wanted not in {stored.etag, "*"}:
        raise RefusedError(412, "PreconditionFailed")
    if unwanted is not None and unwanted in {stored.etag, "*"}:
        raise RefusedError(304, "NotModified")
    asked = None if call.whole else RANGE.fullmatch(call.headers.get("Range", ""))
    if asked is None or not any(asked.groups()):
        return Answer(200, told, file=stored.file, length=stored.size)
    first, last = asked.groups()
    if first:
        start, end = int(first), min(int(last) + 1 if last else stored.size, stored.size)
    else:
        start, end = max(stored.size - int(last), 0), stored.size
    if start >= end:
        raise RefusedError(416, "InvalidRange", {"Content-Range": f"bytes */{stored.size}"})
    told["Content-Range"] = f"bytes {start}-{end - 1}/{stored.size}"
    return Answer(206, told, file=stored.file, start=start, length=end - start)
