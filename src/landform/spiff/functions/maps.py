"""Functions on maps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from landform.spiff.errors import Overspent, SpiffError
from landform.spiff.expressions.templates import TemplateValue, fresh_copy
from landform.spiff.info import CLEAN, Result, done, fail
from landform.spiff.nodes import Map, Node, dynaml_node
from landform.spiff.tags import name_fault
from landform.spiff.values import simple_text, type_name

if TYPE_CHECKING:
    from landform.spiff.functions.signature import Call, Function


def _keys(call: Call) -> Result:
    if call.size != 1:
        return fail("one argument required for keys")
    if type(call.arguments[0]) is not dict:
        return fail("map argument required for keys")
    return done([dynaml_node(key, call.env.source) for key in sorted(call.arguments[0])])


def _makemap(call: Call) -> Result:
    if call.size == 1:
        return _from_pairs(call.arguments[0])
    if call.size % 2:
        return fail("mapentry takes one or two arguments")
    result: Map = {}
    for index in range(0, call.size, 2):
        key = simple_text(call.arguments[index])
        if key is None:
            return fail(f"invalid type for key value of arument pair {index // 2}")
        result[key] = dynaml_node(call.arguments[index + 1], call.env.source)
    return done(result)


def _from_pairs(entries: Any) -> Result:
    if type(entries) is not list:
        return fail("single argument flavor of mapentry requires a list")
    result: Map = {}
    for index, node in enumerate(entries):
        if type(node.value) is not dict:
            return fail(f"entry {index} is no map entry")
        if "key" not in node.value:
            return fail(f"entry {index} has no entry 'key'")
        key = simple_text(node.value["key"].value)
        if key is None:
            return fail(f"invalid type for 'key' value of entry {index}")
        if "value" not in node.value:
            return fail(f"entry {index} has no entry 'value'")
        result[key] = node.value["value"]
    return done(result)


def _list_to_map(call: Call) -> Result:
    if not call.written:
        return fail("list_to_map takes 1 or 2 arguments")
    _, info, _ = call.written[0].evaluate(call.env, False)
    key = info.key_name or "name"
    if not 1 <= call.size <= 2:
        return info.fail("list_to_map takes 1 or 2 arguments")
    entries = call.arguments[0]
    if type(entries) is not list:
        return info.fail("list_to_map requires a list as first argument")
    if call.size == 2:
        key = call.arguments[1]
        if type(key) is not str:
            return info.fail("second argument of list_to_map must be a key name")
    result: Map = {}
    for node in entries:
        if type(node.value) is not dict:
            return info.fail(f"list entries must by maps%!(EXTRA string={key})")
        if key not in node.value:
            return info.fail(f"key field '{key}' not found")
        name = node.value[key].value
        if type(name) is not str:
            return info.fail(f"key field '{key}' contains no string value")
        result[name] = node.with_value({field: entry for field, entry in node.value.items() if field != key})
    return result, info, True


def _merge(call: Call) -> Result:
    if not call.arguments:
        return fail("at least one argument required for merge function")
    maps = _map_list(call.arguments)
    if isinstance(maps, str):
        return fail(f"merge: {maps}")
    documents = [Node(entries, "dynaml") for entries in maps]
    call.env.state.meter.enter()
    try:
        result = call.env.state.engine.cascade(call.env, documents[0], documents[1:])
    except Overspent:
        raise
    except SpiffError as error:
        return fail(f"merging failed: {error}")
    finally:
        call.env.state.meter.leave()
    return done(result.value)


def _deepmerge(call: Call) -> Result:
    if not call.arguments:
        return None, CLEAN, False
    maps = _map_list(call.arguments)
    if isinstance(maps, str):
        return fail(f"deepmerge: {maps}")
    result: Map = {}
    for entries in maps:
        call.env.state.meter.step(len(entries))
        result = _deeply_merged(result, entries)
    return done(result)


def _deeply_merged(into: Map, entries: Map) -> Map:
    result = dict(into)
    for key, node in entries.items():
        old = result.get(key)
        if old is not None and type(old.value) is dict and type(node.value) is dict:
            node = Node(_deeply_merged(old.value, node.value), "<deepmerge>")
        result[key] = node
    return result


def _map_list(arguments: list[Any]) -> list[Map] | str:
    """The maps that are given as arguments or as one list, or what is wrong with them."""
    if len(arguments) == 1 and type(arguments[0]) is list:
        if not arguments[0]:
            return "no map found for merge"
        values, prefix = [node.value for node in arguments[0]], "entry of list argument: "
    else:
        values, prefix = arguments, "argument "
    maps: list[Map] = []
    for index, value in enumerate(values):
        if isinstance(value, TemplateValue):
            value = fresh_copy(value.prepared).value
            if type(value) is not dict:
                return f"{prefix}{index + 1}: template is not a map template"
        if type(value) is not dict:
            return f"{prefix}{index + 1}: no map or map template, but {type_name(value)}"
        maps.append(value)
    return maps


def _tagdef(call: Call) -> Result:
    if not 2 <= call.size <= 3:
        return fail("two or three arguments expected for tagdef")
    name, value = call.arguments[:2]
    if type(name) is not str:
        return fail("name argument for tagdef must be a string")
    kind: Any = "local"
    if name.startswith("*") and call.size == 2:
        name, kind = name[1:], "global"
    fault = name_fault(name)
    if fault:
        return fail(f'invalid tag name "{name}" for tagdef: {fault}')
    if call.size == 3:
        kind = call.arguments[2]
        if type(kind) is not str:
            return fail("type argument for tagdef must be a string (local or global)")
    if kind not in ("local", "global"):
        return fail(f'invalid scope argument "{kind}" for tagdef (must be local or global)')
    node = Node(value, f"tagdef([{' '.join(call.env.path)}])")
    fault = call.env.state.tags.set(name, node, call.env.path, local=True, stream=kind == "local")
    return fail(fault) if fault else done(value)


FUNCTIONS: dict[str, Function] = {
    "keys": _keys,
    "makemap": _makemap,
    "list_to_map": _list_to_map,
    "merge": _merge,
    "deepmerge": _deepmerge,
    "tagdef": _tagdef,
}
