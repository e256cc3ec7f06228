"""A node that runs: containerd, kubelet and the scheduler that gives it pods, in a room."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from tests.cluster.controlplane import build
from tests.cluster.node import images
from tests.cluster.node.rooms import RoomError, Tenant

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cluster.controlplane import parts
    from tests.cluster.controlplane.plane import ControlPlane

API_ADDRESS = "10.96.0.1"
"""The cluster address of the API server, which pods find in their environment and which its certificate names."""

POD_NETWORK = "10.85.0.0/16"

CONTAINERD = """\
version = 2
root = "{memory}/containerd"
state = "/run/containerd"
disabled_plugins = ["io.containerd.snapshotter.v1.aufs", "io.containerd.snapshotter.v1.btrfs",
  "io.containerd.snapshotter.v1.devmapper", "io.containerd.snapshotter.v1.zfs"]

[grpc]
  address = "{folder}/containerd.sock"

[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "{pause}"
  restrict_oom_score_adj = true

  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "{folder}/cni"
"""


class Node(Tenant):
    """A node of a control plane, from `with Node(plane) as node` to the end of the block; Ready when it begins."""

    def __init__(self, plane: ControlPlane, name: str = "node", *, schedules: bool = True) -> None:
        """`schedules`: run the scheduler, too; the first node of a control plane does, further ones need not."""
        super().__init__()
        self.plane = plane
        self.name = name
        self._schedules = schedules

    @property
    def logs(self) -> list[Path]:
        """What its programs wrote."""
        return [self._room.folder / f"{name}.log" for name in ("kubelet", "containerd", "kube-scheduler")]

    def load(self, archive: Path) -> None:
        """Make an image known to the node, by the name that its archive gives it."""
        self._ctr("images", "import", str(archive))

    def _start(self) -> None:
        self._binaries = build.binaries(build.NODE)
        self._lead_to_the_api_server()
        kubeconfig = self._write_kubeconfig()
        containerd = self._start_containerd()
        containerd.wait_until(self._containerd_answers)
        self.load(images.pause())
        if self._schedules:
            self._start_scheduler(kubeconfig)
        kubelet = self._start_kubelet(kubeconfig)
        kubelet.wait_until(self._is_ready)

    def _lead_to_the_api_server(self) -> None:
        """Pods and the kubelet itself reach the API server under its cluster address: here is no kube-proxy."""
        port = urlsplit(self.plane.url).port
        rule = ("-d", API_ADDRESS, "-p", "tcp", "--dport", "443", "-j", "DNAT")
        for chain in ("PREROUTING", "OUTPUT"):
            self._room.run(
                "iptables", "-t", "nat", "-A", chain, *rule, "--to-destination", f"{self._room.host_address}:{port}"
            )

    def _start_containerd(self) -> parts.Part:
        folder = self._room.folder
        (folder / "cni").mkdir()
        network = {
            "cniVersion": "0.4.0",
            "name": "pods",
            "plugins": [
                {
                    "type": "ptp",
                    "ipam": {
                        "type": "host-local",
                        "subnet": POD_NETWORK,
                        "routes": [{"dst": "0.0.0.0/0"}],
                        "dataDir": "/run/cni",
                    },
                }
            ],
        }
        (folder / "cni" / "pods.conflist").write_text(json.dumps(network))
        config = folder / "containerd.toml"
        config.write_text(CONTAINERD.format(folder=folder, memory=self._room.memory, pause=images.PAUSE))
        return self._room.start("containerd", [f"--config={config}"])

    def _start_scheduler(self, kubeconfig: Path) -> parts.Part:
        flags = [f"--kubeconfig={kubeconfig}", "--leader-elect=false", "--secure-port=0"]
        return self._room.start(str(self._binaries / "kube-scheduler"), flags)

    def _start_kubelet(self, kubeconfig: Path) -> parts.Part:
        folder = self._room.folder
        config = folder / "kubelet.json"
        config.write_text(json.dumps(self._kubelet_configuration()))
        flags = [
            f"--config={config}",
            f"--kubeconfig={kubeconfig}",
            f"--hostname-override={self.name}",
            f"--node-ip={self._room.address}",
            f"--root-dir={folder}/kubelet",
        ]
        return self._room.start(str(self._binaries / "kubelet"), flags)

    def _kubelet_configuration(self) -> dict[str, object]:
        folder = self._room.folder
        resolver = folder / "resolv.conf"
        resolver.write_text("")  # nothing outside is to be found
        return {
            "apiVersion": "kubelet.config.k8s.io/v1beta1",
            "kind": "KubeletConfiguration",
            "authentication": {"anonymous": {"enabled": True}, "webhook": {"enabled": False}},
            "authorization": {"mode": "AlwaysAllow"},  # only this machine can reach it
            "cgroupDriver": "cgroupfs",
            "containerRuntimeEndpoint": f"unix://{folder}/containerd.sock",
            "enforceNodeAllocatable": [],
            "evictionHard": {"memory.available": "10Mi", "nodefs.available": "1%", "imagefs.available": "1%"},
            "failCgroupV1": False,
            "featureGates": {"KubeletInUserNamespace": True},  # it does without changing the kernel's settings
            "imageGCHighThresholdPercent": 100,  # what is loaded stays: nobody could pull it again
            "kubeAPIBurst": 100,
            "kubeAPIQPS": 100,
            "maxPods": 250,
            "oomScoreAdj": 0,
            "podLogsDir": str(folder / "pod-logs"),
            "registryPullQPS": 0,
            "resolvConf": str(resolver),
            "serializeImagePulls": False,
        }

    def _write_kubeconfig(self) -> Path:
        document = json.loads(self.plane.kubeconfig.read_text())
        document["clusters"][0]["cluster"]["server"] = f"https://{API_ADDRESS}"
        path = self._room.folder / "node.kubeconfig"
        path.write_text(json.dumps(document))
        return path

    def _containerd_answers(self) -> bool:
        try:
            self._ctr("version")
        except RoomError:
            return False
        return True

    def _is_ready(self) -> bool:
        """Whether the kubelet says so and the controllers have seen it: until then no pod is scheduled there."""
        query = '-o=jsonpath={.items[*].status.conditions[?(@.type=="Ready")].status}{.items[*].spec.taints}'
        return self.plane.kubectl("get", "nodes", f"--field-selector=metadata.name={self.name}", query) == "True"

    def _ctr(self, *arguments: str) -> str:
        return self._room.run("ctr", f"--address={self._room.folder}/containerd.sock", "--namespace=k8s.io", *arguments)
