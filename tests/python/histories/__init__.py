"""Random histories of tables, and a model in plain Python that says what must be in the tables afterwards."""
