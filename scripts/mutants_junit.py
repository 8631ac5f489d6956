"""The tests that `inquest ask --junit` writes, on mutants of the small programs of fixtures/coverage: each dialogue is played through the
command line, answered by what the good code makes of a copy of each call's input; the test is compiled, and has to fail on the mutant and pass on the good code."""

import collections
import json
import pathlib
import subprocess
import tempfile
import types

import mutants_check

JARS = pathlib.Path("/usr/share/java")
CONSOLE = JARS / "junit-platform-console-standalone.jar"


def junit(count, seed, inquest, mutants):
    bench = mutants_check.coverage()
    typed = types.SimpleNamespace(java=f"{bench.home('17')}/bin/java", javac=f"{bench.home('javac')}/bin/javac")
    rows = []
    for name in mutants_check.PROGRAMS:
        with tempfile.TemporaryDirectory(prefix="inquest-junit-") as folder:
            rows += program(bench, typed, name, count // len(mutants_check.PROGRAMS), seed, inquest, mutants, pathlib.Path(folder))
    counted = collections.Counter(outcome for _, outcome, _ in rows)
    print("| mutants | fail as they should | pass on both | fail on both | do not compile | not written |")
    print("|---|---|---|---|---|---|")
    outcomes = ["good", "passes on both", "fails on both", "does not compile", "not written"]
    print(f"| {len(rows)} | " + " | ".join(f"{counted[one]} ({counted[one] / max(1, len(rows)):.0%})" for one in outcomes) + " |")
    for which, outcome, why in rows:
        if outcome != "good":
            print(f"- {which}: {outcome}: {why}")


def program(bench, typed, name, count, seed, inquest, mutants, folder):
    rows = []
    plain, judged, candidates = mutants_check.choose(bench, typed, name, seed, inquest, mutants, folder)
    for one, mutant in candidates:
        if len(rows) == count:
            break
        wrong = mutants_check.by_good_code(typed, name, one, mutant, judged, mutants)
        here = mutants_check.record_mutant(typed, name, one, plain, inquest) if wrong else None
        if not here:
            continue
        played = play(inquest, one, name, wrong)
        if played:
            rows.append((mutants_check.told(name, mutant), *outcome(typed, one, here, plain, played)))
    return rows


def play(inquest, one, name, wrong):
    """The verdict's line, or none if nobody was blamed."""
    asked = subprocess.Popen([inquest, "ask", one / "recording", "--fresh", "--root", f"{name}.main#1", "--json", "--answers", "-",
                              "--junit", one / "test"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    verdict = None
    for line in asked.stdout:
        line = json.loads(line)
        if "verdict" in line:
            verdict = line
        elif "question" in line and line.get("answer") is None:
            asked.stdin.write("n\n" if line["question"]["call"] in wrong else "y\n")
            asked.stdin.flush()
    asked.stdin.close()
    said = asked.stderr.read()
    asked.wait()
    return (verdict, said) if verdict and verdict["verdict"] == "buggy" else None


def outcome(typed, one, mutated, good, played):
    tests = sorted((one / "test").rglob("*.java")) if (one / "test").exists() else []
    if not tests:
        return "not written", played[1].strip().replace("\n", "; ")
    made = one / "made"
    javac = subprocess.run([typed.javac, "-nowarn", "-d", made, "-cp", f"{mutated}:{CONSOLE}:{JARS / 'junit4.jar'}", *tests],
                           capture_output=True, text=True)
    if javac.returncode != 0:
        return "does not compile", javac.stderr.strip().split("\n")[0]
    on_mutant, on_good = run(typed, made, mutated), run(typed, made, good)
    if on_mutant == on_good:
        return ("passes on both" if on_mutant else "fails on both"), played[0]["method"]
    return ("good", "") if on_good else ("fails on both", "only on the good code")


def run(typed, made, classes):
    """Does it pass?"""
    java = subprocess.run([typed.java, "-jar", CONSOLE, "--disable-banner", "--details=summary", "-cp", f"{made}:{classes}", "--scan-classpath", made],
                          capture_output=True, text=True, timeout=120)
    return java.returncode == 0
