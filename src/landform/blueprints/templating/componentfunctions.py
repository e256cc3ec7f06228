"""Functions about the component that a blueprint belongs to: its resources, its references, their content."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeGuard

import yaml

from landform.blueprints.questions import RESOURCE_CONTENT
from landform.blueprints.templating.errors import FunctionError
from landform.components import descriptors, ocirefs, selection, uris
from landform.components.errors import NotFound
from landform.gotemplate import YAML
from landform.kit import yamls
from landform.kit.errors import LandformError

if TYPE_CHECKING:
    from landform.blueprints.questions import Answers
    from landform.components.versions import ComponentVersion

_OCTETS = "application/octet-stream"


class ComponentFunctions:
    """The functions, for one component; without one, only those that bring a descriptor along have a result."""

    def __init__(self, component: ComponentVersion | None, answers: Answers) -> None:
        self._component = component
        self._answers = answers

    def get_resource(self, *arguments: Any) -> dict[str, Any]:
        """The first resource whose identity has the given keys and values."""
        return self.get_resources(*arguments)[0]

    def get_resources(self, *arguments: Any) -> list[dict[str, Any]]:
        """All resources whose identity has the given keys and values; that there is none is an error."""
        descriptor, selector = self._selection("resource", arguments)
        found = selection.resources(descriptor, selector)
        if not found:
            raise NotFound(f"no resource of component {_name(descriptor)} has the identity {_words(selector)}")
        return found

    def get_component(self, *arguments: Any) -> dict[str, Any]:
        """The descriptor of the first component reference whose identity has the given keys and values."""
        descriptor, selector = self._selection("component", arguments)
        found = selection.references(descriptor, selector)
        if not found:
            raise NotFound(f"no reference of component {_name(descriptor)} has the identity {_words(selector)}")
        return dict(self._own.member(found[0]["componentName"], found[0]["version"]))

    def get_repository_context(self, *arguments: Any) -> dict[str, Any]:
        """The last repository context of a descriptor."""
        if len(arguments) != 1 or not isinstance(arguments[0], Mapping):
            raise FunctionError("expects one argument, a component descriptor")
        context = descriptors.effective_repository_context(descriptors.read(arguments[0]))
        if context is None:
            raise FunctionError("the component descriptor has no repository context")
        return context

    def get_resource_key(self, *arguments: Any) -> str:
        """The global identity of a resource, as deployers understand it."""
        descriptor, resource = self._resource(_one_text(arguments, "a resource reference"))
        component = {"name": descriptor["component"]["name"], "version": descriptor["component"]["version"]}
        identity = {"component": component, "resource": _identity(descriptor, resource)}
        return base64.b64encode(YAML["toYaml"].call(identity).encode()).decode()

    def get_resource_content(self, *arguments: Any) -> str:
        """The content of a resource as text; bytes without a better type are given in base64.

        Where several resources have its name, the question has a fourth argument: the identity as sorted pairs.
        """
        descriptor, resource = self._resource(_one_text(arguments, "a resource reference"))
        component = descriptor["component"]
        question = [component["name"], component["version"], resource["name"]]
        if sum(other["name"] == resource["name"] for other in component["resources"]) > 1:
            question.append(tuple(sorted(_identity(descriptor, resource).items())))
        content: bytes = self._answers.ask(RESOURCE_CONTENT, *question)
        if (resource.get("access") or {}).get("mediaType") == _OCTETS:
            return base64.b64encode(content).decode()
        return content.decode("utf-8", "surrogateescape")

    @property
    def _own(self) -> ComponentVersion:
        if self._component is None:
            raise FunctionError("the Installation has no component descriptor")
        return self._component

    def _selection(self, what: str, arguments: tuple[Any, ...]) -> tuple[Mapping[str, Any], dict[str, str]]:
        """The descriptor and the identity that a call means."""
        if len(arguments) < 2:
            raise FunctionError(f"at least 2 arguments are expected: keys and values of the {what}'s identity")
        descriptor: Mapping[str, Any]
        if isinstance(arguments[0], Mapping):
            descriptor, arguments = descriptors.read(arguments[0]), arguments[1:]
        else:
            descriptor = self._own.descriptor
        if len(arguments) % 2:
            raise FunctionError("odd number of key value pairs")
        for index, argument in enumerate(arguments):
            if not isinstance(argument, str):
                raise FunctionError(f"expect argument {index} to be a string")
        return descriptor, dict(zip(arguments[::2], arguments[1::2], strict=True))

    def _resource(self, reference: str) -> tuple[Mapping[str, Any], dict[str, Any]]:
        """The resource that a reference leads to, with the descriptor that it stands in."""
        if reference.startswith(uris.SCHEME):
            uri = uris.parse(reference)
            if uri.resource is None:
                raise FunctionError(f"{reference!r} leads to a component, not to a resource")
            descriptor = self._own.follow(uri.references)
            return descriptor, selection.resource_named(descriptor, uri.resource)
        path, identity = _relative(reference)
        descriptor = self._own.descriptor
        for step in path:
            found = _by_identity(descriptor, "componentReferences", step)
            descriptor = self._own.member(found["componentName"], found["version"])
        return descriptor, _by_identity(descriptor, "resources", identity)


def parse_oci_ref(*arguments: Any) -> list[str]:
    """Repository and version of an OCI reference."""
    return list(ocirefs.parse(_one_text(arguments, "an OCI reference")))


def oci_ref_repo(*arguments: Any) -> str:
    """The repository of an OCI reference."""
    return parse_oci_ref(*arguments)[0]


def oci_ref_version(*arguments: Any) -> str:
    """The version of an OCI reference: its tag, else its digest."""
    return parse_oci_ref(*arguments)[1]


def _one_text(arguments: tuple[Any, ...], what: str) -> str:
    if len(arguments) != 1 or not isinstance(arguments[0], str):
        raise FunctionError(f"expects one argument, {what}")
    return arguments[0]


def _relative(reference: str) -> tuple[list[dict[str, str]], dict[str, str]]:
    """The steps along references and the resource's identity that a relative reference of OCM names."""
    hint = "write cd://resources/<name>, or YAML such as `resource: {name: x}` with an optional referencePath"
    try:
        value = yamls.load(reference)
    except (yaml.YAMLError, ValueError) as error:
        raise FunctionError(f"this is no reference to a resource; {hint}") from error
    resource = value.get("resource") if isinstance(value, dict) else None
    path = (value.get("referencePath") or []) if isinstance(value, dict) else None
    if not _is_identity(resource) or not isinstance(path, list) or not all(map(_is_identity, path)):
        raise FunctionError(f"this is no reference to a resource; {hint}")
    return path, resource


