"""The files of the contract, before and after a run, and folders as archives."""
