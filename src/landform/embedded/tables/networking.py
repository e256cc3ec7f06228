"""Rows of what connects pods: Services, Ingresses and their like."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from landform.embedded.tables.parts import (
    AGE,
    NONE,
    UNSET,
    Printer,
    age_of,
    at,
    count_at,
    first_few,
    items_at,
    labels_text,
    printer,
    selector_text,
    text,
    text_at,
    wide,
)

if TYPE_CHECKING:
    from datetime import datetime

    from landform.cluster.resources import Unstructured


def _service(obj: Unstructured, now: datetime) -> list[Any]:
    cluster_ips = items_at(obj, "spec", "clusterIPs")
    return [
        text_at(obj, "spec", "type", absent="ClusterIP"),
        cluster_ips[0] if cluster_ips else text_at(obj, "spec", "clusterIP", absent=NONE),
        _external_ip(obj),
        ",".join(_port(port) for port in items_at(obj, "spec", "ports")) or NONE,
        age_of(obj, now),
        labels_text(at(obj, "spec", "selector")),
    ]


def _external_ip(service: Unstructured) -> str:
    """Where a service is reached from outside, by its type."""
    outside = items_at(service, "spec", "externalIPs")
    type_ = text_at(service, "spec", "type", absent="ClusterIP")
    if type_ == "ExternalName":
        return text_at(service, "spec", "externalName")
    if type_ == "LoadBalancer":
        balancers = _load_balancers(service)
        return ",".join([*([balancers] if balancers else []), *outside]) or "<pending>"
    return ",".join(outside) or NONE


def _load_balancers(obj: Unstructured) -> str:
    ingress = items_at(obj, "status", "loadBalancer", "ingress")
    return ",".join(sorted({text_at(entry, "ip") or text_at(entry, "hostname") for entry in ingress} - {""}))


def _port(port: Unstructured) -> str:
    node_port = count_at(port, "nodePort")
    protocol = text_at(port, "protocol", absent="TCP")
    return f"{count_at(port, 'port')}{f':{node_port}' if node_port else ''}/{protocol}"


def _ingress(obj: Unstructured, now: datetime) -> list[Any]:
    return [
        text_at(obj, "spec", "ingressClassName", absent=NONE),
        _hosts(items_at(obj, "spec", "rules")),
        _load_balancers(obj),
        "80, 443" if items_at(obj, "spec", "tls") else "80",
        age_of(obj, now),
    ]


def _hosts(rules: list[Unstructured]) -> str:
    """The first three hosts; what is more counts rules, with or without a host, as kubectl users know it."""
    limit = 3
    hosts: list[str] = []
    for rule in rules:
        if len(hosts) == limit:
            return f"{','.join(hosts)} + {len(rules) - limit} more..."
        if host := text_at(rule, "host"):
            hosts.append(host)
    return ",".join(hosts) or "*"


def _ingress_class(obj: Unstructured, now: datetime) -> list[Any]:
    parameters = at(obj, "spec", "parameters")
    reference = NONE
    if parameters is not None:
        group = text_at(parameters, "apiGroup")
        kind = text_at(parameters, "kind") + (f".{group}" if group else "")
        reference = f"{kind}/{text_at(parameters, 'name')}"
    return [text_at(obj, "spec", "controller"), reference, age_of(obj, now)]


def _network_policy(obj: Unstructured, now: datetime) -> list[Any]:
    return [selector_text(at(obj, "spec", "podSelector") or {}), age_of(obj, now)]


def _endpoints(obj: Unstructured, now: datetime) -> list[Any]:
    found: list[str] = []
    for subset in items_at(obj, "subsets"):
        addresses = [text_at(address, "ip") for address in items_at(subset, "addresses")]
        ports = items_at(subset, "ports")
        found += [_host_port(ip, port) for port in ports for ip in addresses] if ports else addresses
    return [first_few(found, 3, empty=NONE), age_of(obj, now)]


def _host_port(ip: str, port: Unstructured) -> str:
    return f"{f'[{ip}]' if ':' in ip else ip}:{count_at(port, 'port')}"


def _endpoint_slice(obj: Unstructured, now: datetime) -> list[Any]:
    ports = [text_at(port, "port") or text_at(port, "name", absent="*") for port in items_at(obj, "ports")]
    addresses = [address for endpoint in items_at(obj, "endpoints") for address in items_at(endpoint, "addresses")]
    return [
        text_at(obj, "addressType"),
        first_few(ports, 3, empty=UNSET),
        first_few(addresses, 3, empty=UNSET),
        age_of(obj, now),
    ]


PRINTERS: dict[tuple[str, str], Printer] = {
    ("", "services"): printer(
        (text("Type"), text("Cluster-IP"), text("External-IP"), text("Port(s)"), AGE, wide("Selector")), _service
    ),
    ("", "endpoints"): printer((text("Endpoints"), AGE), _endpoints),
    ("discovery.k8s.io", "endpointslices"): printer(
        (text("AddressType"), text("Ports"), text("Endpoints"), AGE), _endpoint_slice
    ),
    ("networking.k8s.io", "ingresses"): printer(
        (text("Class"), text("Hosts"), text("Address"), text("Ports"), AGE), _ingress
    ),
    ("networking.k8s.io", "ingressclasses"): printer((text("Controller"), text("Parameters"), AGE), _ingress_class),
    ("networking.k8s.io", "networkpolicies"): printer((text("Pod-Selector"), AGE), _network_policy),
}
