"""The truth of `bench/mutants` against running the good code: mutants of the small programs of fixtures/coverage, whose every
call is compared with what the good version does on a copy of its input (as `bench/coverage` has it)."""

import importlib.machinery
import importlib.util
import json
import pathlib
import re
import shutil
import subprocess
import tempfile
import types

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAMS = ["AvlTree", "BTree", "BinaryTree", "HashTable", "HeapSort"]


def coverage():
    loader = importlib.machinery.SourceFileLoader("coverage_bench", str(ROOT / "bench/coverage"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("coverage_bench", loader))
    loader.exec_module(module)
    return module


def check(count, seed, inquest, mutants, kept):
    bench = coverage()
    typed = types.SimpleNamespace(java=f"{bench.home('17')}/bin/java", javac=f"{bench.home('javac')}/bin/javac")
    rows = []
    for name in PROGRAMS:
        with tempfile.TemporaryDirectory(prefix="inquest-check-") as folder:
            rows += program(bench, typed, name, count // len(PROGRAMS), seed, inquest, mutants, pathlib.Path(folder))
    print("| mutants | calls | wrong by both | right by both | only the truth says wrong | only the good code says wrong |")
    print("|---|---|---|---|---|---|")
    total = [sum(row[at] for row in rows) for at in range(1, 6)]
    print(f"| {len(rows)} | " + " | ".join(str(one) for one in total) + " |")
    for row in rows:
        if row[4] or row[5]:
            print(f"- {row[0]}: {row[4]} too many, {row[5]} too few: {row[6]}")


def program(bench, typed, name, count, seed, inquest, mutants, folder):
    rows = []
    plain, judged, candidates = choose(bench, typed, name, seed, inquest, mutants, folder)
    for one, mutant in candidates:
        if len(rows) == count:
            break
        if mutant["mutation"]["kind"] == "swapped-arguments":
            continue
        compared = compare(typed, name, one, mutant, plain, judged, folder, inquest, mutants)
        if compared:
            rows.append((told(name, mutant), *compared))
    return rows


def choose(bench, typed, name, seed, inquest, mutants, folder):
    """The good program, the one that asks the good code about each of its calls, and mutants of its methods with their folders."""
    source = (bench.FOLDER / f"{name}.java").read_text()
    plain = bench.compile_into(typed, folder / "plain", {name: source})
    as_good = re.sub(rf"\b{name}\b", f"Good{name}", source)
    judged = bench.compile_into(typed, folder / "judged", {name: bench.judged(source, name), f"Good{name}": as_good})
    record(inquest, folder / "good", typed, plain, name)
    subprocess.run([mutants, "choose", folder / "good", "--out", folder / "all", "--seed", str(seed), "--count", "60",
                    "--include", name], check=True, stdout=subprocess.DEVNULL)
    all_of_them = [(one, json.loads((one / "mutant.json").read_text())) for one in sorted((folder / "all").iterdir())]
    return plain, judged, [(one, mutant) for one, mutant in all_of_them
                           if mutant["class"] == name and mutant["method"] not in ("main", "<clinit>", "<init>")]


def told(name, mutant):
    return f"{name}.{mutant['method']} line {mutant['line']}, {mutant['mutation']['kind']}, {mutant['said']}"


def record_mutant(typed, name, one, plain, inquest):
    """Its classes, once it is recorded; none if that does not end."""
    here = one / "plain"
    shutil.copytree(plain, here)
    shutil.copy(one / "classes" / f"{name}.class", here / f"{name}.class")
    return here if record(inquest, one / "recording", typed, here, name) else None


def compare(typed, name, one, mutant, plain, judged, folder, inquest, mutants):
    """Calls, wrong by both, right by both, only by the truth, only by the good code; none if the mutant is of no use."""
    really = by_good_code(typed, name, one, mutant, judged, mutants)
    if really is None:
        return None
    if not record_mutant(typed, name, one, plain, inquest):
        return None
    said = subprocess.run([mutants, "judge", one / "recording", one / "mutant.json"], capture_output=True, text=True)
    said = {call for call in said.stdout.split("\n") if call and not call.startswith(f"{name}.main#")}
    rows = json.loads(subprocess.run([inquest, "simulate", one / "recording", "--root", f"{name}.main#1", "--strategy", "top-down",
                                      "--json"], capture_output=True, text=True).stdout or "[]")
    if not really and not said or not rows:
        return None
    calls = rows[0]["nodes"]
    both = len(really & said)
    return calls, both, calls - len(really | said), len(said - really), len(really - said), sorted(said ^ really)[:4]


def by_good_code(typed, name, one, mutant, judged, mutants):
    """Calls that came out otherwise than by the good code on a copy of their input; none if the mutant is of no use."""
    there = one / "judged"
    shutil.copytree(judged, there)
    patched = subprocess.run([mutants, "patch", judged / f"{name}.class", one / "mutant.json", mutant["method"] + "__",
                              there / f"{name}.class"], capture_output=True, text=True)
    if patched.returncode != 0:
        return None
    wrong_file = one / "wrong"
    try:
        subprocess.run([typed.java, "-cp", there, name, wrong_file], capture_output=True, timeout=20)
    except subprocess.TimeoutExpired:
        return None
    return set(wrong_file.read_text().split()) if wrong_file.exists() else None


def record(inquest, place, typed, classes, name):
    try:
        subprocess.run([inquest, "record", "-q", "-o", place, "--", typed.java, "-cp", classes, name],
                       capture_output=True, timeout=60)
    except subprocess.TimeoutExpired:
        return False
    return (place / "manifest.json").exists()
