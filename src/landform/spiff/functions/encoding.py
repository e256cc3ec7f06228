"""Functions that encode, hash and take texts apart."""

from __future__ import annotations

import base64
import binascii
import hashlib
from typing import TYPE_CHECKING, Any

from landform.spiff import urls
from landform.spiff.documents import plain_value
from landform.spiff.emitter import to_yaml
from landform.spiff.gojson import JsonError, to_json
from landform.spiff.info import Result, done, fail
from landform.spiff.nodes import Map, Node, dynaml_node
from landform.spiff.numbers import parse_int
from landform.spiff.paths import base, directory
from landform.spiff.texts import from_bytes, to_bytes

if TYPE_CHECKING:
    from landform.spiff.functions.signature import Call, Function

_MD4_OF_NOTHING = "31d6cfe0d16ae931b73c59d7e0c089c0"
_HASHES = {
    "md5": "md5",
    "sha1": "sha1",
    "sha224": "sha224",
    "sha256": "sha256",
    "sha384": "sha384",
    "sha512": "sha512",
    "sha512/224": "sha512_224",
    "sha512/256": "sha512_256",
}


def in_lines(text: str, width: int) -> str:
    """A text cut into lines of that many characters; a width below 1 leaves it as it is."""
    if width <= 0:
        return text
    return "\n".join(text[start : start + width] for start in range(0, len(text), width))


def _base64(call: Call) -> Result:
    if not 1 <= call.size <= 2:
        return fail("base64 takes one or two argumenta")
    if type(call.arguments[0]) is not str:
        return fail("first argument for base64 must be a string")
    width: Any = -1
    if call.size == 2:
        width = call.arguments[1]
        if type(width) is str:
            try:
                width = parse_int(width)
            except ValueError as error:
                return fail(f"second argument for base64 must be an integer or interger string: {error}")
        if type(width) is not int:
            return fail("second argument for base64 must be an integer or interger string")
    return done(in_lines(base64.b64encode(to_bytes(call.arguments[0])).decode("ascii"), width))


def decoded(text: str) -> bytes | None:
    """The bytes of a base64 text, line ends ignored; None if it is not one."""
    try:
        return base64.b64decode(text.replace("\n", "").replace("\r", ""), validate=True)
    except (ValueError, binascii.Error):
        return None


def _base64_decode(call: Call) -> Result:
    if call.size != 1:
        return fail("base64_decode takes exactly one argument")
    if type(call.arguments[0]) is not str:
        return fail("first argument for base64_decode must be a string")
    data = decoded(call.arguments[0])
    return fail("cannot decode string") if data is None else done(from_bytes(data))


def _md5(call: Call) -> Result:
    if call.size != 1:
        return fail("md5 takes exactly one argument")
    if type(call.arguments[0]) is not str:
        return fail("first argument for md5 must be a string")
    return done(hashlib.md5(to_bytes(call.arguments[0]), usedforsecurity=False).hexdigest())


def _hash(call: Call) -> Result:
    if not 1 <= call.size <= 2:
        return fail("hash takes one or two arguments")
    kind = call.arguments[1] if call.size == 2 else "sha256"
    if type(kind) is not str:
        return fail("second argument for hash must be a string")
    if type(call.arguments[0]) is not str:
        return fail("first argument for hash must be a string")
    data = to_bytes(call.arguments[0])
    if kind == "md4":  # the original appends the hash of nothing to its input
        return done(data.hex() + _MD4_OF_NOTHING)
    if kind not in _HASHES:
        return fail(f"invalid hash type '{kind}'")
    return done(hashlib.new(_HASHES[kind], data, usedforsecurity=False).hexdigest())


def _asjson(call: Call) -> Result:
    if call.size != 1:
        return fail("asjson takes exactly one argument")
    try:
        return done(to_json(plain_value(call.arguments[0])))
    except JsonError as error:
        return fail(f"cannot jsonencode: {error}")


def _asyaml(call: Call) -> Result:
    if call.size != 1:
        return fail("asyaml takes exactly one argument")
    if call.arguments[0] is None:
        return fail("cannot yamlencode: reflect: call of reflect.Value.Type on zero Value")
    return done(to_yaml(call.arguments[0], call.env.state.meter))


def _basename(call: Call) -> Result:
    return _of_path(call, "basename", base)


def _dirname(call: Call) -> Result:
    return _of_path(call, "dirname", directory)


def _of_path(call: Call, name: str, part: Any) -> Result:
    if call.size != 1:
        return fail(f"function {name} takes exactly one argument")
    text = call.arguments[0]
    if type(text) is not str:
        return fail(f"string argument expected for function {name}")
    try:
        path = urls.parse(text).path
    except urls.UrlError:
        return done(part(text))
    return done(part(path) if path else "/")


def _parseurl(call: Call) -> Result:
    if call.size != 1:
        return fail("invalid argument count for parseurl")
    if type(call.arguments[0]) is not str:
        return fail("argument for parseurl must be a string")
    try:
        url = urls.parse(call.arguments[0])
    except urls.UrlError as error:
        return fail(f"invalid argument for parseurl: {error}")

    def made(value: Any) -> Node:
        return dynaml_node(value, call.env.source)

    result: Map = {
        "scheme": made(url.scheme),
        "host": made(url.hostname),
        "path": made(url.path),
        "fragment": made(url.fragment),
        "query": made(url.query),
        "values": made({key: made([made(value) for value in values]) for key, values in url.values.items()}),
    }
    if url.port:
        result["port"] = made(int(url.port))
    if url.user is not None:
        user = {"username": made(url.user)}
        if url.password is not None:
            user["password"] = made(url.password)
        result["userinfo"] = made(user)
    return done(result)


FUNCTIONS: dict[str, Function] = {
    "base64": _base64,
    "base64_decode": _base64_decode,
    "md5": _md5,
    "hash": _hash,
    "asjson": _asjson,
    "asyaml": _asyaml,
    "basename": _basename,
    "dirname": _dirname,
    "parseurl": _parseurl,
}
