"""Functions that read the given files, and texts as documents."""

from __future__ import annotations

import base64
import re
from typing import TYPE_CHECKING, Any

from landform.kit.quoting import quote
from landform.spiff.documents import DocumentError, read_all, read_one
from landform.spiff.embedding import expression_text
from landform.spiff.expressions.templates import TemplateValue, failed_document, fresh_copy
from landform.spiff.functions.encoding import in_lines
from landform.spiff.info import CLEAN, Info, Result, done, fail
from landform.spiff.nodes import Node, dynaml_node
from landform.spiff.paths import clean
from landform.spiff.texts import from_bytes, to_bytes
from landform.spiff.virtualfiles import FileError

if TYPE_CHECKING:
    from landform.spiff.environment import Environment
    from landform.spiff.functions.signature import Call, Function

_TEMPLATE_MARK = re.compile(r"\s&template")


def _read(call: Call) -> Result:
    if call.size > 2:
        return fail("read takes a maximum of two arguments")
    path = call.arguments[0] if call.arguments else None
    if type(path) is not str:
        return fail("string value required for file path")
    mode = "yaml" if path.endswith((".yml", ".yaml", ".json")) else "text"
    if call.size == 2:
        mode = call.arguments[1]
        if type(mode) is not str:
            return fail("string value required for type")
    try:
        data = call.env.state.files.read(path)
    except FileError as error:
        return fail(f"read: {error}")
    call.env.state.meter.text(len(data))
    return parse_data(path, data, mode, call.env)


def _parse(call: Call) -> Result:
    if not 1 <= call.size <= 2:
        return fail("parse takes one or two arguments")
    if type(call.arguments[0]) is not str:
        return fail("first argument for parse must be a string")
    mode = call.arguments[1] if call.size == 2 else "import"
    if type(mode) is not str:
        return fail("second argument for parse must be a string")
    return parse_data(".".join(call.env.path), to_bytes(call.arguments[0]), mode, call.env)


def parse_data(name: str, data: bytes, mode: str, env: Environment) -> Result:
    """What a file means in a mode."""
    info = CLEAN._replace(source=name)
    own_root = mode.startswith(".")
    mode = mode.removeprefix(".")
    if mode == "text":
        return from_bytes(data), info, True
    if mode == "binary":
        return in_lines(base64.b64encode(data).decode("ascii"), 60), info, True
    if mode not in _MODES:
        return info.fail(f"invalid file type [{clean(name)}] {mode}")
    several = mode in _SEVERAL
    meter = env.state.meter
    try:
        documents = read_all(name, from_bytes(data), meter) if several else [read_one(name, from_bytes(data), meter)]
    except DocumentError as error:
        return info.fail(f"error parsing file [{clean(name)}]: {error}")
    if mode in ("template", "templates"):
        templates = [_as_template(document, env) for document in documents]
        if not several:
            return templates[0], info, True
        return [dynaml_node(value, node.source) for value, node in zip(templates, documents, strict=True)], info, True
    while len(documents) > 1 and documents[-1].value is None:
        documents.pop()
    if mode in ("import", "importmulti"):
        return (documents if several else documents[0].value), info._replace(raw=True), True
    whole = dynaml_node(documents, name) if several else documents[0]
    return _evaluated(whole, name, env.with_new_root() if own_root else env, info)


_SEVERAL = ("templates", "multiyaml", "importmulti")
_MODES = ("template", "templates", "yaml", "multiyaml", "import", "importmulti")


def _evaluated(document: Node, name: str, env: Environment, info: Info) -> Result:
    env.state.meter.enter()
    result, unresolved = env.state.engine.flow(env, document, False)
    env.state.meter.leave()
    if unresolved:
        return failed_document(info, None, unresolved, f"resolution of yaml file '{name}' failed")
    return result.value, info, True


