"""The manifest deployer: applies objects to a cluster, waits until they are ready, exports values, and deletes them.

| Room           | What is in it                                                                            |
|----------------|------------------------------------------------------------------------------------------|
| deployer       | `ManifestDeployer`: the story                                                            |
| configuration  | `Configuration`: what an item says; pure                                                 |
| decoding       | both versions of it, read and checked; pure                                              |
| rules          | what is wrong with it; pure                                                              |
| deployments    | `Deployment`: the work on one item, step by step                                         |
| objects        | what is wanted, in the order of creation; pure                                           |
| references     | names of objects; pure                                                                   |
| memory         | what an item remembers of what it deployed; pure                                         |
| applying       | `Applier`: one object is created or updated                                              |
| strategies     | how an object becomes what its manifest says; pure                                       |
| deletion       | `Deleter`: objects go, group by group                                                    |
| deletiongroups | which objects go together; pure                                                          |
| fates          | which remembered objects are there, and the item's own to delete                         |
| differences    | which fields differ; pure                                                                |
| drifting       | what others changed, and how it is told                                                  |
| planning       | what would be done                                                                       |
| readiness      | whether an object is ready, by its kind; pure                                            |
| customchecks   | whether objects are ready, by their fields; pure                                         |
| exporting      | values of objects; pure                                                                  |
| following      | `Followers`: what is exported is followed after the job                                  |
| debouncing     | when a value that keeps changing counts; pure                                            |
| goals          | what must be so before an item goes on; pure                                             |
| awaiting       | waiting for goals                                                                        |
| views          | `View`: what one item looks at in clusters                                               |
| watches        | `Watches`: one watch for each cluster and kind, for all items                            |
| sites          | `Site`: a cluster and its kinds                                                          |
| targets        | the sites that an item names                                                             |
| parallel       | the same for many objects at a time                                                      |
| secrecy        | what clusters say, without secrets                                                       |
"""

from landform.deployers.manifest.deployer import ManifestDeployer

__all__ = ["ManifestDeployer"]
