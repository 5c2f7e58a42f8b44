"""Reading Lance tables through PySpark."""
