"""Streams of Spark: tables as their sources and sinks, each row once however often a query is started again."""
