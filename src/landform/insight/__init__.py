"""Answers computed from the objects: what belongs together (tree), and what is in the way (why).

The answers are pure functions of a `Landscape`, the objects that belong to some Installations. Gathering one reads
from a cluster and writes nothing.

| Room       | What is in it                                                                        |
|------------|--------------------------------------------------------------------------------------|
| landscapes | `Landscape`: Installations with all that is below them; pure                         |
| gathering  | `gather`, `everything`: a Landscape, read once from a cluster                        |
| asking     | `ask`: why, with everything that the answer needs read from a cluster                |
| following  | `Follower`: a Landscape that is kept up to date by caches                            |
| trees      | `tree`, `Node`: phases, times, waits, errors and exports, as a tree; pure            |
| causes     | `why`, `Chain`: from an object to what is in its way, step by step; pure             |
| endings    | `Awaited`: whether the job that somebody waits for is over, and how it ended; pure   |
| advice     | what a person can do about a cause; pure                                             |
"""
