"""A truthful person who debugs a recorded run of an example project, for scripts/projects.

The person knows the program: which method has the mistake, and what each call should have done. The latter is taken from a run
of the good version: a call is looked up there by the way that leads to it (its test, then which call of which method within
which), not by what went in and out. A call that came to no code with the mistake did what it should. Any other is compared:
what it was given and read, what it gave, changed and wrote. Where the two runs had other things to work with, it is wrong if a
call of the method with the mistake within it is; a call of that method itself if it gave something else for the same arguments, and
if it did not, nobody can judge it by this: don't know.
"""

import json
import re
import subprocess

# So many calls of a method are judged right one by one before it is trusted.
OFTEN_RIGHT = 4
OBJECT = re.compile(r"\b([\w$\[\]]+)@(\d+)")


class Run:
    """A recording, as far as it was asked for."""

    def __init__(self, inquest, place, tests):
        self.inquest, self.place = inquest, place
        self.rows = self.ask("tree", "--limit", "1000000")
        self.by_number = {row["number"]: row for row in self.rows}
        self.by_path, self.path_of, self.parent = {}, {}, {}
        self.shown = {}
        self._find_paths(tests)

    def ask(self, command, *words):
        done = subprocess.run([self.inquest, command, "--json", self.place, *words], capture_output=True, text=True)
        return json.loads(done.stdout) if done.returncode == 0 else None

    def _find_paths(self, tests):
        """A call's path: for each call around it and itself, the method, and which of its calls there. What another thread
        does is counted from the beginning of the test that ran then."""
        stacks, counted, test = {}, {}, None
        for row in sorted(self.rows, key=lambda row: row["entry"]):
            stack = stacks.setdefault(row["thread"], [])
            del stack[row["depth"]:]
            if stack:
                around = self.path_of[stack[-1]["number"]]
                self.parent[row["number"]] = stack[-1]["number"]
            elif any(row["method"].startswith(name + ".") for name in tests):
                around = ()
            else:
                around = test or ()
            nth = counted[around, row["method"]] = counted.get((around, row["method"]), 0) + 1
            path = (*around, (row["method"], nth))
            if not stack and any(row["method"].startswith(name + ".") for name in tests):
                test = path
            self.path_of[row["number"]] = path
            self.by_path[path] = row["number"]
            stack.append(row)

    def within(self, number):
        """A call and all that it made, on its thread."""
        first = self.by_number[number]
        return [row for row in self.rows if row["thread"] == first["thread"] and first["entry"] <= row["entry"] and row["exit"] <= first["exit"]]

    def in_iterations(self, number, line, first, end):
        """The calls of program code that a call made itself in iterations of the loop at a line. An iteration begins where that
        line decides to go on; what ran there before the first time is not the loop's."""
        found, iteration, decided = [], -1, False
        for event in self.ask("events", str(number)):
            decided &= event["line"] == line
            if event["kind"] == "branch" and event["line"] == line and not decided:
                iteration, decided = iteration + 1, True
            child = event["child"] and self.by_number.get(event["child"]["number"])
            if child and not child["trusted"] and first <= iteration < end:
                found.append(child["number"])
        return found

    def of_thread(self, first):
        """What nothing of the program called, on a thread."""
        thread = self.by_number[first]["thread"]
        return [row["number"] for row in self.rows if row["thread"] == thread and row["number"] not in self.parent and not row["trusted"]]

    def siblings(self, first, last, **_):
        around = self.parent.get(first)
        return [row["number"] for row in self.rows
                if first <= row["number"] <= last and self.parent.get(row["number"]) == around and not row["trusted"]]

    def facts(self, number):
        """What went in and what came out. Objects are called by the order in which they are met there, so that two runs can be compared."""
        if number in self.shown:
            return self.shown[number]
        call = self.ask("show", str(number))
        came = self.ask("state", f"{call['call']}:result", "--at", str(call["exit"] + 1), "--depth", "6") if call["result"] not in (None, "void") else None
        went_in = [None if call["method"].endswith(".new") else call["this"], call["args"]]
        known = json.dumps([went_in, [one["value"] for one in call["reads"]]])
        read = {one["location"]: OBJECT.sub(r"\1", one["value"]) for one in call["reads"] if is_given(one["location"], known)}
        came_out = [call["result"], values(came), call["thrown"], call["kept"],
                    sorted([text(change[key]) for key in ("location", "before", "after")] + [text((change.get("wrote") or {}).get("told"))]
                           for change in call["changes"] if not change["noise"])]
        names = {}
        went_in = canonical(json.dumps(went_in), names)
        gave = OBJECT.sub(r"\1", json.dumps(came_out[:3]))
        args = OBJECT.sub(r"\1", json.dumps(call["args"]))
        self.shown[number] = went_in, read, canonical(json.dumps(came_out), names), gave, args
        return self.shown[number]


