"""Objects in Kubernetes' protobuf form, which helm and most programs in Go send for built-in kinds.

`decode` turns such a body into the JSON data that everything else works with. Answers stay JSON: who sends protobuf
takes JSON too. `messages` holds what ``tools/messages`` took from Kubernetes' own types.
"""

from landform.embedded.protobuf.decoding import MEDIA_TYPE, decode

__all__ = ["MEDIA_TYPE", "decode"]
