"""The manifest deployer: applies objects to a cluster, waits until they are ready, exports values, and deletes them.

| Room           | What is in it                                                                            |
|----------------|------------------------------------------------------------------------------------------|
| configuration  | `Configuration`: what an item says; pure                                                 |
| decoding       | both versions of it, read and checked; pure                                              |
| rules          | what is wrong with it; pure                                                              |
"""
