"""What `claimrag deploy` makes on a Prefect server: pools, a limit, a variable, deployments and automations.

Each is found by its name, made where it is missing, changed where it differs and else left alone.
"""
