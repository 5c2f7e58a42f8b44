"""Do Spark's workers run what the tests run?"""

from __future__ import annotations

import os
import sys

import floeberg as fb


def test_the_workers_have_the_python_and_the_package_of_the_tests(spark):
    def seen(_):
        import floeberg

        return os.getpid(), sys.executable, floeberg.__file__, floeberg.__version__

    (pid, *found) = spark.sparkContext.parallelize([0], 1).map(seen).first()
    assert found == [sys.executable, fb.__file__, fb.__version__]
    assert pid != os.getpid()
