"""The story of a run: begun once for a job, remembered, told of, listened to, ended, and what is left of it."""
