"""What an item wants to have run, and what its program is given."""
