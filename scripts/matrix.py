"""fixtures/matrix under many settings of the JVM: recording changes nothing, and says the same. A check of scripts/stress.

A row is a collector and a setting, as `G1/compact-headers`. Each is run plain, then recorded. Output, error output and
exit code have to be equal; the recording has to be whole, without doubtful objects, and to know every write of one field.
What the plain JVM refuses is "not offered". Every setting is run with G1 and Serial, every collector with the settings in
EVERYWHERE; --full takes all with all, --quick the rows in QUICK, --only a collector, a setting, or a row.
"""

import json
import pathlib
import re
import shutil
import subprocess
import tempfile
import time
import zipfile

import workloads

COLLECTORS = {
    "G1": ["-XX:+UseG1GC"],
    "Serial": ["-XX:+UseSerialGC"],
    "Parallel": ["-XX:+UseParallelGC"],
    "Z": ["-XX:+UseZGC"],
    "Shenandoah": ["-XX:+UseShenandoahGC"],
    "Shenandoah-generational": ["-XX:+UseShenandoahGC", "-XX:ShenandoahGCMode=generational"],
    # It never collects: what the program drops has to fit as well.
    "Epsilon": ["-XX:+UnlockExperimentalVMOptions", "-XX:+UseEpsilonGC", "-Xmx2g"],
}
DIAGNOSTIC, EXPERIMENTAL = "-XX:+UnlockDiagnosticVMOptions", "-XX:+UnlockExperimentalVMOptions"
OOPS, CLASS_POINTERS = "-XX:-UseCompressedOops", "-XX:-UseCompressedClassPointers"
# {here} is a folder of the row, {jacoco} and {retransformer} are agents, {archive} is what PREPARED makes.
SETTINGS = {
    "default": [],
    "oops": [OOPS],
    "class-pointers": [CLASS_POINTERS],
    "both-pointers": [OOPS, CLASS_POINTERS],
    "compact-headers": ["-XX:+UseCompactObjectHeaders"],
    "compact-headers-oops": ["-XX:+UseCompactObjectHeaders", OOPS],
    "interpreter": ["-Xint"],
    "C1": ["-XX:TieredStopAtLevel=1"],
    "C2": ["-XX:-TieredCompilation"],
    "compiled": ["-Xcomp"],
    "large-pages": ["-XX:+UseLargePages"],
    "huge-pages": ["-XX:+UseTransparentHugePages"],
    "small-heap": ["-Xmx64m"],
    "small-stack": ["-Xss256k"],
    "smallest-stack": ["-Xss{smallest}k"],
    "no-archive": ["-Xshare:off"],
    "verify": [DIAGNOSTIC, "-XX:+BytecodeVerificationRemote", "-XX:+BytecodeVerificationLocal"],
    "verify-all": ["-Xverify:all"],
    "check-jni": ["-Xcheck:jni"],
    "assertions": ["-ea", "-esa"],
    "security-manager": ["-Djava.security.manager"],
    "security-manager-all": ["-Djava.security.manager", "-Djava.security.policy=={here}/all.policy"],
    "preview": ["--enable-preview"],
    "biased-locking": ["-XX:+UseBiasedLocking", "-XX:BiasedLockingStartupDelay=0"],
    "heavy-monitors": ["-XX:+UseHeavyMonitors"],
    "locking-0": [EXPERIMENTAL, "-XX:LockingMode=0"],
    "locking-1": [EXPERIMENTAL, "-XX:LockingMode=1"],
    "locking-2": [EXPERIMENTAL, "-XX:LockingMode=2"],
    "monitor-table": [DIAGNOSTIC, "-XX:+UseObjectMonitorTable"],
    "monitor-table-compact": [DIAGNOSTIC, "-XX:+UseObjectMonitorTable", "-XX:+UseCompactObjectHeaders"],
    "deflation": [DIAGNOSTIC, "-XX:GuaranteedAsyncDeflationInterval=10"],
    **{f"hash-{n}": [EXPERIMENTAL, f"-XX:hashCode={n}"] for n in range(6)},
    "string-deduplication": ["-XX:+UseStringDeduplication", "-XX:StringDeduplicationAgeThreshold=1"],
    "alignment-16": ["-XX:ObjectAlignmentInBytes=16"],
    "jacoco": ["-javaagent:{jacoco}=destfile={here}/jacoco.exec,includes=Matrix*"],
    "retransformer": ["-javaagent:{retransformer}"],
    "two-agents": ["-javaagent:{jacoco}=destfile={here}/jacoco.exec,includes=Matrix*", "-javaagent:{retransformer}"],
    "flight-recorder": ["-XX:StartFlightRecording=filename={here}/run.jfr,settings=profile", "-Xlog:jfr*=off"],
    "debugger": ["-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,quiet=y,address=127.0.0.1:0"],
    "dynamic-archive": ["-XX:SharedArchiveFile={archive}"],
    "aot-cache": ["-XX:AOTCache={archive}"],
}
# A plain run with these comes first and makes the archive.
PREPARED = {"dynamic-archive": ["-XX:ArchiveClassesAtExit={archive}"], "aot-cache": ["-XX:AOTCacheOutput={archive}"]}
# Compiling everything is slow enough with little to do; a small heap is also filled up.
ARGUMENTS = {"compiled": ["small"], "small-heap": ["oom"]}
EVERYWHERE = ["default", "class-pointers", "compact-headers", "interpreter", "small-heap"]
QUICK = ["G1/default", "G1/both-pointers", "G1/compact-headers", "G1/two-agents", "Serial/class-pointers", "Serial/small-heap",
         "Serial/monitor-table-compact", "Serial/biased-locking", "Serial/hash-2", "Parallel/interpreter", "Z/default", "Shenandoah/default"]