def _as_template(document: Node, env: Environment) -> TemplateValue:
    """A document as a template; in the output it is marked as one."""
    original = fresh_copy(document)
    mark = dynaml_node("(( &template ))", document.source)
    if type(original.value) is dict:
        key = "<<" if "<<<" in original.value else "<<<"
        original.value.setdefault(key, mark)
    elif type(original.value) is list and not any(_is_marked(node, env) for node in original.value):
        first = dynaml_node({"<<<": mark}, document.source)
        original = dynaml_node([first, *original.value], document.source)
    return TemplateValue(env.path, document, original, env)


def _is_marked(node: Node, env: Environment) -> bool:
    if type(node.value) is not dict:
        return False
    inserted = node.value.get("<<<") or node.value.get("<<")
    if inserted is None or type(inserted.value) is not str:
        return False
    text = expression_text(inserted.value, env.state.interpolate)
    return text is not None and _TEMPLATE_MARK.search(text) is not None


def _lookup(call: Call, folder: bool) -> Result:
    if call.size < 2:
        return fail("lookup_file requires at least two arguments")
    paths: list[str] = []
    for index, argument in enumerate(call.arguments[1:]):
        found = _paths(argument, index)
        if isinstance(found, str):
            return fail(found)
        paths += found
    name = call.arguments[0]
    if type(name) is not str:
        return fail("lookup_file: first argument must be a string")
    if not name:
        return fail("lookup_file: first argument is empty string")
    candidates = [name] if name.startswith("/") else [f"{path}/{name}" for path in paths if path]
    files = call.env.state.files
    exists = files.is_folder if folder else files.is_file
    return done([dynaml_node(path, call.env.source) for path in candidates if exists(path)])


def _paths(argument: Any, index: int) -> list[str] | str:
    """The folders that an argument names, or what is wrong with it."""
    if type(argument) is str:
        return [argument]
    if type(argument) is not list:
        return f"lookup_file: argument {index} must be a string or a list of strings"
    values = [node.value for node in argument if node.value is not None]
    if any(type(value) is not str for value in values):
        return f"lookup_file: argument {index} must be a list of strings"
    return values


def _list(call: Call, folders: bool) -> Result:
    if call.size != 1:
        return fail("list requires exactly one arguments")
    name = call.arguments[0]
    if type(name) is not str:
        return fail("list: argument must be a string")
    if not name:
        return fail("list: argument is empty string")
    files = call.env.state.files
    if not files.is_folder(name):
        return fail(f"list: {quote(name)} is no directory or does not exist")
    return done([dynaml_node(entry, call.env.source) for entry in files.entries(name, folders)])


def _features(call: Call) -> Result:
    if call.size > 1:
        return fail("features acctepts a maximum of one arguments")
    features = call.env.state.features
    if not call.arguments:
        return done([dynaml_node(name, call.env.source) for name in sorted(features)])
    if type(call.arguments[0]) is not str:
        return fail("features: argument must be a string")
    return done(call.arguments[0] in features)


def _refused(name: str, what: str) -> Function:
    def function(call: Call) -> Result:
        return fail(f"{name}: no {what} supported in this execution environment")

    return function


FUNCTIONS: dict[str, Function] = {
    "read": _read,
    "read_uncached": _read,
    "parse": _parse,
    "lookup_file": lambda call: _lookup(call, folder=False),
    "lookup_dir": lambda call: _lookup(call, folder=True),
    "list_files": lambda call: _list(call, folders=False),
    "list_dirs": lambda call: _list(call, folders=True),
    "features": _features,
    "exec": _refused("exec", "OS operations"),
    "exec_uncached": _refused("exec", "OS operations"),
    "pipe": _refused("pipe", "OS operations"),
    "pipe_uncached": _refused("pipe", "OS operations"),
    "env": _refused("env", "environment variables"),
    "write": _refused("write", "changes of files"),
    "mkdir": _refused("mkdir", "changes of files"),
    "tempfile": _refused("tempfile", "changes of files"),
    "archive": _refused("archive", "archives"),
}
