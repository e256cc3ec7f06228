"""One example of each kind, as a person would write it (and, for a status, as Landform would)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

EXAMPLES: Mapping[str, str] = {
    "Installation": """\
apiVersion: landscaper.gardener.cloud/v1alpha1
kind: Installation
metadata:
  name: shop
  namespace: demo
  annotations:
    landscaper.gardener.cloud/operation: reconcile
spec:
  context: default
  componentDescriptor:
    ref:
      componentName: example.com/shop
      version: v1.4.0
  blueprint:
    ref:
      resourceName: shop-blueprint
  imports:
    data:
    - name: domain
      dataRef: shop-domain
    - name: password
      secretRef:
        name: shop-credentials
        key: password
    targets:
    - name: cluster
      target: production
  importDataMappings:
    host: (( "shop." domain ))
  exports:
    data:
    - name: url
      dataRef: shop-url
  automaticReconcile:
    failedReconcile:
      numberOfReconciles: 3
      interval: 10m
""",
    "Execution": """\
apiVersion: landscaper.gardener.cloud/v1alpha1
kind: Execution
metadata:
  name: shop
  namespace: demo
spec:
  context: default
  deployItems:
  - name: database
    type: landscaper.gardener.cloud/helm
    target:
      name: production
      namespace: demo
    config:
      apiVersion: helm.deployer.landscaper.gardener.cloud/v1alpha1
      kind: ProviderConfiguration
      name: database
      namespace: shop
      chart:
        ref: registry.example.com/charts/database:1.2.3
  - name: frontend
    type: landscaper.gardener.cloud/kubernetes-manifest
    target:
      name: production
      namespace: demo
    dependsOn:
    - database
    config:
      apiVersion: manifest.deployer.landscaper.gardener.cloud/v1alpha2
      kind: ProviderConfiguration
      manifests: []
""",
    "DeployItem": """\
apiVersion: landscaper.gardener.cloud/v1alpha1
kind: DeployItem
metadata:
  name: shop-frontend
  namespace: demo
spec:
  type: landscaper.gardener.cloud/kubernetes-manifest
  context: default
  target:
    name: production
    namespace: demo
  timeout: 15m
  config:
    apiVersion: manifest.deployer.landscaper.gardener.cloud/v1alpha2
    kind: ProviderConfiguration
    manifests:
    - policy: manage
      manifest:
        apiVersion: v1
        kind: ConfigMap
        metadata:
          name: frontend
          namespace: shop
        data:
          greeting: hello
""",
    "DataObject": """\
apiVersion: landscaper.gardener.cloud/v1alpha1
kind: DataObject
metadata:
  name: shop-domain
  namespace: demo
data: shop.example.com
""",
    "Target": """\
apiVersion: landscaper.gardener.cloud/v1alpha1
kind: Target
metadata:
  name: production
  namespace: demo
spec:
  type: landscaper.gardener.cloud/kubernetes-cluster
  secretRef:
    name: production-kubeconfig
    key: kubeconfig
""",
    "TargetSync": """\
apiVersion: landscaper.gardener.cloud/v1alpha1
kind: TargetSync
metadata:
  name: clusters
  namespace: demo
spec:
  sourceNamespace: garden-project
  secretRef:
    name: project-access
    key: kubeconfig
  shootNameExpression: "shop-*"
  createTargetToSource: true
  targetToSourceName: project
""",
    "Context": """\
apiVersion: landscaper.gardener.cloud/v1alpha1
kind: Context
metadata:
  name: default
  namespace: demo
repositoryContext:
  type: OCIRegistry
  baseUrl: registry.example.com/components
registryPullSecrets:
- name: registry-credentials
verificationSignatures:
  release:
    publicKeySecretReference:
      name: release-key
      namespace: demo
      key: public.pem
""",
    "ComponentVersionOverwrites": """\
apiVersion: landscaper.gardener.cloud/v1alpha1
kind: ComponentVersionOverwrites
metadata:
  name: hotfixes
  namespace: demo
overwrites:
- source:
    componentName: example.com/shop
    version: v1.4.0
  substitution:
    version: v1.4.1
""",
    "LsHealthCheck": """\
apiVersion: landscaper.gardener.cloud/v1alpha1
kind: LsHealthCheck
metadata:
  name: default
  namespace: landform
status: Ok
lastUpdateTime: "2026-01-31T12:00:00Z"
description: ok
""",
    "SyncObject": """\
apiVersion: landscaper.gardener.cloud/v1alpha1
kind: SyncObject
metadata:
  name: installations-6f1f0c4e-5b0a-4a07-9d6c-2f6a1f9f3c55
  namespace: demo
spec:
  podName: landform-7d9c
  kind: Installation
  name: shop
  lastUpdateTime: "2026-01-31T12:00:00Z"
  prefix: installations
""",
    "CriticalProblems": """\
apiVersion: landscaper.gardener.cloud/v1alpha1
kind: CriticalProblems
metadata:
  name: critical-problems
  namespace: landform
spec:
  criticalProblem:
  - podName: landform-7d9c
    creationTime: "2026-01-31T12:00:00Z"
    description: "IndexError: list index out of range"
""",
    "Environment": """\
apiVersion: landscaper.gardener.cloud/v1alpha1
kind: Environment
metadata:
  name: factory
spec:
  namespace: deployers
  hostTarget:
    type: landscaper.gardener.cloud/kubernetes-cluster
    secretRef:
      name: factory-target-access
      key: kubeconfig
    annotations:
      landscaper.gardener.cloud/environment: factory
      landscaper.gardener.cloud/deployer-only: "true"
  landscaperClusterConfig:
    host: https://landform.example.com:6443
  targetSelectors:
  - annotations:
    - key: landscaper.gardener.cloud/environment
      operator: "="
      values:
      - factory
""",
    "DeployerRegistration": """\
apiVersion: landscaper.gardener.cloud/v1alpha1
kind: DeployerRegistration
metadata:
  name: helm
spec:
  types:
  - landscaper.gardener.cloud/helm
  installationTemplate:
    componentDescriptor:
      ref:
        componentName: example.com/helm-deployer
        version: v1.0.0
    blueprint:
      ref:
        resourceName: helm-deployer-blueprint
    importDataMappings:
      values:
        replicas: 2
""",
}
"""YAML by kind."""
