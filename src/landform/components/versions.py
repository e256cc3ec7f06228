"""One component version, resolved: its descriptor and those of everything that it refers to."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from landform.components import descriptors, selection
from landform.components.errors import DescriptorError, NotFound
from landform.components.schemas import V2

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

Key = tuple[str, str]
"""Name and version of a component version."""

NESTED_LABEL = "landscaper.gardener.cloud/component-descriptor"
"""Label of a component reference whose value is the descriptor of what it refers to."""


@dataclass(frozen=True)
class ComponentVersion:
    """A component version with all that it refers to. Nothing in it may be changed: many share it."""

    descriptor: Mapping[str, Any]
    """Its descriptor, in the shape of v2."""

    repository_context: Mapping[str, Any] | None
    """Where it and its references are looked up; None if only its own content counts."""

    closure: tuple[Mapping[str, Any], ...]
    """The descriptors of all component versions that can be reached, its own first, each once."""

    schema: str = V2
    """The schema that it was stored in: what templates see unless the blueprint asks for another one."""

    replaced: Mapping[Key, Key] = field(default_factory=dict)
    """Component versions that references name, and those that take their place (ComponentVersionOverwrites)."""

    origin: Any = field(default=None, compare=False, repr=False)
    """Where its content comes from; for whoever resolved it."""

    @property
    def name(self) -> str:
        """Name of the component."""
        return str(self.descriptor["component"]["name"])

    @property
    def version(self) -> str:
        """Version of the component."""
        return str(self.descriptor["component"]["version"])

    def member(self, name: str, version: str) -> Mapping[str, Any]:
        """The descriptor of a component version of the closure."""
        wanted = self.replaced.get((name, version), (name, version))
        for descriptor in self.closure:
            if key(descriptor) == wanted:
                return descriptor
        raise NotFound(f'component version "{name}:{version}" is not among those that {self.name}:{self.version} uses')

    def follow(self, references: tuple[str, ...]) -> Mapping[str, Any]:
        """The descriptor that a path of reference names leads to."""
        descriptor = self.descriptor
        for name in references:
            reference = selection.reference_named(descriptor, name)
            descriptor = self.member(reference["componentName"], reference["version"])
        return descriptor

    def at(self, references: tuple[str, ...]) -> ComponentVersion:
        """The component version that a path of reference names leads to, with all that it refers to itself."""
        if not references:
            return self
        own = self.follow(references)
        return replace(self, descriptor=own, closure=self._closure(own))

    def _closure(self, own: Mapping[str, Any]) -> tuple[Mapping[str, Any], ...]:
        found = {key(own): own}
        waiting = [own]
        while waiting:
            for reference in waiting.pop()["component"]["componentReferences"]:
                descriptor = self.member(reference["componentName"], reference["version"])
                if key(descriptor) not in found:
                    found[key(descriptor)] = descriptor
                    waiting.append(descriptor)
        return tuple(found.values())


def key(descriptor: Mapping[str, Any]) -> Key:
    """Name and version, which tell component versions apart."""
    component = descriptor["component"]
    return component["name"], component["version"]


def inline(descriptor: Mapping[str, Any]) -> ComponentVersion:
    """The component version of a descriptor that is written into an object, with those nested in its references.

    What its references mean otherwise is not looked up: the closure has what the descriptor itself carries.
    """
    own = descriptors.read(descriptor)
    return ComponentVersion(
        descriptor=own,
        repository_context=descriptors.effective_repository_context(own),
        closure=nested_closure(own),
        schema=descriptors.schema_version(descriptor),
    )


def nested_closure(own: Mapping[str, Any]) -> tuple[Mapping[str, Any], ...]:
    """A descriptor and all that are nested in its references, each once, its own first."""
    found: dict[Key, Mapping[str, Any]] = {}
    waiting = [own]
    while waiting:
        descriptor = waiting.pop()
        if key(descriptor) not in found:
            found[key(descriptor)] = descriptor
            waiting.extend(nested for _, nested in _nested(descriptor))
    return tuple(found.values())


def is_complete(version: ComponentVersion) -> bool:
    """Whether everything that it refers to is in its closure."""
    known = {key(descriptor) for descriptor in version.closure}
    return all(
        (reference["componentName"], reference["version"]) in known
        for descriptor in version.closure
        for reference in descriptor["component"]["componentReferences"]
    )


def nested_descriptor(reference: Mapping[str, Any]) -> dict[str, Any] | None:
    """The descriptor that a reference carries in its label; None if it carries none."""
    for label in reference.get("labels") or ():
        if label["name"] == NESTED_LABEL:
            descriptor = descriptors.read(label["value"])
            _check_agreement(reference, descriptor)
            return descriptor
    return None


def _nested(descriptor: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for reference in descriptor["component"]["componentReferences"]:
        nested = nested_descriptor(reference)
        if nested is not None:
            yield reference["name"], nested


def _check_agreement(reference: Mapping[str, Any], descriptor: Mapping[str, Any]) -> None:
    wanted = (reference["componentName"], reference["version"])
    if key(descriptor) != wanted:
        raise DescriptorError(
            f'the reference "{reference["name"]}" means {wanted[0]}:{wanted[1]}, '
            f"but the descriptor in its label is that of {':'.join(key(descriptor))}"
        )
