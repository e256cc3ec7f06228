"""Fetching what an Installation is made from: the seam between Installations and component repositories.

Everything here is asynchronous and reads only; what it finds goes into the notebook of the job.

| Room        | What is in it                                                                              |
|-------------|--------------------------------------------------------------------------------------------|
| components  | `FetchedComponents`: components, blueprints and answers, for the controller                |
| contexts    | what the Context of an Installation means for components                                   |
| trust       | which component versions must be signed, and whether they are                              |
| kubeconfigs | kubeconfigs that templates ask for, issued by the clusters of Targets                      |
| objects     | reading Secrets that others name; one that is missing is named in the error                |
"""
