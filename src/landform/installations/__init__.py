"""Installations: their controller. Observe (snapshot), decide (pure, one module for each group of phases), act.

A root Installation makes a job and hands its id down; an Installation reads its imports, renders its blueprint,
creates its sub-Installations and its Execution, waits for them, and writes its exports. Deletion goes the same way and
needs none of the first three.

| Room         | What is in it                                                                                |
|--------------|----------------------------------------------------------------------------------------------|
| controller   | `controller`: the whole of it, and who is woken by what                                      |
| relations    | who belongs to whom, who imports what others export; pure                                    |
| indexes      | by what Installations and their data are found without looking at all of them                |
| snapshot     | `Snapshot`: all that matters to one Installation, read from caches as far as it is needed    |
| decisions    | which of the following is up                                                                 |
| starting     | new jobs: asked for, on change, on deletion                                                  |
| preparing    | phase Init: predecessors, imports, blueprint, children                                       |
| orphans      | phase CleanupOrphaned: children that the blueprint no longer has                             |
| progressing  | phase Progressing: children are started and waited for                                       |
| completing   | phase Completing: exports                                                                    |
| deleting     | phases InitDelete to DeleteFailed                                                            |
| interrupts   | `operation: interrupt`                                                                       |
| retries      | automatic reconcile                                                                          |
| triggers     | root Installations that import what this one exports                                         |
| imports      | reading import objects, writing the inner scope                                              |
| children     | sub-Installations and the Execution as the blueprint wants them                              |
| exporting    | export objects                                                                               |
| states       | Secrets with the state of templates                                                          |
| sources      | where component and blueprint come from: the seam for repositories                           |
| errands      | fetching beside the reconciles, so that a silent registry holds up nobody                    |
| fetching     | what is fetched: component versions, blueprints, and what templates ask for                  |
| answers      | what was fetched for a job, kept until it ends                                               |
| health       | condition `Healthy`                                                                          |
| waits        | condition `Waiting`                                                                          |
| endings      | how a job ends                                                                               |
| statuses     | how a status changes; pure                                                                   |
| writing      | the intents that all of them use                                                             |
"""
