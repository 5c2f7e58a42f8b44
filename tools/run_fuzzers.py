"""Runs the fuzzers of `tests/fuzz`, and says how far each got.

    run_fuzzers.py [TARGET ..]

Each of them, or those that are named, runs for FUZZ_SECONDS (600), FUZZ_JOBS (2, at most the machine's cores) at a
time, from the seeds, the former finds and what earlier runs gathered in the cache. Needs nightly Rust and a C++
compiler; cargo-fuzz is built into the cache where it is not found. What is found is written into
`tests/fuzz/regressions`, where `make check` replays it, and makes the exit status 1.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
FUZZ = ROOT / "tests" / "fuzz"
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "floeberg"
BUILT = Path(os.environ.get("FUZZ_TARGET_DIR") or CACHE / "fuzz-target")
CORPUS = CACHE / "fuzz-corpus"
CARGO_FUZZ = CACHE / "cargo-fuzz"
CARGO_FUZZ_VERSION = "0.13.2"
# A decoder that needs more than this for one small input holds what a file claims, not what it has.
MEMORY_MB = 2048
PATIENCE_SECONDS = 20
LINE = re.compile(r"#(\d+)\s+\w+\s+cov: (\d+) ft: (\d+) corp: (\d+)/")


@dataclass(frozen=True)
class Run:
    """How far a fuzzer got.

    Attributes:
        finds: The files of what it found.
        log: What it said.
    """

    target: str
    executions: int
    edges: int
    features: int
    inputs: int
    finds: list[Path]
    log: Path
    status: int


def main() -> int:
    """Build, run, tell."""
    seconds = int(os.environ.get("FUZZ_SECONDS", "600"))
    jobs = min(int(os.environ.get("FUZZ_JOBS", "2")), os.cpu_count() or 1)
    known = sorted(path.stem for path in (FUZZ / "bins").glob("*.rs"))
    targets = sys.argv[1:] or known
    if unknown := sorted(set(targets) - set(known)):
        print(f"fuzz: no target {', '.join(unknown)}; there are {', '.join(known)}")
        return 2
    environment = prepared()
    started = time.monotonic()
    command = ["cargo", "+nightly", "fuzz", "build", "--release", "--sanitizer", "none", "--fuzz-dir", FUZZ]
    subprocess.run([*command, "--target-dir", BUILT], check=True, cwd=ROOT, env=environment)
    print(f"fuzz: built in {time.monotonic() - started:.0f} s, in {BUILT}", flush=True)
    with ThreadPoolExecutor(jobs) as pool:
        runs = list(pool.map(lambda target: fuzz(target, seconds), targets))
    print(f"\n{'target':20} {'runs':>12} {'edges':>8} {'features':>9} {'inputs':>7}  finds")
    for run in runs:
        found = ", ".join(str(path.relative_to(ROOT)) for path in run.finds) or "-"
        failed = "" if run.finds or run.status == 0 else f" (exit status {run.status}: {run.log})"
        print(
            f"{run.target:20} {run.executions:12,} {run.edges:8,} {run.features:9,} {run.inputs:7,}  {found}{failed}"
        )
    return 1 if any(run.finds or run.status for run in runs) else 0


def prepared() -> dict[str, str]:
    """Return the environment of cargo-fuzz, which is installed where it is not there.

    Raises:
        SystemExit: something is missing that a person must install; the message says how.
    """
    if not shutil.which("cargo"):
        sys.exit("make fuzz needs Rust: https://rustup.rs")
    if subprocess.run(["cargo", "+nightly", "--version"], capture_output=True, check=False).returncode:
        sys.exit("make fuzz needs nightly Rust: rustup toolchain install nightly --profile minimal")
    if not (shutil.which("c++") or shutil.which("clang++")):
        sys.exit("make fuzz needs a C++ compiler, which builds libFuzzer: apt install g++, or clang")
    # The target folder of everyday work belongs to stable Rust.
    environment = {name: value for name, value in os.environ.items() if name != "CARGO_TARGET_DIR"}
    if not shutil.which("cargo-fuzz"):
        binary = CARGO_FUZZ / "bin" / "cargo-fuzz"
        if not binary.exists():
            print(f"fuzz: installing cargo-fuzz {CARGO_FUZZ_VERSION} into {CARGO_FUZZ}", flush=True)
            install = [
                "cargo",
                "install",
                "--quiet",
                "--locked",
                "cargo-fuzz",
                "--version",
                CARGO_FUZZ_VERSION,
            ]
            subprocess.run([*install, "--root", CARGO_FUZZ], check=True, env=environment)
        environment["PATH"] = f"{binary.parent}{os.pathsep}{environment['PATH']}"
    return environment


def fuzz(target: str, seconds: int) -> Run:
    """Run one fuzzer for so long, or until its first find."""
    (binary,) = BUILT.glob(f"*/release/{target}")
    gathered, finds = CORPUS / target, FUZZ / "regressions" / target
    gathered.mkdir(parents=True, exist_ok=True)
    finds.mkdir(parents=True, exist_ok=True)
    before = set(finds.iterdir())
    log = CORPUS / f"{target}.log"
    command = [
        binary,
        f"-max_total_time={seconds}",
        f"-timeout={PATIENCE_SECONDS}",
        f"-rss_limit_mb={MEMORY_MB}",
        f"-artifact_prefix={finds}/",
        "-print_final_stats=1",
        "-use_value_profile=1",
        "-len_control=20",
        gathered,
        finds,
        FUZZ / "seeds" / target,
    ]
    dictionary = FUZZ / "dictionaries" / f"{target}.txt"
    if dictionary.exists():
        command.insert(1, f"-dict={dictionary}")
    with log.open("wb") as out:
        status = subprocess.run(command, stdout=out, stderr=out, check=False).returncode
    told = LINE.findall(log.read_text(errors="replace")) or [("0", "0", "0", "0")]
    executions, edges, features, inputs = map(int, told[-1])
    found = sorted(set(finds.iterdir()) - before)
    if not any(finds.iterdir()):
        finds.rmdir()
    print(
        f"fuzz: {target} {'found ' + ', '.join(path.name for path in found) if found else 'done'}", flush=True
    )
    return Run(target, executions, edges, features, inputs, found, log, status)


if __name__ == "__main__":
    sys.exit(main())
