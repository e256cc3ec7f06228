"""The functions that Landscaper and Helm add to sprig: YAML in both directions."""

from __future__ import annotations

from landform.gotemplate.documents import yaml_reading, yaml_writing
from landform.gotemplate.functions import Function, function

YAML: dict[str, Function] = {
    "toYaml": function("any -> string", yaml_writing.write),
    "fromYaml": function("string", yaml_reading.read),
}
"""`toYaml` and `fromYaml`, with the results and the errors of sigs.k8s.io/yaml."""
