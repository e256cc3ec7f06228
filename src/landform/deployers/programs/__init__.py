"""Programs of users as deploy items: what the container and the script deployer share.

One contract, three places to run them. A program gets files and environment variables, and leaves exports and state.
What is staged before it and collected after it is the same everywhere; only the sandbox differs. Knows neither of the
two deployers.

The package imports nothing by itself, because the init and wait containers start from a few of its modules only, and
every one they do not load is time that nobody waits.

| Room                                    | What is in it                                                             |
|-----------------------------------------|---------------------------------------------------------------------------|
| contract, identities, outcomes          | variables and paths; which run; how it ended; pure                        |
| sandboxes                               | `Sandbox`: what a place is where programs run                             |
| **From an item to a run**               |                                                                           |
| deployers, running                      | `ProgramDeployer`, and the story of one run                               |
| configurations, specifications          | what an item says, and what it wants to have run; pure                    |
| gathering, importing, pulling           | what the program is given, and credentials for its image                  |
| memory, reporting, failures             | what is remembered and told of it                                         |
| logs, logtexts                          | what it prints                                                            |
| garbage                                 | what is left of items that are gone, and of jobs that are over            |
| **From settings to sandboxes**          |                                                                           |
| settings, finding, choosing             | what the operator says, what is there, which of it is taken               |
| building, grounds                       | sandboxes are made, shared and closed                                     |
| **Files in and out**                    |                                                                           |
| staging, collecting, exportfiles        | the files of the contract, and the exports                                |
| archives, tars, gzips, faults           | folders as archives, and what can be wrong with them                      |
| states, statechunks, statewriting       | the state, in pieces, in Secrets                                          |
| moving                                  | the state of a program that runs in another place than before             |
| slots, statefiles                       | the same for pods: Secrets made beforehand, and mounted pieces            |
| labels                                  | how everything of an item is found again                                  |
| abreast, finishing, threads             | side by side; as a whole; in a thread                                     |
| **The places**                          |                                                                           |
| folders, places, launchers              | runs whose files lie on this machine                                      |
| processes, engines, pods                | folders: local processes, podman or docker, pods of a host cluster        |
"""
