"""The state of programs: a folder, packed and cut into pieces, in Secrets."""