def is_given(location, known):
    """An array that nothing leads to was made by a library within the call."""
    array = re.match(r"[\w$]+\[\]@\d+", location)
    return not array or array[0] in known


def text(value):
    return "" if value is None else str(value)


def values(state):
    """The value of a location with all its parts, without their names and times."""
    return [state.get("value"), [values(part) for part in state.get("parts") or []]] if state else None


def canonical(words, names):
    return OBJECT.sub(lambda found: f"{found[1]}@{names.setdefault(found[0], len(names) + 1)}", words)


class Person:
    def __init__(self, bad, good, guilty):
        self.bad, self.good, self.guilty = bad, good, guilty
        self.known = {}
        self.right = {}

    def wrong(self, number):
        """Did this call do what it should not have? None if that cannot be said."""
        if number not in self.known:
            self.known[number] = self._judge(number)
        return self.known[number]

    def _judge(self, number):
        mistaken = [row["number"] for row in self.bad.within(number) if row["method"] in self.guilty]
        if not mistaken:
            return False
        other = self.good.by_path.get(self.bad.path_of[number])
        if other is not None:
            (given, read, did, gave, args), (meant_for, expected, should, result, same_args) = self.bad.facts(number), self.good.facts(other)
            if given == meant_for and all(read[place] == expected[place] for place in read.keys() & expected.keys()):
                return did != should
            # What it is made on may hold what earlier calls did wrong.
            if number in mistaken and args == same_args and gave != result:
                return True
        if number in mistaken:
            return None
        judged = [self.wrong(one) for one in mistaken]
        return True if True in judged else None if None in judged else False

    def answer(self, question):
        """What is typed."""
        subject = question["subject"]
        if "run" in subject or "thread" in subject:
            members = self.bad.of_thread(subject["thread"]["first"]) if "thread" in subject else self.bad.siblings(**subject["run"])
            judged = [self.wrong(one) for one in members]
            if True in judged:
                rows = [fact["number"] for fact in question["facts"] if fact["kind"] == "row"]
                odd = [one for one, is_wrong in zip(members, judged) if is_wrong]
                return f"n {rows.index(odd[0]) + 1}" if len(odd) == 1 and odd[0] in rows and len(rows) > 1 else "n"
            return "d" if None in judged else "y"
        if "loop" in subject:
            loop = subject["loop"]
            if self.bad.by_number[loop["number"]]["method"] in self.guilty:
                # Which of its iterations is the one to blame, only the whole tells.
                whole = loop["from"] == 0 and loop["to"] is None
                return {True: "n" if whole else "d", False: "y", None: "d"}[self.wrong(loop["number"])]
            line = int(re.search(r"loop at line (\d+)", question["head"])[1])
            end = loop["from"] + question["iterations"]
            judged = [self.wrong(one) for one in self.bad.in_iterations(loop["number"], line, loop["from"], end)]
            return "n" if True in judged else "d" if None in judged else "y"
        said = {True: "n", False: "y", None: "d"}[self.wrong(next(iter(subject.values()))["number"])]
        if "call" in subject and said == "y":
            # As is proposed then, whether that is wise or not.
            right = self.right[question["method"]] = self.right.get(question["method"], 0) + 1
            return "t" if right > OFTEN_RIGHT else "y"
        return said
