"""The simulator: one seed, one exact run of controllers and their cluster in virtual time, with all that can go wrong.

A `Scenario` names the programs of its processes, what people do meanwhile, and the invariants. `run` runs it for a
seed, ``python -m landform.testing.simulation`` for many. What goes wrong is injected between the processes and the
embedded home; neither knows of it. Programs under test must take time, ids and chance from their surroundings.
"""
