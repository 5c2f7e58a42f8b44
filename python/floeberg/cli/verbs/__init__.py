"""The verbs, a file for each group of them."""
