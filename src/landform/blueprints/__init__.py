"""Blueprints: what they say, what flows through them, and what becomes of them. Pure.

A blueprint is a folder of files; everything here is a function from such files and values to values. Nothing does I/O
but `files.from_folder`. What a rendering needs from elsewhere (the content of a component's resource, a kubeconfig) is
asked for as a question (`questions`): the caller finds the answer and renders again.
"""
