"""The rules for the sub-installations of one blueprint, taken together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from landform.blueprints.definitions import FlowType
from landform.blueprints.errors import Fault
from landform.blueprints.values import TARGETS, active_imports
from landform.kit import names

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from landform.api.installations import DataImport, TargetImport
    from landform.blueprints.definitions import Blueprint
    from landform.blueprints.installationtemplates import InstallationTemplate
    from landform.blueprints.values import Imports

LONGEST_NAME: Final = 52
"""Most characters of a template's name: the name of the Installation has six more."""

_VARIANTS: Final = ("target", "targets", "target_list_ref", "target_map", "target_map_ref")


def faults(templates: Sequence[InstallationTemplate], blueprint: Blueprint, imports: Imports) -> list[Fault]:
    """Everything that is wrong with the templates, each fault under the template and the import or export."""
    checking = _Checking(templates, blueprint, imports)
    seen: set[str] = set()
    found: list[Fault] = []
    for template in templates:
        found.extend(_name(template, seen))
        found.extend(checking.imports(template))
        found.extend(checking.exports(template))
    return [*found, *checking.duplicate_exports()]


def _place(template: InstallationTemplate, *, imported: str = "", exported: str = "") -> str:
    inner = f', import "{imported}"' if imported else f', export "{exported}"' if exported else ""
    return f'sub-installation template "{template.name or ""}"{inner}'


def _name(template: InstallationTemplate, seen: set[str]) -> Iterator[Fault]:
    name, place = template.name or "", _place(template)
    if not name:
        yield Fault(place, "a name is needed here")
    elif name in seen:
        yield Fault(place, "another template has the same name")
    elif problems := names.label(name):
        yield Fault(place, f"the name is invalid: {'; '.join(problems)}")
    elif len(name) > LONGEST_NAME:
        yield Fault(place, f"the name must be no more than {LONGEST_NAME} characters")
    seen.add(name)
    if template.blueprint is None or not (template.blueprint.ref or template.blueprint.filesystem):
        yield Fault(place, "a blueprint is needed: give blueprint.ref or blueprint.filesystem")


def _import_name(template: InstallationTemplate, name: str, seen: set[str]) -> Iterator[Fault]:
    if not name:
        yield Fault(_place(template), "every import needs a name")
    elif name in seen:
        yield Fault(_place(template, imported=name), "another import has the same name")
    seen.add(name)


class _Checking:
    """Holds templates against what their parent imports and what their siblings export."""

    def __init__(self, templates: Sequence[InstallationTemplate], blueprint: Blueprint, imports: Imports) -> None:
        self._templates = templates
        self._values = imports.values
        self._parent: dict[str, str] = {
            definition.name: definition.type for definition in active_imports(blueprint.imports, imports.values)
        }
        self._data = {item.data_ref for each in templates for item in each.exports.data or ()}
        self._targets = {item.target for each in templates for item in each.exports.targets or ()}

    def imports(self, template: InstallationTemplate) -> Iterator[Fault]:
        seen: set[str] = set()
        for data in template.imports.data or ():
            yield from _import_name(template, data.name, seen)
            yield from self._data_import(_place(template, imported=data.name), data)
        for target in template.imports.targets or ():
            yield from _import_name(template, target.name, seen)
            yield from self._target_import(_place(template, imported=target.name), target)

    def _data_import(self, place: str, item: DataImport) -> Iterator[Fault]:
        if item.secret_ref is not None or item.config_map_ref is not None:
            yield Fault(place, "a sub-installation can import by dataRef only, not by secretRef or configMapRef")
        elif not item.data_ref:
            yield Fault(place, "a dataRef is needed here")
        elif item.data_ref not in self._data and self._parent.get(item.data_ref) != FlowType.DATA:
            yield Fault(
                place, f"dataRef {item.data_ref!r} is neither a data import of the parent nor exported by a sibling"
            )

    def _target_import(self, place: str, item: TargetImport) -> Iterator[Fault]:
        given = [variant for variant in _VARIANTS if getattr(item, variant) not in (None, "")]
        if len(given) != 1:
            yield Fault(place, "give exactly one of target, targets, targetListRef, targetMap, targetMapRef")
            return
        named = [item.target] if item.target else item.targets or (item.target_map or {}).values()
        for name in named:
            if problem := self._problem(name):
                yield Fault(place, problem)
        for kind, ref in ((FlowType.TARGET_LIST, item.target_list_ref), (FlowType.TARGET_MAP, item.target_map_ref)):
            if ref and self._parent.get(ref) != kind:
                yield Fault(place, f"{kind}Ref {ref!r} is not a {kind} import of the parent")

    def _problem(self, name: str) -> str:
        """What is wrong with the name of a single Target; empty if nothing is."""
        if name in self._targets or self._parent.get(name) == FlowType.TARGET:
            return ""
        base, bracket, element = name.removesuffix("]").partition("[")
        kind = self._parent.get(base)
        if bracket and kind in (FlowType.TARGET_LIST, FlowType.TARGET_MAP):
            return _element_problem(name, kind, element, self._values.get(base))
        return f"target {name!r} is neither a target import of the parent nor exported by a sibling"

    def exports(self, template: InstallationTemplate) -> Iterator[Fault]:
        for data in template.exports.data or ():
            place = _place(template, exported=data.name)
            if not data.name or not data.data_ref:
                yield Fault(place, "an export needs a name and a dataRef")
            elif self._parent.get(data.data_ref) == FlowType.DATA:
                yield Fault(place, f"dataRef {data.data_ref!r} is an import of the parent already")
        for target in template.exports.targets or ():
            place = _place(template, exported=target.name)
            if not target.name or not target.target:
                yield Fault(place, "an export needs a name and a target")
            elif self._parent.get(target.target) in TARGETS:
                yield Fault(place, f"target {target.target!r} is an import of the parent already")

    def duplicate_exports(self) -> Iterator[Fault]:
        """Names that more than one export of any template gives."""
        for kind, pairs in (
            ("dataRef", [(item.data_ref, each) for each in self._templates for item in each.exports.data or ()]),
            ("target", [(item.target, each) for each in self._templates for item in each.exports.targets or ()]),
        ):
            exporters: dict[str, list[str]] = {}
            for name, template in pairs:
                exporters.setdefault(name or "", []).append(f'"{template.name}"')
            for name, who in exporters.items():
                if name and len(who) > 1:
                    yield Fault(f"{kind} {name!r}", f"it is exported more than once, by {' and '.join(who)}")


def _element_problem(name: str, kind: str, element: str, value: Any) -> str:
    """Whether a list or map of the parent has an element, as far as its value is known."""
    if kind == FlowType.TARGET_MAP:
        known = list(value) if isinstance(value, Mapping) else []
        if element in known:
            return ""
        return f"target {name!r}: the parent's map has no key {element!r}; it has: {', '.join(known) or 'none'}"
    count = len(value) if isinstance(value, list | tuple) else 0
    if element.isdecimal() and int(element) < count:
        return ""
    return f"target {name!r}: the parent's list has {count} elements, counted from 0"
