"""What an operator says, what is there, and the sandboxes that are made of it."""
