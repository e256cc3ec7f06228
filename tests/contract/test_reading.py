"""Getting and listing: selectors, pages and how fresh the answer is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.contract.objects import config_map, names, widget

from landform.cluster import errors
from landform.cluster.interface import ListOptions
from landform.cluster.resources import CONFIG_MAPS, EVENTS, NAMESPACES, untyped

if TYPE_CHECKING:
    from landform.cluster.interface import Cluster
    from landform.cluster.resources import Resource, Unstructured


@pytest.fixture
async def many(cluster: Cluster, namespace: str, widgets: Resource[Unstructured]) -> list[Unstructured]:
    """Five Widgets, w1 to w5; odd ones are labelled odd=yes, all have their number as a label."""
    return [
        await cluster.create(
            widgets,
            widget(f"w{n}", labels={"number": str(n)} | ({"odd": "yes"} if n % 2 else {})),
            namespace=namespace,
        )
        for n in range(1, 6)
    ]


async def test_a_missing_object_is_not_found(cluster: Cluster, namespace: str) -> None:
    with pytest.raises(errors.NotFound) as caught:
        await cluster.get(CONFIG_MAPS, "none", namespace=namespace)
    assert caught.value.message == 'configmaps "none" not found'
    assert (caught.value.code, caught.value.reason) == (404, "NotFound")
    assert caught.value.details == {"name": "none", "kind": "configmaps"}


async def test_a_missing_custom_object_is_not_found_with_its_group(
    cluster: Cluster, namespace: str, widgets: Resource[Unstructured]
) -> None:
    with pytest.raises(errors.NotFound) as caught:
        await cluster.get(widgets, "none", namespace=namespace)
    assert caught.value.message == 'widgets.contract.landform.test "none" not found'
    assert caught.value.details == {"name": "none", "group": "contract.landform.test", "kind": "widgets"}


async def test_a_list_is_ordered_by_name_and_its_items_say_their_kind(
    cluster: Cluster, namespace: str, widgets: Resource[Unstructured], many: list[Unstructured]
) -> None:
    await cluster.create(widgets, widget("a-late-one"), namespace=namespace)
    page = await cluster.list(widgets, namespace=namespace)
    assert names(page.items) == ["a-late-one", "w1", "w2", "w3", "w4", "w5"]
    assert list(page.items[1:]) == many
    assert page.continue_token == ""
    assert page.remaining is None


async def test_items_of_a_built_in_list_say_their_kind_too(cluster: Cluster, namespace: str) -> None:
    created = await cluster.create(CONFIG_MAPS, config_map("one", labels={"mine": "yes"}), namespace=namespace)
    page = await cluster.list(CONFIG_MAPS, namespace=namespace, options=ListOptions(label_selector="mine=yes"))
    assert list(page.items) == [created]


async def test_a_list_is_at_least_as_new_as_the_last_write(
    cluster: Cluster, namespace: str, widgets: Resource[Unstructured], many: list[Unstructured]
) -> None:
    page = await cluster.list(widgets, namespace=namespace)
    assert int(page.resource_version) >= int(many[-1]["metadata"]["resourceVersion"])


async def test_a_namespace_nobody_made_is_empty(cluster: Cluster, widgets: Resource[Unstructured]) -> None:
    assert list((await cluster.list(widgets, namespace="nowhere")).items) == []


async def test_all_namespaces_are_listed_together_by_namespace_then_name(
    cluster: Cluster, namespace: str, widgets: Resource[Unstructured]
) -> None:
    other = (await cluster.create(NAMESPACES, {"metadata": {"generateName": "contract-"}}))["metadata"]["name"]
    for home in (namespace, other):
        for name in ("b", "a"):
            await cluster.create(widgets, widget(name, labels={"both": namespace}), namespace=home)
    page = await cluster.list(widgets, options=ListOptions(label_selector=f"both={namespace}"))
    found = [(item["metadata"]["namespace"], item["metadata"]["name"]) for item in page.items]
    assert found == sorted((home, name) for home in (namespace, other) for name in ("a", "b"))
    await cluster.delete(NAMESPACES, other)


@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        ("odd=yes", "w1 w3 w5"),
        ("odd==yes", "w1 w3 w5"),
        ("odd!=yes", "w2 w4"),
        ("odd", "w1 w3 w5"),
        ("!odd", "w2 w4"),
        ("number in (1,2)", "w1 w2"),
        ("number notin (1,2)", "w3 w4 w5"),
        ("odd notin (yes)", "w2 w4"),
        ("number>3", "w4 w5"),
        ("number<3", "w1 w2"),
        ("odd=yes,number!=3", "w1 w5"),
        (" odd = yes , number in ( 1 , 5 ) ", "w1 w5"),
        ("odd=", ""),
        ("number in (7)", ""),
    ],
)
async def test_label_selectors_choose(
    cluster: Cluster,
    namespace: str,
    widgets: Resource[Unstructured],
    many: list[Unstructured],
    selector: str,
    expected: str,
) -> None:
    page = await cluster.list(widgets, namespace=namespace, options=ListOptions(label_selector=selector))
    assert names(page.items) == expected.split()


@pytest.mark.parametrize(
    ("selector", "message"),
    [
        ("a b", "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"),
        ("=x", "found '=', expected: !, identifier, or 'end of string'"),
        ("a in", "unable to parse requirement: found '' expected: '('"),
        ("a in (x", "unable to parse requirement: found '', expected: ',' or ')'"),
        (
            "number>three",
            'unable to parse requirement: values[0]: Invalid value: "three": '
            "for 'Gt', 'Lt' operators, the value must be an integer",
        ),
        ("odd=not valid!", "found 'valid', expected: ',' or 'end of string'"),
    ],
)
async def test_a_malformed_label_selector_is_refused(
    cluster: Cluster, namespace: str, selector: str, message: str
) -> None:
    with pytest.raises(errors.BadRequest) as caught:
        await cluster.list(CONFIG_MAPS, namespace=namespace, options=ListOptions(label_selector=selector))
    assert caught.value.message == message


@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        ("metadata.name=w2", "w2"),
        ("metadata.name==w2", "w2"),
        ("metadata.name!=w2", "w1 w3 w4 w5"),
        ("metadata.name=w2,metadata.name=w3", ""),
        ("metadata.namespace=elsewhere", ""),
    ],
)
async def test_field_selectors_choose(
    cluster: Cluster,
    namespace: str,
    widgets: Resource[Unstructured],
    many: list[Unstructured],
    selector: str,
    expected: str,
) -> None:
    page = await cluster.list(widgets, namespace=namespace, options=ListOptions(field_selector=selector))
    assert names(page.items) == expected.split()


async def test_events_are_selected_by_the_fields_of_either_group(cluster: Cluster, namespace: str) -> None:
    about = {"apiVersion": "v1", "kind": "ConfigMap", "name": "one", "namespace": namespace}
    event = {"metadata": {"name": "one.1"}, "involvedObject": about, "source": {"component": "tester"}}
    await cluster.create(EVENTS, event, namespace=namespace)
    newer = untyped("events.k8s.io/v1", "Event", "events")
    for resource, selector in ((newer, "regarding.name=one"), (EVENTS, "source=tester")):
        page = await cluster.list(resource, namespace=namespace, options=ListOptions(field_selector=selector))
        assert names(page.items) == ["one.1"]


async def test_a_field_that_cannot_be_selected_is_refused(
    cluster: Cluster, namespace: str, widgets: Resource[Unstructured]
) -> None:
    selection = ListOptions(field_selector="spec.size=3")
    with pytest.raises(errors.BadRequest) as caught:
        await cluster.list(widgets, namespace=namespace, options=selection)
    assert caught.value.message == "field label not supported: spec.size"
    with pytest.raises(errors.BadRequest) as caught:
        await cluster.list(CONFIG_MAPS, namespace=namespace, options=selection)
    assert caught.value.message == (
        '"spec.size" is not a known field selector: only "metadata.name", "metadata.namespace"'
    )


async def test_pages_join_up_to_the_whole(
    cluster: Cluster, namespace: str, widgets: Resource[Unstructured], many: list[Unstructured]
) -> None:
    first = await cluster.list(widgets, namespace=namespace, options=ListOptions(limit=2))
    assert names(first.items) == ["w1", "w2"]
    assert first.remaining == 3
    second = await cluster.list(
        widgets, namespace=namespace, options=ListOptions(limit=2, continue_token=first.continue_token)
    )
    assert names(second.items) == ["w3", "w4"]
    assert second.remaining == 1
    third = await cluster.list(
        widgets, namespace=namespace, options=ListOptions(limit=2, continue_token=second.continue_token)
    )
    assert names(third.items) == ["w5"]
    assert (third.remaining, third.continue_token) == (None, "")
    assert first.resource_version == second.resource_version == third.resource_version


async def test_later_pages_show_the_state_of_the_first(
    cluster: Cluster, namespace: str, widgets: Resource[Unstructured], many: list[Unstructured]
) -> None:
    first = await cluster.list(widgets, namespace=namespace, options=ListOptions(limit=2))
    await cluster.create(widgets, widget("w6"), namespace=namespace)
    await cluster.delete(widgets, "w3", namespace=namespace)
    rest = await cluster.list(widgets, namespace=namespace, options=ListOptions(continue_token=first.continue_token))
    assert names(rest.items) == ["w3", "w4", "w5"]


async def test_a_page_with_a_selector_does_not_say_how_many_remain(
    cluster: Cluster, namespace: str, widgets: Resource[Unstructured], many: list[Unstructured]
) -> None:
    page = await cluster.list(widgets, namespace=namespace, options=ListOptions(limit=2, label_selector="odd"))
    assert names(page.items) == ["w1", "w3"]
    assert page.continue_token
    assert page.remaining is None


async def test_a_broken_continue_token_is_refused(
    cluster: Cluster, namespace: str, widgets: Resource[Unstructured]
) -> None:
    with pytest.raises(errors.BadRequest) as caught:
        await cluster.list(widgets, namespace=namespace, options=ListOptions(limit=2, continue_token="nonsense!"))
    # What follows depends on how tokens are made, which no client may know.
    assert caught.value.message.startswith("invalid continue token: continue key is not valid: ")


async def test_any_version_may_be_asked_for_with_zero(
    cluster: Cluster, namespace: str, widgets: Resource[Unstructured], many: list[Unstructured]
) -> None:
    page = await cluster.list(widgets, namespace=namespace, options=ListOptions(resource_version="0"))
    assert set(names(page.items)) <= {"w1", "w2", "w3", "w4", "w5"}


async def test_at_least_a_version_is_waited_for(
    cluster: Cluster, namespace: str, widgets: Resource[Unstructured], many: list[Unstructured]
) -> None:
    newest = many[-1]["metadata"]["resourceVersion"]
    page = await cluster.list(widgets, namespace=namespace, options=ListOptions(resource_version=newest))
    assert names(page.items) == ["w1", "w2", "w3", "w4", "w5"]
    assert int(page.resource_version) >= int(newest)


async def test_exactly_a_version_shows_that_moment(
    cluster: Cluster, namespace: str, widgets: Resource[Unstructured], many: list[Unstructured]
) -> None:
    third = many[2]["metadata"]["resourceVersion"]
    page = await cluster.list(
        widgets, namespace=namespace, options=ListOptions(resource_version=third, resource_version_match="Exact")
    )
    assert names(page.items) == ["w1", "w2", "w3"]
    assert page.resource_version == third


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ListOptions(resource_version_match="Exact"),
            'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: '
            "resourceVersionMatch is forbidden unless resourceVersion is provided",
        ),
        (
            ListOptions(resource_version="0", resource_version_match="Exact"),
            'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: '
            'resourceVersionMatch "exact" is forbidden for resourceVersion "0"',
        ),
        (
            ListOptions(resource_version="1", resource_version_match="Sometimes"),
            'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Unsupported value: "Sometimes": '
            'supported values: "Exact", "NotOlderThan", ""',
        ),
    ],
    ids=["exact-without-version", "exact-zero", "unknown-match"],
)
async def test_a_version_rule_that_makes_no_sense_is_refused(
    cluster: Cluster, namespace: str, widgets: Resource[Unstructured], options: ListOptions, message: str
) -> None:
    with pytest.raises(errors.Invalid) as caught:
        await cluster.list(widgets, namespace=namespace, options=options)
    assert caught.value.message == message


async def test_a_version_that_is_no_number_is_refused(
    cluster: Cluster, namespace: str, widgets: Resource[Unstructured]
) -> None:
    with pytest.raises(errors.BadRequest) as caught:
        await cluster.list(widgets, namespace=namespace, options=ListOptions(resource_version="abc"))
    assert caught.value.message == (
        'invalid resource version: resourceVersion: Invalid value: "abc": '
        'strconv.ParseUint: parsing "abc": invalid syntax'
    )


async def test_a_version_from_the_future_is_asked_for_again_later(
    cluster: Cluster, namespace: str, widgets: Resource[Unstructured]
) -> None:
    with pytest.raises(errors.ServerError) as caught:
        await cluster.list(widgets, namespace=namespace, options=ListOptions(resource_version="999999999999"))
    assert (caught.value.code, caught.value.reason, caught.value.retry_after) == (504, "Timeout", 1)
    assert caught.value.message.startswith("Timeout: Too large resource version: 999999999999, current: ")
    assert caught.value.causes == (errors.Cause("ResourceVersionTooLarge", "Too large resource version"),)


async def test_an_object_is_its_own_status_subresource(
    cluster: Cluster, namespace: str, widgets: Resource[Unstructured]
) -> None:
    created = await cluster.create(widgets, widget("one"), namespace=namespace)
    assert await cluster.get(widgets, "one", namespace=namespace, subresource="status") == created


async def test_a_subresource_nobody_serves_is_not_found(
    cluster: Cluster, namespace: str, widgets: Resource[Unstructured]
) -> None:
    await cluster.create(widgets, widget("one"), namespace=namespace)
    with pytest.raises(errors.NotFound) as caught:
        await cluster.get(widgets, "one", namespace=namespace, subresource="nonsense")
    assert caught.value.message == 'widgets.contract.landform.test "one" not found'
    await cluster.create(CONFIG_MAPS, config_map("one"), namespace=namespace)
    with pytest.raises(errors.NotFound) as caught:
        await cluster.get(CONFIG_MAPS, "one", namespace=namespace, subresource="nonsense")
    assert caught.value.message == "the server could not find the requested resource"
