"""Statistics files of `floeberg.statistics`, in the module where PyIceberg has them."""

from floeberg.statistics import BlobMetadata, PartitionStatisticsFile, StatisticsFile

__all__ = ["BlobMetadata", "PartitionStatisticsFile", "StatisticsFile"]
