"""Which options name a table and its storage, for reads and for writes?"""
