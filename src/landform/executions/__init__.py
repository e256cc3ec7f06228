"""Executions: the deploy items of one Installation, created, started in their order, collected and removed.

`controller` makes the part that does this, `pickups` the small one beside it that gives up items which no deployer
begins. A snapshot is taken from caches (`snapshot`), pure functions say what is to be done (`decisions` and the
modules of its phases), and only intents write. This package talks to deployers through DeployItems alone, knows no
deployer, asks of an Installation only whether it is still there, and needs neither Context nor blueprint.
"""
