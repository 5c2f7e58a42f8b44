"""Other implementations, each a process of its own in an environment of its own."""
