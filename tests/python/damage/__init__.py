"""Seeded damage to tables of the corpus, and what reading them then may end in."""
