"""The commands: thin, they parse, call one thing below and print. No behaviour lives here."""
