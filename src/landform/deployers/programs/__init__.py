"""Programs of users as deploy items: what the container and the script deployer share.

One contract, three places to run them. A program gets files and environment variables, and leaves exports and state.
What is staged before it and collected after it is the same everywhere; only the sandbox differs. Knows neither of the
two deployers.

Neither the package nor its rooms import anything by themselves, because the init and wait containers start from a few
of its modules only, and every one they do not load is time that nobody waits.

A room uses only the rooms below it:

| Room                     | What is in it                                                                            |
|--------------------------|------------------------------------------------------------------------------------------|
| setup                    | what the operator says (settings), what is there (finding), sandboxes are made (building) |
| runs                     | `ProgramDeployer` and the story of one run (running): what is remembered (memory), told   |
|                          | (reporting, failures) and printed (logs), taken along (moving), and left behind (garbage) |
| grounds                  | which sandbox an item gets (choosing); sandboxes are shared and closed (grounds)          |
| orders                   | what an item says and wants to have run (configurations, specifications), and what its    |
|                          | program is given (gathering, importing), with credentials for its image (pulling)         |
| pods, engines, processes | the three sandboxes: pods of a host cluster, podman or docker, local processes            |
| local                    | runs whose files lie on this machine, for engines and processes                           |
| states                   | the state, in pieces, in Secrets; for pods in Secrets made beforehand (slots, statefiles) |
| files                    | the files of the contract (staging, collecting, exportfiles), and folders as archives     |
| contract                 | variables and paths, which run, how it ended, what a sandbox is, labels, faults; pure     |
| tasks                    | side by side (abreast), as a whole (finishing), in a thread (threads)                     |
"""