NEVER = {("Epsilon", "small-heap"): "never collects"}
# What a JVM says when it does not have something: it ends, or it goes on without.
REFUSED = re.compile(rb"Could not create the Java Virtual Machine|Error occurred during initialization of VM\n(?!agent)|too small\. Specify at least")
IGNORED = re.compile(rb"[Ii]gnoring option|ignored in this VM|not supported by selected GC|not supported on this VM")
CLOCK = re.compile(rb"^\[\d+\.\d+s\]", re.MULTILINE)  # the JVM's own warnings say when
LOCATION, WRITES = "Matrix$Account@1.balance", ["1", "5", "12", "40"]
LIMIT = 120


def chosen(given):
    """The rows to run, in order."""
    rows = {f"{gc}/{setting}": (gc, setting) for setting in SETTINGS for gc in COLLECTORS}
    unknown = set(given.only) - {*rows, *COLLECTORS, *SETTINGS}
    if unknown:
        raise SystemExit(f"unknown: {', '.join(sorted(unknown))}")

    def wanted(name, gc, setting):
        if name in given.only:
            return True
        if given.only and gc not in given.only and setting not in given.only:
            return False
        if given.quick:
            return name in QUICK
        return given.full or gc in ("G1", "Serial") or setting in EVERYWHERE

    return [row for name, row in rows.items() if wanted(name, *row)]


def packed(group, path, manifest=""):
    """The classes of a group as a jar."""
    with zipfile.ZipFile(path, "w") as jar:
        jar.writestr("META-INF/MANIFEST.MF", "Manifest-Version: 1.0\n" + manifest)
        for one in (workloads.JAVA_OUT / group).glob("*.class"):
            jar.write(one, one.name)
    return path


def jars(folder):
    """The agents: ours would be recorded if it lay in a folder; JaCoCo's is inside another jar. Archives take no folders."""
    jacoco = folder / "jacocoagent.jar"
    try:
        with zipfile.ZipFile(workloads.JARS / "org.jacoco.agent.jar") as jar:
            jacoco.write_bytes(jar.read("jacocoagent.jar"))
    except FileNotFoundError as e:
        raise SystemExit(f"{e.filename} is missing: scripts/need programs") from e
    retransformer = packed("agents", folder / "retransformer.jar", "Premain-Class: Retransformer\nCan-Retransform-Classes: true\n")
    return {"retransformer": retransformer, "jacoco": jacoco, "program": packed("matrix", folder / "matrix.jar")}


def smallest_stack(home):
    """The JVM says itself how small a thread's stack may be."""
    said = subprocess.run([f"{home}/bin/java", "-Xss1k", "-version"], capture_output=True, text=True)
    found = re.search(r"Specify at least (\d+)k", said.stdout + said.stderr)
    return found[1] if found else "256"


