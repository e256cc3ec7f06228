"""Blueprints: what they say, what flows through them, and what becomes of them. Pure.

A blueprint is a folder of files; everything here is a function from such files and values to values. Nothing does I/O
but `files.from_folder` and `staging`. What a rendering needs from elsewhere (the content of a component's resource, a
kubeconfig) is asked for as a question (`questions`): the caller finds the answer and renders again.

| Room                               | What is in it                                                                  |
|------------------------------------|--------------------------------------------------------------------------------|
| files, documents                   | the files of a blueprint, and YAML ones with places                            |
| definitions, rules                 | what `blueprint.yaml` says, and what is wrong with it                          |
| schemas, schemarefs                | JSON schemas, and what their references mean                                   |
| values, mappings, elements, hashes | imports: their values, data mappings, elements of lists and maps, fingerprints |
| templating                         | executions in GoTemplate and Spiff                                             |
| installationtemplates, templaterules, graph | sub-installations, their rules, and who waits for whom                |
| items, programs                    | deploy items, and programs that become one                                     |
| exports                            | what is written into the Installation's scope                                  |
| staging                            | descriptors and files for programs; the one room that reads repositories       |
| questions, decoding, errors        | what all of them use                                                           |
"""
