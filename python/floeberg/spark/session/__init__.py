"""Is the session ready: its PySpark, its workers, and what its processes share?"""
