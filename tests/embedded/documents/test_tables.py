"""Tables show what a real API server shows."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from tests.embedded.documents.crontabs import crontabs

from landform.embedded.catalog import Catalog, ResourceType
from landform.embedded.definitions import defaulted, types_of
from landform.embedded.kinds import builtin_types
from landform.embedded.tables import Include, table
from landform.embedded.tables.ages import humanised, since

GOLDEN = Path(__file__).parents[2] / "golden" / "tables"
NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)

CATALOG = Catalog(builtin_types())
for custom_type in types_of(defaulted(crontabs())):
    CATALOG.add(custom_type)

RECORDED: dict[str, Any] = {
    name: recorded for file in sorted(GOLDEN.glob("*.json")) for name, recorded in json.loads(file.read_text()).items()
}


def type_at(path: str) -> ResourceType:
    """The type whose collection has this path."""
    parts = [part for part in path.removeprefix("/apis/").removeprefix("/api/").split("/") if part]
    group = parts.pop(0) if path.startswith("/apis/") else ""
    found = CATALOG.find(group, parts[0], parts[-1])
    assert found is not None, path
    return found


@pytest.mark.parametrize("name", RECORDED)
def test_a_table_is_what_the_api_server_makes_of_the_same_object(name: str) -> None:
    recorded = RECORDED[name]
    theirs = recorded["table"]
    objects = [row["object"] for row in theirs["rows"]]
    now = datetime.fromisoformat(recorded["now"])
    ours = table(type_at(recorded["path"]), objects, now, include=Include.OBJECT, metadata=theirs["metadata"])
    for column in ours["columnDefinitions"]:
        del column["description"]
    assert ours == theirs


def test_the_golden_files_cover_every_built_in_kind_that_can_be_listed() -> None:
    covered = {type_at(recorded["path"]).group_resource for recorded in RECORDED.values()}
    assert {type_.group_resource for type_ in CATALOG if "list" in type_.verbs} == covered


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (-5, "<invalid>"), (-1.5, "0s"), (0, "0s"), (0.9, "0s"), (119, "119s"), (120, "2m"), (150, "2m30s"),
        (599, "9m59s"), (600, "10m"), (3 * 3600 - 1, "179m"), (3 * 3600, "3h"), (4 * 3600 + 300, "4h5m"),
        (8 * 3600, "8h"), (48 * 3600 - 1, "47h"), (48 * 3600, "2d"), (3 * 86400 + 7200, "3d2h"),
        (8 * 86400, "8d"), (729 * 86400, "729d"), (730 * 86400, "2y"), (731 * 86400, "2y1d"),
        (8 * 365 * 86400, "8y"), (20 * 365 * 86400 + 5, "20y"),
    ],
)  # fmt: skip
def test_spans_of_time_are_short(seconds: float, text: str) -> None:
    assert humanised(seconds) == text


def test_an_unknown_time_has_an_unknown_age() -> None:
    assert since(None, NOW) == "<unknown>"
    assert since("2026-01-02T03:04:00Z", NOW) == "5s"


def config_map() -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"x": "1"}}


@pytest.mark.parametrize(
    ("include", "expected"),
    [
        (Include.NONE, None),
        (
            Include.METADATA,
            {"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": {"name": "a"}},
        ),
        (Include.OBJECT, config_map()),
    ],
)
def test_rows_carry_as_much_of_the_object_as_asked(include: Include, expected: Any) -> None:
    shown = table(type_at("/api/v1/configmaps"), [config_map()], NOW, include=include)
    assert [row["object"] for row in shown["rows"]] == [expected]


def test_later_tables_of_a_watch_have_no_headers() -> None:
    assert table(type_at("/api/v1/configmaps"), [config_map()], NOW, headers=False)["columnDefinitions"] is None


def test_columns_say_what_they_are_about() -> None:
    def descriptions(path: str) -> dict[str, str]:
        shown = table(type_at(path), [], NOW)
        return {column["name"]: column["description"] for column in shown["columnDefinitions"]}

    crontab = descriptions("/apis/stable.example.com/v1/crontabs")
    assert crontab["Spec"] == "The schedule."
    assert crontab["Replicas"] == "Custom resource definition column (in JSONPath format): .spec.replicas"
    assert crontab["Name"].startswith("Name must be unique within a namespace.")
    assert descriptions("/api/v1/pods")["Age"].startswith("CreationTimestamp is a timestamp")


def custom_cells(column_type: str, value: Any) -> Any:
    """The cell of a column of that type that shows this value."""
    definition = defaulted(crontabs())
    column = {"name": "X", "type": column_type, "jsonPath": ".spec.x"}
    definition["spec"]["versions"] = [{"name": "v1", "served": True, "additionalPrinterColumns": [column]}]
    (type_,) = types_of(definition)
    shown = table(type_, [{"metadata": {"name": "a"}, "spec": {"x": value}}], NOW)
    return shown["rows"][0]["cells"][1]


@pytest.mark.parametrize(
    ("column_type", "value", "cell"),
    [
        ("string", "text", "text"),
        ("string", 3, "3"),
        ("string", True, "true"),
        ("string", {"a": [1]}, '{"a":[1]}'),
        ("integer", 3, 3),
        ("integer", 3.7, 3),
        ("integer", "3", None),
        ("integer", True, None),
        ("number", 3, 3.0),
        ("boolean", False, False),
        ("boolean", "yes", None),
        ("date", "2026-01-02T03:04:00Z", "5s"),
        ("date", "yesterday", "<invalid>"),
        ("date", 5, None),
        ("integer", None, None),
    ],
)
def test_a_custom_cell_has_the_type_of_its_column_or_is_empty(column_type: str, value: Any, cell: Any) -> None:
    assert custom_cells(column_type, value) == cell


def test_a_column_with_a_broken_path_is_empty_and_spoils_nothing() -> None:
    definition = defaulted(crontabs())
    columns = [{"name": name, "type": "string", "jsonPath": path} for name, path in [("A", ".x["), ("B", ".x")]]
    definition["spec"]["versions"] = [{"name": "v1", "served": True, "additionalPrinterColumns": columns}]
    (type_,) = types_of(definition)
    assert table(type_, [{"metadata": {"name": "a"}, "x": "y"}], NOW)["rows"][0]["cells"] == ["a", None, "y"]
