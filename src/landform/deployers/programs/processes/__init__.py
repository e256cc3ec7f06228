"""Programs as processes of this machine, each under a small keeper process that outlives the deployer.

It is no security boundary: such a program sees the machine as its user does. It keeps programs apart from Landform
and from each other as far as users, process groups and resource limits go.
"""
