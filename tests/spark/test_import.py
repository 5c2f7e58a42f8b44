"""What does a worker pay for importing the package?"""

from __future__ import annotations

PROGRAM = """
import sys
before = set(sys.modules)
import floeberg
added = {name.partition(".")[0] for name in set(sys.modules) - before}
print(*sorted(added - sys.stdlib_module_names))
"""


def test_importing_in_a_worker_imports_nothing_but_the_package(spark):
    def imported(_):
        import subprocess
        import sys

        # In a fresh process with the worker's environment: the worker itself may have read a table.
        return subprocess.check_output([sys.executable, "-c", PROGRAM], text=True).split()

    found = spark.sparkContext.parallelize([0], 1).map(imported).first()
    # The standard library's `copy` asks for Jython's package `org`, and Spark's jar on the workers' path has one.
    assert set(found) - {"org"} == {"floeberg"}
