"""The script deployer: runs a script, as a local process or in an image. What it shares with images is in `programs`.

| Room          | What is in it                           |
|---------------|-----------------------------------------|
| configuration | what a script item says of itself; pure |
| deployer      | `ScriptDeployer`                        |
"""

from landform.deployers.script.deployer import ScriptDeployer

__all__ = ["ScriptDeployer"]
