"""What a sub-installation gets that names its blueprint by a URI, and what a Context says about components."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from tests.components.static_registry import GOLDEN
from tests.components.test_descriptors import minimal

from landform.components import children, contexts, credentials, versions
from landform.components.children import Child
from landform.components.credentials import Identity
from landform.components.errors import ConfigurationError, InvalidReference, NotFound
from landform.components.overwrites import ComponentReference
from landform.components.resolving import ComponentContext

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractAsyncContextManager

    from landform.components.resolving import Resolver

ARCHIVE = {"type": "CommonTransportFormat", "filePath": "ctf-from-registry"}


async def test_a_child_looks_where_its_parent_looked(
    resolver: Callable[..., AbstractAsyncContextManager[Resolver]],
) -> None:
    async with resolver(root=GOLDEN / "storage") as it:
        parent = await it.resolve(ComponentReference("example.com/golden/root", "1.0.0"), ComponentContext(ARCHIVE))
        found = children.child_of(
            parent, "cd://componentReferences/left/componentReferences/leaf/resources/blueprint", parent_is_inline=False
        )
        assert found == Child("blueprint", ComponentReference("example.com/golden/leaf-a", "1.0.0", ARCHIVE))
        own = children.child_of(parent, "cd://resources/blueprint", parent_is_inline=False)
        assert own.reference is not None
        assert own.reference.repository_context == parent.descriptor["component"]["repositoryContexts"][-1]
        with pytest.raises(NotFound, match='resource "absent"'):
            children.child_of(parent, "cd://componentReferences/left/resources/absent", parent_is_inline=False)
        with pytest.raises(NotFound, match='component reference "wrong"'):
            children.child_of(parent, "cd://componentReferences/wrong/resources/blueprint", parent_is_inline=False)
        with pytest.raises(InvalidReference, match="names no resource"):
            children.child_of(parent, "cd://componentReferences/left", parent_is_inline=False)


def test_a_child_of_an_inline_parent_gets_the_nested_descriptor() -> None:
    nested = minimal()
    nested["component"]["name"] = "example.com/db"
    nested["component"]["version"] = "2.0.0"
    nested["component"]["componentReferences"] = []
    document = minimal()
    label = {"name": versions.NESTED_LABEL, "value": nested}
    document["component"]["componentReferences"][0]["labels"] = [label]
    parent = versions.inline(document)
    found = children.child_of(parent, "cd://componentReferences/db/resources/blueprint", parent_is_inline=True)
    assert found == Child("blueprint", inline=nested)
    own = children.child_of(parent, "cd://resources/blueprint", parent_is_inline=True)
    assert own.inline == parent.descriptor


def _secret(username: str) -> str:
    return json.dumps({"auths": {"registry.example.com": {"username": username, "password": "pw"}}})


def test_a_context_is_made_of_its_objects() -> None:
    overwrite: dict[str, Any] = {"source": {"componentName": "a"}, "substitution": {"version": "2"}}
    consumer = "{type: credentials.config.ocm.software, consumers: [{identity: {type: OCIRegistry, hostname: h}}]}"
    context = contexts.build(
        repository_context=ARCHIVE,
        ocm_config=(GOLDEN / "config/r-order.ocmconfig").read_text(),
        pull_secrets={
            "one": {".dockerconfigjson": _secret("first")},
            "two": {".dockerconfigjson": _secret("second"), ".ocmcredentialconfig": consumer},
        },
        component_version_overwrites=[overwrite],
    )
    assert context.repository_context == ARCHIVE
    assert len(context.ocm_config.rules) == 3
    assert len(context.ocm_config.consumers) == 3
    assert len(context.overwrites) == 1
    found = credentials.best(context.ocm_config.consumers, Identity(hostname="registry.example.com"))
    assert found is not None
    assert found.username == "second"


def test_an_empty_context_is_fine() -> None:
    assert contexts.build() == ComponentContext()


def test_a_broken_pull_secret_is_named_without_its_content() -> None:
    with pytest.raises(ConfigurationError, match="the pull secret one") as caught:
        contexts.build(pull_secrets={"one": {".dockerconfigjson": "SECRET"}})
    assert "SECRET" not in str(caught.value)
