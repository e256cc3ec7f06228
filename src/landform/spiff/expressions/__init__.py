"""The expressions of the language: one class each, which knows how to evaluate itself and how it reads in messages."""
