"""Component versions: descriptors, where they are stored, what they are made of, and whether they are genuine.

Descriptors are plain JSON data in the shape of schema v2, whatever schema they were stored in. The modules without I/O
(descriptors, selection, uris, ocirefs, versions, overwrites, normalisation) are plain functions over that data;
everything that reads a repository is asynchronous, read-only and bounded. Nothing here knows of blueprints' content or
of Installations. Credentials, keys and configuration are handed in as values; only `contextobjects` knows in which
objects of a cluster they stand.
"""
