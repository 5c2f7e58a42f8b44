"""From the options of a read to a scan, its partitions, and batches with the columns that Spark wants."""