def run(command):
    """stdout, stderr and exit code."""
    out, err, code, _ = workloads.run(command, None, LIMIT)
    return CLOCK.sub(b"", out), CLOCK.sub(b"", err), code


def ask(*arguments):
    """The JSON of an inquest command; what it says instead, as text."""
    out, err, _ = run([workloads.INQUEST, *map(str, arguments), "--json"])
    try:
        return json.loads(out)
    except json.JSONDecodeError:
        return (err or out).decode(errors="replace").strip()[:300]


def faults(place):
    """What is wrong with a recording."""
    verified = ask("verify", place)
    if not isinstance(verified, dict) or not verified["ok"]:
        yield f"verify: {verified if isinstance(verified, str) else verified['damaged'][:3] or verified}"
    stats = ask("stats", place)
    if not isinstance(stats, dict) or stats["doubtful"] != 0:
        yield f"stats: {stats if isinstance(stats, str) else str(stats['doubtful']) + ' doubtful'}"
    history = ask("history", place, LOCATION)
    values = [one["value"] for one in history] if isinstance(history, list) else history
    if values != WRITES and values != ["0", *WRITES]:
        yield f"history of {LOCATION}: {values}"


def row(home, folder, gc, setting, words):
    """Whether the row holds ("ok", "FAILED", "not offered"), and what to say about it."""
    words = {**words, "here": folder, "archive": folder / "archive"}
    (folder / "all.policy").write_text("grant { permission java.security.AllPermission; };\n")

    def command(settings):
        flags = [*COLLECTORS[gc], *(flag.format(**words) for flag in settings), f"-XX:ErrorFile={folder}/hs_err.log", "-XX:-CreateCoredumpOnCrash"]
        classes = words["program"] if setting in PREPARED else workloads.JAVA_OUT / "matrix"
        return [f"{home}/bin/java", *flags, "-cp", str(classes), "Matrix", *ARGUMENTS.get(setting, [])]

    if (gc, setting) in NEVER:
        return "not offered", [NEVER[gc, setting]]
    plain = run(command(PREPARED.get(setting, SETTINGS[setting])))
    if setting in PREPARED and words["archive"].exists():
        plain = run(command(SETTINGS[setting]))
    said = plain[0] + plain[1]
    if REFUSED.search(said) or IGNORED.search(said):
        return "not offered", [" ".join(said.decode(errors="replace").splitlines()[:2])[:200]]
    if setting in PREPARED and not words["archive"].exists():
        return "FAILED", [f"no archive was made: {said[-300:]!r}"]
    if plain[2] != 0:
        return "FAILED", [f"plain exit code {plain[2]}: {said[-300:]!r}"]
    place = folder / "recording"
    got = run([workloads.INQUEST, "record", "-o", str(place), "--", *command(SETTINGS[setting])])
    found = [*workloads.differences(plain, got, 60), *faults(place)]
    for crash in folder.glob("hs_err*"):
        found.insert(0, "the JVM crashed: " + " ".join(line[2:] for line in crash.read_text(errors="replace").splitlines()[1:12] if line[2:].strip()))
    return ("FAILED" if found else "ok"), found


def check(home, given, version):
    """Runs the rows, says each; returns how many passed, failed, and are not offered."""
    workloads.compile_java("matrix", "agents")
    counts = {"ok": 0, "FAILED": 0, "not offered": 0}
    shared = pathlib.Path(tempfile.mkdtemp(prefix="inquest-matrix-", dir=workloads.ROOT / "target"))
    try:
        words = {**jars(shared), "smallest": smallest_stack(home)}
        for gc, setting in chosen(given):
            folder = shared / "row"
            folder.mkdir()
            started = time.monotonic()
            outcome, said = row(home, folder, gc, setting, words)
            counts[outcome] += 1
            print(f"{outcome:11} JDK {version} {gc + '/' + setting:39} {time.monotonic() - started:5.1f} s  " + "\n    ".join(said), flush=True)
            shutil.rmtree(folder)
    finally:
        shutil.rmtree(shared, ignore_errors=True)
    return counts["ok"], counts["FAILED"], counts["not offered"]
