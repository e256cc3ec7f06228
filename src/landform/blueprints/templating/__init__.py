"""Templating: what becomes of a blueprint's executions. Pure and synchronous.

`rendering` is the way in: it renders imports, sub-installations, deploy items and exports. Below it, `gotemplates` and
`spiffs` run one execution each (`runs`), with the functions of `gofunctions`, `componentfunctions` and `kubeconfigs`;
`outputs` reads what they give; `reports`, `excerpts` and `masking` tell what is wrong without showing a value.
"""
