"""Random JSON, and random structural schemas with values that mostly follow them."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

Schema = dict[str, Any]

NAMES = st.sampled_from(["a", "b", "c", "d"])
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from(["", "a", "aaa", "2020-01-02", "1.2.3.4", "é"])
)
ANY_JSON = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3), max_leaves=10
)
ANY_OBJECT = st.dictionaries(st.sampled_from(["spec", "status", "metadata", "kind", "extra"]), ANY_JSON, max_size=4)


@st.composite
def schemas(draw: st.DrawFn, depth: int = 0) -> Schema:
    """A structural schema of a part of an object."""
    kinds = ["string", "integer", "number", "boolean", "free", "either"]
    schema: Schema = _SHAPES[draw(st.sampled_from(kinds if depth > 2 else [*kinds, "object", "map", "array"]))](
        draw, depth
    )
    if draw(st.integers(0, 5)) == 0:
        schema["nullable"] = True
    if draw(st.integers(0, 5)) == 0:
        schema[draw(st.sampled_from(["allOf", "anyOf", "oneOf"]))] = draw(
            st.lists(_narrowings(), min_size=1, max_size=2)
        )
    return schema


@st.composite
def root_schemas(draw: st.DrawFn) -> Schema:
    """A structural schema of a whole object."""
    return {"type": "object", "properties": {"spec": draw(schemas()), "status": draw(schemas())}}


def values_of(schema: Schema) -> st.SearchStrategy[Any]:
    """Values that mostly have the types which the schema asks for."""
    match schema.get("type"):
        case "string":
            fitting: st.SearchStrategy[Any] = st.sampled_from(["", "a", "aaa", "2020-01-02"])
        case "integer":
            fitting = st.integers(-3, 9)
        case "number":
            fitting = st.floats(-3, 9)
        case "boolean":
            fitting = st.booleans()
        case "array":
            fitting = st.lists(values_of(schema["items"]), max_size=3)
        case "object" if "properties" in schema:
            fitting = st.fixed_dictionaries(
                {}, optional={name: values_of(inner) for name, inner in schema["properties"].items()}
            )
        case "object":
            fitting = st.dictionaries(NAMES, values_of(schema["additionalProperties"]), max_size=3)
        case _:
            fitting = ANY_JSON
    return st.one_of(fitting, fitting, fitting, ANY_JSON)


def _text(draw: st.DrawFn, depth: int) -> Schema:
    narrow = st.fixed_dictionaries(
        {},
        optional={
            "minLength": st.integers(0, 2),
            "maxLength": st.integers(1, 4),
            "pattern": st.sampled_from(["^a+$", r"\d", "(?i)A"]),
            "format": st.sampled_from(["date", "ipv4", "byte", "int32", "unknown"]),
            "enum": st.just(["a", ""]),
        },
    )
    return {"type": "string", **draw(narrow)}


def _number(type_: str) -> Any:
    bounds = {"minimum": st.integers(-2, 2), "maximum": st.integers(1, 5), "exclusiveMaximum": st.booleans()}
    more = {"multipleOf": st.sampled_from([1, 2, 0.5]), "enum": st.just([1, 2])}
    narrow = st.fixed_dictionaries({}, optional={**bounds, **more})
    return lambda draw, depth: {"type": type_, **draw(narrow)}


def _object(draw: st.DrawFn, depth: int) -> Schema:
    schema: Schema = {"type": "object"}
    schema["properties"] = draw(st.dictionaries(NAMES, schemas(depth + 1), min_size=1, max_size=3))
    if draw(st.integers(0, 3)) == 0:
        schema["required"] = [draw(NAMES)]
    if draw(st.integers(0, 3)) == 0:
        schema["x-kubernetes-preserve-unknown-fields"] = True
    return schema


def _map(draw: st.DrawFn, depth: int) -> Schema:
    return {"type": "object", "additionalProperties": draw(schemas(depth + 1)), "maxProperties": 2}


def _array(draw: st.DrawFn, depth: int) -> Schema:
    schema: Schema = {
        "type": "array",
        "items": draw(schemas(depth + 1)),
        **draw(st.sampled_from([{}, {"minItems": 1}])),
    }
    if (
        schema["items"].get("type") in ("string", "integer")
        and not schema["items"].get("nullable")
        and draw(st.booleans())
    ):
        schema["x-kubernetes-list-type"] = "set"
    return schema


def _narrowings() -> st.SearchStrategy[Schema]:
    optional = {"required": st.just(["a"]), "minLength": st.just(2), "minimum": st.just(1), "maxItems": st.just(1)}
    return st.fixed_dictionaries({}, optional=optional)


_SHAPES: dict[str, Any] = {
    "string": _text,
    "integer": _number("integer"),
    "number": _number("number"),
    "boolean": lambda draw, depth: {"type": "boolean"},
    "free": lambda draw, depth: {"x-kubernetes-preserve-unknown-fields": True},
    "either": lambda draw, depth: {"x-kubernetes-int-or-string": True},
    "object": _object,
    "map": _map,
    "array": _array,
}
