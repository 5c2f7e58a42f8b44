"""Which rows does a condition of Spark keep, in filters of ours?"""
