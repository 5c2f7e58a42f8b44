"""Random tables, what is in them, and what a filter leaves of them: the oracle of `scan/test_pruning_properties.py`.

Written apart from the library, from the specification: nothing here imports more of it than the filters that it takes.
"""
