"""One session of Spark for all tests that ask for it, whose workers run the Python that the tests run on."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

import pytest
from check_java import java_fault
from pyspark.sql import SparkSession

__all__ = ["spark"]

CORES = 2


@pytest.fixture(scope="session")
def spark(tmp_path_factory) -> Iterator[SparkSession]:
    """A local session of two cores that listens on the loopback interface alone."""
    if fault := java_fault():
        pytest.fail(fault, pytrace=False)
    place = tmp_path_factory.mktemp("spark")
    # The first is read by the driver's start script, the others when workers start.
    os.environ |= {"SPARK_LOCAL_IP": "127.0.0.1"}
    os.environ |= dict.fromkeys(("PYSPARK_PYTHON", "PYSPARK_DRIVER_PYTHON"), sys.executable)
    confs = {
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.memory": "1g",
        "spark.local.dir": place / "local",
        "spark.log.level": "ERROR",
        "spark.python.authenticate.socketTimeout": "120s",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.shuffle.partitions": CORES,
        "spark.sql.warehouse.dir": place / "warehouse",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    builder = SparkSession.builder.master(f"local[{CORES}]").appName("floeberg-tests")
    for name, value in confs.items():
        builder = builder.config(name, str(value))
    session = builder.getOrCreate()
    yield session
    session.stop()