def _is_identity(value: Any) -> TypeGuard[dict[str, str]]:
    return isinstance(value, dict) and "name" in value and all(isinstance(inner, str) for inner in value.values())


def _by_identity(descriptor: Mapping[str, Any], field: str, identity: Mapping[str, str]) -> dict[str, Any]:
    """The one element of an identity; a name alone is enough where only one has it."""
    is_resource = field == "resources"
    if len(identity) == 1:
        named = selection.resource_named if is_resource else selection.reference_named
        return named(descriptor, identity["name"])
    select = selection.resources if is_resource else selection.references
    found = select(descriptor, identity)
    if not found:
        raise NotFound(
            f"nothing among the {field} of component {_name(descriptor)} has the identity {_words(identity)}"
        )
    return found[0]


def _identity(descriptor: Mapping[str, Any], resource: Mapping[str, Any]) -> dict[str, str]:
    elements: list[dict[str, Any]] = descriptor["component"]["resources"]
    return selection.identities(elements)[elements.index(dict(resource))]


def _name(descriptor: Mapping[str, Any]) -> str:
    return f"{descriptor['component']['name']}:{descriptor['component']['version']}"


def _words(identity: Mapping[str, str]) -> str:
    return ", ".join(f"{key}={value}" for key, value in identity.items())


FUNCTION_ERRORS = (FunctionError, LandformError)
"""What functions raise for the author of a template to read; the latter also as an answer to a question."""
