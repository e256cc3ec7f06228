"""The functions that GoTemplates of blueprints may call: sprig's, YAML in both directions, and our own.

One table serves all renderings, so that a template is compiled once: what a function works with (the blueprint's
files, the component, the answers) is found in the context of the rendering that calls it.
"""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar

from landform.blueprints.errors import FileError
from landform.blueprints.questions import Unanswered
from landform.blueprints.templating import componentfunctions
from landform.blueprints.templating.bindings import with_floats
from landform.blueprints.templating.componentfunctions import FUNCTION_ERRORS
from landform.gotemplate import YAML, GoError, Surroundings, Template, TemplateError, function, sprig_functions
from landform.gotemplate.values import Object, TypedList

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from landform.blueprints.files import BlueprintFiles, Entry
    from landform.blueprints.templating.componentfunctions import ComponentFunctions
    from landform.blueprints.templating.kubeconfigs import KubeconfigFunctions
    from landform.gotemplate import Function

MOST_INCLUDES = 100
"""How often a file may include itself, directly or by way of others."""

_COMPILED = 512
"""How many compiled templates are kept."""


@dataclass
class Inclusion:
    """A template inside a rendering that failed."""

    path: str
    text: str
    error: TemplateError


@dataclass
class Context:
    """What the functions of one rendering work with, and what they leave for its caller."""

    files: BlueprintFiles
    component: ComponentFunctions
    kubeconfigs: KubeconfigFunctions
    surroundings: Surroundings
    failed: Inclusion | None = None
    """The innermost included file that failed."""
    unanswered: Unanswered | None = None
    """The question that stopped the rendering; the template language would make an ordinary error of it."""
    depths: dict[str, int] = field(default_factory=dict)
    """How many renderings of each included file are under way."""


_context: ContextVar[Context] = ContextVar("landform.blueprints.templating.context")


@contextmanager
def entered(context: Context) -> Iterator[None]:
    """Let the functions work with a context."""
    token = _context.set(context)
    try:
        yield
    finally:
        _context.reset(token)


@lru_cache(maxsize=_COMPILED)
def compiled(text: str, name: str, surroundings: Surroundings) -> Template:
    """The template of a text, with all functions."""
    return Template(text, name, _functions(surroundings), missing_key="zero")


def _include(path: str, data: Any) -> str:
    context = _context.get()
    try:
        text = context.files.read(path).decode("utf-8", "surrogateescape")
    except FileError as error:
        raise GoError(str(error)) from None
    depth = context.depths.get(path, 0)
    if depth >= MOST_INCLUDES:
        raise GoError(f'"{path}" includes itself more than {MOST_INCLUDES} times')
    context.depths[path] = depth + 1
    try:
        return compiled(text, path, context.surroundings).render(data)
    except TemplateError as error:
        context.failed = context.failed or Inclusion(path, text, error)
        raise GoError(str(error)) from None
    finally:
        context.depths[path] = depth


def _to_yaml(value: Any) -> str:
    """A value as YAML without the line end; what has no form in YAML becomes nothing."""
    try:
        text: str = YAML["toYaml"].call(value)
    except GoError:
        return ""
    return text.removesuffix("\n")


def _read_file(path: str) -> bytes:
    try:
        return _context.get().files.read(path)
    except FileError as error:
        raise GoError(str(error)) from None


def _read_dir(path: str) -> TypedList:
    try:
        entries = _context.get().files.list(path)
    except FileError as error:
        raise GoError(str(error)) from None
    return TypedList("[]fs.FileInfo", map(FileInfo, entries))


class FileInfo(Object):
    """An entry of a folder, as templates see it."""

    __slots__ = ("entry",)
    go_type = "*blueprint.fileInfo"
    go_kind = "ptr"
    methods: ClassVar[dict[str, Function]] = {
        "Name": function("-> string", lambda info: info.entry.name),
        "IsDir": function("-> bool", lambda info: info.entry.is_dir),
        "Size": function("-> int64", lambda info: info.entry.size),
    }

    def __init__(self, entry: Entry) -> None:
        self.entry = entry


def _as_it_is(value: Any) -> Any:
    return value


def _own(choose: Callable[[Context], Callable[..., Any]], shape: Callable[[Any], Any] = _as_it_is) -> Function:
    """One of our functions; `choose` finds it in the context, `shape` makes its result what Go would have."""

    def call(*arguments: Any) -> Any:
        context = _context.get()
        try:
            return shape(choose(context)(*arguments))
        except Unanswered as unanswered:
            context.unanswered = context.unanswered or unanswered
            raise GoError(str(unanswered)) from None
        except FUNCTION_ERRORS as error:
            raise GoError(str(error)) from None

    return function("...any", call)


OWN: dict[str, Function] = {
    "include": function("string, any -> string", _include),
    "toYaml": function("any -> string", _to_yaml),
    "readFile": function("string", _read_file),
    "readDir": function("string", _read_dir),
    "parseOCIRef": _own(lambda _: componentfunctions.parse_oci_ref, lambda value: TypedList("[]string", value)),
    "ociRefRepo": _own(lambda _: componentfunctions.oci_ref_repo),
    "ociRefVersion": _own(lambda _: componentfunctions.oci_ref_version),
    "getResource": _own(lambda context: context.component.get_resource, with_floats),
    "getResources": _own(lambda context: context.component.get_resources, with_floats),
    "getComponent": _own(lambda context: context.component.get_component, with_floats),
    "getRepositoryContext": _own(lambda context: context.component.get_repository_context, with_floats),
    "getResourceKey": _own(lambda context: context.component.get_resource_key),
    "getResourceContent": _own(lambda context: context.component.get_resource_content),
    "getShootAdminKubeconfig": _own(lambda context: context.kubeconfigs.shoot_admin),
    "getShootAdminKubeconfigWithExpirationTimestamp": _own(
        lambda context: context.kubeconfigs.shoot_admin_with_expiration
    ),
    "getServiceAccountKubeconfig": _own(lambda context: context.kubeconfigs.service_account),
    "getServiceAccountKubeconfigWithExpirationTimestamp": _own(
        lambda context: context.kubeconfigs.service_account_with_expiration
    ),
    "getOidcKubeconfig": _own(lambda context: context.kubeconfigs.oidc),
}
"""Our own functions, by the names that templates call them by."""


@lru_cache(maxsize=8)
def _functions(surroundings: Surroundings) -> dict[str, Function]:
    return {**sprig_functions(surroundings), **YAML, **OWN}
