"""The Java workloads of this repository, read from their lists (cases.txt of fixtures/awkward and fixtures/frameworks,
bench/programs.txt), and what it takes to run and compare them."""

import dataclasses
import difflib
import os
import pathlib
import re
import shlex
import signal
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
JAVA_OUT = ROOT / "target" / "java"
JARS = pathlib.Path(os.environ.get("INQUEST_JARS", "/usr/share/java"))
INQUEST = os.environ.get("INQUEST_BINARY", str(ROOT / "target" / "release" / "inquest"))
# What `inquest` itself writes to stderr.
OWN_LINE = re.compile(rb"^inquest\b.*\n?", re.MULTILINE)


def left_out(what, why):
    """Says what is not checked on this machine; `make test` repeats it at its end (INQUEST_LEFT_OUT names the list)."""
    print(f"{what}: left out ({why})")
    if place := os.environ.get("INQUEST_LEFT_OUT"):
        with open(place, "a") as list_:
            list_.write(f"{what}: {why}\n")


@dataclasses.dataclass
class Workload:
    """One way to run one program; `arguments` has one entry per variant ("only", or "short" and "long")."""

    name: str
    main: str
    classpath: str
    java_flags: list
    includes: list
    arguments: dict
    stdin: pathlib.Path | None = None
    exit_code: int = 0

    def command(self, home, variant="only", extra_flags=()):
        java = str(pathlib.Path(home) / "bin" / "java")
        return [java, *self.java_flags, *extra_flags, "-cp", self.classpath, self.main, *self.arguments[variant]]

    def record_options(self):
        return [word for package in self.includes for word in ("--include", package)]


@dataclasses.dataclass(kw_only=True)
class Framework(Workload):
    """A case of fixtures/frameworks. Its flags and arguments still have {temp} in them, the folder of one run."""

    out: pathlib.Path  # where its classes go
    javac: list
    inner: list  # (jar, name of a jar within it)
    jdks: list


def rows(path, columns):
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        cells = [cell.strip() for cell in line.split("|")]
        if len(cells) != columns:
            raise SystemExit(f"{path}:{number}: {len(cells)} columns, not {columns}")
        yield ["" if cell == "-" else cell for cell in cells]


def label(name, java, args, seen):
    """A case that occurs more than once is told apart by its flags and arguments."""
    label = name if name not in seen else f"{name}:{(java + ' ' + args).strip().replace(' ', ',')}"
    seen.add(name)
    return label


def awkward():
    """Every case of fixtures/awkward."""
    folder = ROOT / "fixtures" / "awkward"
    seen = set()
    found = []
    for name, _javac, java, args, stdin, code in rows(folder / "cases.txt", 6):
        found.append(Workload(
            label(name, java, args, seen), name, str(JAVA_OUT / "awkward"), shlex.split(java), [], {"only": shlex.split(args)},
            folder / stdin if stdin else None, int(code)))
    return found


def programs():
    """Every program and kernel of bench/programs.txt; a missing jar is an error that names it."""
    found = []
    for name, main, jars, includes, short, long, java in rows(ROOT / "bench" / "programs.txt", 7):
        paths = [JARS / f"{jar}.jar" for jar in jars.split()]
        for path in paths:
            if not path.exists():
                raise SystemExit(f"{path} is missing: scripts/need programs")
        arguments = {"short": shlex.split(short.replace("{root}", str(ROOT)))}
        if long:
            arguments["long"] = shlex.split(long.replace("{root}", str(ROOT)))
        classpath = ":".join(str(path) for path in [JAVA_OUT / "bench", *paths])
        found.append(Workload(name, main, classpath, shlex.split(java), includes.split(), arguments))
    return found


def frameworks(quick=False):
    """Every case of fixtures/frameworks whose jars are there, and the names of the others with their packages.
    `quick`: only those marked so."""
    seen = set()
    found, missing = [], {}
    for name, jars, javac, java, args, jdks, test, packages in rows(ROOT / "fixtures" / "frameworks" / "cases.txt", 8):
        if quick and test != "quick":
            continue
        out = JAVA_OUT / "frameworks" / name
        pairs = [(JARS / f"{jar}.jar", inner and f"{inner}.jar") for jar, _, inner in (word.partition("!") for word in jars.split())]
        if not all(path.exists() for path, _ in pairs):
            missing[name] = packages
            continue
        javac, java, args = (text.replace("{jars}", str(JARS)).replace("{out}", str(out)) for text in (javac, java, args))
        found.append(Framework(
            label(name, java, args, seen), name, ":".join(map(str, [out, *(out / inner if inner else path for path, inner in pairs)])),
            shlex.split(java), [], {"only": shlex.split(args)},
            out=out, javac=shlex.split(javac), inner=[pair for pair in pairs if pair[1]], jdks=jdks.split()))
    return found, missing


def java_home(version):
    """The home of that Java version, or None."""
    got = subprocess.run([ROOT / "scripts" / "jdk", str(version)], capture_output=True, text=True)
    return got.stdout.strip() or None


def compile_java(*groups):
    subprocess.run([ROOT / "scripts" / "compile", *groups], check=True)


def pick(workloads, names):
    """The workloads with these names; a base name stands for all cases of it."""
    if not names:
        return workloads
    chosen = [w for w in workloads if w.name in names or w.name.split(":")[0] in names]
    missing = set(names) - {w.name for w in chosen} - {w.name.split(":")[0] for w in chosen}
    if missing:
        raise SystemExit(f"unknown: {', '.join(sorted(missing))}")
    return chosen


def run(command, stdin, limit, folder=None):
    """stdout, stderr, exit code and seconds of one run in a folder; a run over the limit is killed and has the code "timeout"."""
    started = time.monotonic()
    with open(stdin or "/dev/null", "rb") as given:
        child = subprocess.Popen(
            command, stdin=given, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=folder, start_new_session=True)
    code = None
    try:
        out, err = child.communicate(timeout=limit)
        code = child.returncode
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)  # with the JVM that the recorder started
        out, err = child.communicate()
        code = "timeout"
    finally:
        if code is None:
            os.killpg(child.pid, signal.SIGKILL)
    return out, err, code, time.monotonic() - started


def differences(expected, got, show):
    """What differs between two runs, in words; empty if nothing does."""
    found = []
    for what, a, b in (("stdout", expected[0], got[0]), ("stderr", expected[1], OWN_LINE.sub(b"", got[1]))):
        if a != b:
            lines = difflib.unified_diff(
                a.decode(errors="replace").splitlines(), b.decode(errors="replace").splitlines(), "plain", "recorded", n=1, lineterm="")
            head = [line[:300] for line, _ in zip(lines, range(show))]
            found.append(f"{what} differs:\n    " + "\n    ".join(head))
    if expected[2] != got[2]:
        found.append(f"exit code {got[2]}, plain {expected[2]}")
    return found


def recordings(place):
    """The recordings of a run, one per JVM."""
    return [place] if (place / "manifest.json").exists() else sorted(place.glob("jvm-*"))


def damage(place, limit):
    """What `inquest verify` says about a run's recordings, if they are not whole."""
    each = recordings(place)
    found = [] if each else [f"no recording in {place}"]
    for one in each:
        out, err, code, _ = run([INQUEST, "verify", str(one)], None, limit)
        if code != 0:
            found.append(f"verify exit code {code}: {(out + err)[:500].decode(errors='replace')}")
    return found
