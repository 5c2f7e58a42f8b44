"""Is there a Java that PySpark can run on? Prints what is missing, and what to do, unless there is.

Java is looked for where PySpark looks: in JAVA_HOME, else on the PATH.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys

OLDEST = 17


def java_fault() -> str | None:
    """Return what is wrong with this machine's Java; None when PySpark can run on it."""
    home = os.environ.get("JAVA_HOME")
    java = os.path.join(home, "bin", "java") if home else shutil.which("java")  # noqa: PTH118 - as PySpark does
    todo = f"install Java {OLDEST} or later, or set JAVA_HOME to where one is"
    if java is None:
        return f"PySpark needs Java, and there is none on the PATH: {todo}"
    try:
        said = subprocess.run([java, "-version"], capture_output=True, text=True, check=True).stderr
    except (OSError, subprocess.CalledProcessError) as error:
        return f"PySpark needs Java, and {java} does not run ({error}): {todo}"
    version = re.search(r'version "(?:1\.)?(\d+)', said)
    if version is None or int(version.group(1)) < OLDEST:
        return f"PySpark needs Java {OLDEST}, and {java} says {said.splitlines()[0]!r}: {todo}"
    return None


if __name__ == "__main__":
    sys.exit(java_fault())
