"""Tables are kept healthy: what goes is not needed, and what is needed stays."""
