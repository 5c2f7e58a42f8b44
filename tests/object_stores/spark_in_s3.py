"""Sessions of Spark that have a connector for S3, and sessions without one."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from check_java import java_fault
from maven import jar
from pyspark.sql import SparkSession
from s3_server import FOLDER

HADOOP = "3.5.0"
"""The Hadoop of the PySpark that the tests run on: its connector must be of the same version."""
CONNECTOR = (
    (
        f"org/apache/hadoop/hadoop-aws/{HADOOP}/hadoop-aws-{HADOOP}.jar",
        "66bd9eefb938b1a1657487324b63c13df2d8b17164a1dd24e0ef37b905bc5baa",
    ),
    (
        "software/amazon/s3/analyticsaccelerator/analyticsaccelerator-s3/1.3.1/analyticsaccelerator-s3-1.3.1.jar",
        "4959a9747cbb479c73c3ffbcd479bee5b014f8b2880994585a8693fb9d24675e",
    ),
    # 686 MB, and nothing smaller has all that the connector names.
    (
        "software/amazon/awssdk/bundle/2.35.4/bundle-2.35.4.jar",
        "db4b55f24ad1b4e70f17eb1717a4de76a8dadc5a27d764be7c44ff67b2c1c677",
    ),
)
SECRET = "hunter2hunter2"


def connector() -> list[Path]:
    """The jars, downloaded once; the test is skipped where they cannot be had."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    try:
        return [jar(FOLDER, *each) for each in CONNECTOR]
    except OSError as error:
        pytest.skip(f"the jars of Hadoop's connector cannot be had: {error}")


def started(place: Path, jars: list[Path], url: str) -> SparkSession:
    """A session on loopback, whose connector finds the server at `url`."""
    if fault := java_fault():
        pytest.fail(fault, pytrace=False)
    os.environ |= {"SPARK_LOCAL_IP": "127.0.0.1"}
    os.environ |= dict.fromkeys(("PYSPARK_PYTHON", "PYSPARK_DRIVER_PYTHON"), sys.executable)
    s3a = {
        "access.key": "nobody",
        "secret.key": SECRET,
        "connection.ssl.enabled": "false",
        "endpoint": url,
        "endpoint.region": "us-east-1",
        "path.style.access": "true",
    }
    confs = {
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.memory": "1g",
        "spark.jars": ",".join(map(str, jars)),
        "spark.local.dir": place / "local",
        "spark.log.level": "ERROR",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.warehouse.dir": place / "warehouse",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        **{f"spark.hadoop.fs.s3a.{name}": value for name, value in s3a.items()},
    }
    builder = SparkSession.builder.master("local[2]").appName("floeberg-s3")
    for name, value in confs.items():
        builder = builder.config(name, str(value))
    return builder.getOrCreate()
