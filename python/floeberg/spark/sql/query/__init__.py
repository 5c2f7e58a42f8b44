"""How does Spark run queries that read tables of a catalog?"""
