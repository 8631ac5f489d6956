"""The Java workloads of this repository, read from their lists: fixtures/awkward/cases.txt and bench/programs.txt."""

import dataclasses
import os
import pathlib
import shlex
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
JAVA_OUT = ROOT / "target" / "java"
JARS = pathlib.Path(os.environ.get("INQUEST_JARS", "/usr/share/java"))
INQUEST = os.environ.get("INQUEST", str(ROOT / "target" / "release" / "inquest"))


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


def rows(path, columns):
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        cells = [cell.strip() for cell in line.split("|")]
        if len(cells) != columns:
            raise SystemExit(f"{path}:{number}: {len(cells)} columns, not {columns}")
        yield ["" if cell == "-" else cell for cell in cells]


def awkward():
    """Every case of fixtures/awkward; a case that occurs more than once is told apart by its flags and arguments."""
    folder = ROOT / "fixtures" / "awkward"
    seen = set()
    found = []
    for name, _javac, java, args, stdin, code in rows(folder / "cases.txt", 6):
        label = name if name not in seen else f"{name}:{(java + ' ' + args).strip().replace(' ', ',')}"
        seen.add(name)
        found.append(Workload(
            label, name, str(JAVA_OUT / "awkward"), shlex.split(java), [], {"only": shlex.split(args)},
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
