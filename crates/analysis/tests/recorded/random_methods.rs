//! Methods of Java at random, over what libraries hold: collections, builders, arrays, streams, own objects, in all kinds of
//! control flow. On a line there is at most one source, a value with a number of its own that `Experiment` can make another.
//!
//! Statements are templates. `{i}`, `{s}`, `{c}`, `{l}`: an expression, a number, a text, a condition, a number made from
//! the parameter `x` of a lambda; `{x}`, `{k}`: an index below 2, below 4; `{=i}`: a variable that may be written; `{f}`, `{w}`: one
//! that never is, for lambdas; capitals: a variable of that kind, `{!L}` one that nobody goes over. `{+L}` declares one.

use std::fmt::Write;

use testkit::Chance;

/// A class with methods, and by the number of each source the line on which it is.
pub struct RandomClass {
    pub name: &'static str,
    pub source: String,
    /// The names of its methods.
    pub methods: Vec<String>,
    pub lines: Vec<u32>,
}

#[rustfmt::skip]
const DECLARING: [&str; 24] = [
    "int {+i} = {i};", "int {+i} = {i};", "int {+f} = {i};", "Integer {+f} = {i};",
    "String {+s} = {s};", "String {+w} = {s};",
    "List<Integer> {+L} = new ArrayList<>(List.of({i}, {i}, {i}));",
    "List<Integer> {+L} = new LinkedList<>(Arrays.asList({i}, {i}));",
    "List<Integer> {+L} = new ArrayList<>();",
    "Counting {+C} = new Counting();",
    "List<String> {+W} = new ArrayList<>(List.of({s}, {s}));",
    "Map<String, Integer> {+M} = new HashMap<>();",
    "Map<String, Integer> {+M} = new TreeMap<>(Map.of({s}, {i}));",
    "Map<Integer, String> {+N} = new LinkedHashMap<>();",
    "Set<Integer> {+S} = new HashSet<>(List.of({i}));",
    "Set<Integer> {+S} = new TreeSet<>();",
    "Deque<Integer> {+D} = new ArrayDeque<>(List.of({i}, {i}));",
    "PriorityQueue<Integer> {+Q} = new PriorityQueue<>(List.of({i}, {i}));",
    "StringBuilder {+B} = new StringBuilder({s});",
    "int[] {+A} = new int[4];",
    "int[] {+A} = new int[] {1, {i}, 3, {i}};",
    "String[] {+X} = new String[] {{s}, {s}};",
    "Box {+P} = new Box({i}, {s});",
    "Map<String, List<Integer>> {+G} = new HashMap<>();",
];

#[rustfmt::skip]
const STATEMENTS: [&str; 169] = [
    // Numbers.
    "int {+i} = {i};", "{=i} = {i};", "{=i} = {i};", "{=i} += {i};", "{=i}++;", "int {+i} = {i} * {i} - {i};",
    "int {+f} = {c} ? {i} : {i};", "int {+i} = Math.max({i}, {i});", "int {+i} = twice({i});",
    "int {+i} = most({i}, {i}, {i});", "int {+i} = down({i});", "int {+i} = checked({i});", "check({i});",
    "{=i} = {c} ? {i} : {i};",
    // Texts.
    "String {+w} = {s};", "{=s} = {s};", "{=s} += {s};", "String {+s} = {s} + {i};", "String {+w} = {s}.toUpperCase();",
    "String {+s} = {s}.replace({s}, {s});", "int {+i} = {s}.length();", "int {+i} = {s}.indexOf({s});",
    "int {+i} = {s}.compareTo({s});", "String {+s} = ({s} + \"pq\").substring({x});",
    "String {+s} = String.join({s}, {W});", "String {+s} = joined({s}, {s});", "String {+s} = String.valueOf({i});",
    "String {+s} = String.format(\"%s-%d\", {s}, {i});", "int {+i} = {s}.hashCode() & 7;",
    "int {+i} = {s}.equals({s}) ? {i} : {i};",
    // Lists.
    "List<Integer> {+L} = new ArrayList<>();", "{!L}.add({i});", "{!L}.add({i});", "{!L}.add({i});", "{!L}.add(0, {i});",
    "{!L}.set({x}, {i});", "{!L}.remove({x});", "{!L}.remove(Integer.valueOf({i}));", "{!L}.clear();",
    "{!L}.addAll({L});", "Collections.sort({!L});", "Collections.reverse({!L});", "Collections.swap({!L}, 0, {x});",
    "{!L}.removeIf(x -> x > {f});", "{!L}.replaceAll(x -> {l});", "{!L}.sort(Comparator.reverseOrder());",
    "int {+i} = {L}.get({x});", "int {+i} = {L}.get({x});", "int {+i} = {L}.size();", "int {+i} = {L}.indexOf({i});",
    "int {+i} = {L}.contains({i}) ? 1 : 0;", "int {+i} = sum({L});", "int {+i} = firstOr({L}, {i});",
    "addIf({!L}, {i});", "addIf({!L}, {i});", "List<Integer> {+L} = new ArrayList<>({L});",
    "List<Integer> {+L} = new ArrayList<>({L}.subList(0, {x}));", "List<Integer> {+L} = {L};", "List<Integer> {+L} = {c} ? {L} : {L};", "List<Integer> {+L} = {c} ? {L} : {L};",
    "kept.add({i});", "kept.addAll({L});",
    "for (Iterator<Integer> it = {!L}.iterator(); it.hasNext();) if (it.next() > {i}) it.remove();",
    "for (ListIterator<Integer> it = {!L}.listIterator(); it.hasNext();) it.set(it.next() + {i});",
    "int {+i} = {L}.iterator().next();", "{!C}.add({i});", "{!C}.add({i});", "int {+i} = {C}.least();",
    "int {+i} = {C}.added;",
    "{!W}.add({s});", "{!W}.set({x}, {s});", "String {+s} = {W}.get({x});", "String {+s} = {W}.toString();",
    "Collections.sort({!W});", "List<String> {+W} = new ArrayList<>(Arrays.asList({s}.split({s})));",
    // Maps, sets, queues.
    "{!M}.put({s}, {i});", "{!M}.put({s}, {i});", "{!M}.put({s}, {i});", "{!M}.putIfAbsent({s}, {i});",
    "{!M}.merge({s}, {i}, Integer::sum);", "{!M}.merge({s}, {i}, (x, y) -> x - y);",
    "{!M}.computeIfAbsent({s}, x -> x.length() + {f});", "{!M}.compute({s}, (x, y) -> y == null ? {f} : y + 1);",
    "{!M}.remove({s});", "int {+i} = {M}.getOrDefault({s}, {i});", "int {+i} = {M}.getOrDefault({s}, {i});",
    "int {+i} = {M}.containsKey({s}) ? 1 : 0;", "int {+i} = {M}.size();", "file({!M}, {s}, {i});",
    "Map<String, Integer> {+M} = new HashMap<>({M});", "{!M}.putAll({M});", "{!M}.replaceAll((x, y) -> y + {f});",
    "for (Map.Entry<String, Integer> e : {!M}.entrySet()) e.setValue(e.getValue() + {i});",
    "{!M}.values().removeIf(x -> x > {f});", "{!M}.keySet().remove({s});",
    "int {+i} = sum(new ArrayList<>({M}.values()));", "String {+s} = String.valueOf({M}.get({s}));",
    "{!N}.put({i}, {s});", "{!N}.put({i}, {s});", "{!N}.put({i}, {s});", "String {+s} = {N}.getOrDefault({i}, {s});",
    "{!N}.remove({i});", "{!S}.add({i});", "{!S}.add({i});", "{!S}.remove({i});",
    "int {+i} = {S}.contains({i}) ? 1 : 0;", "{!S}.addAll({L});", "{!S}.retainAll({L});", "int {+i} = {S}.size();",
    "List<Integer> {+L} = new ArrayList<>({S});", "int {+i} = {!S}.add({i}) ? {i} : {i};",
    "{!D}.push({i});", "{!D}.addLast({i});", "{!D}.addLast({i});", "int {+i} = {!D}.pop();",
    "int {+i} = {!D}.pollLast();", "int {+i} = {D}.peekFirst();", "{!Q}.add({i});", "int {+i} = {!Q}.poll();",
    "{!G}.computeIfAbsent({s}, x -> new ArrayList<>()).add({i});",
    "int {+i} = {G}.getOrDefault({s}, {L}).size();",
    // Builders.
    "{B}.append({s});", "{B}.append({s});", "{B}.append({i}).append({s});", "{B}.insert(0, {s});", "{B}.reverse();",
    "{B}.setLength({x});", "String {+s} = {B}.toString();", "int {+i} = {B}.length();", "int {+i} = {B}.indexOf({s});",
    "{B}.append({L});",
    // Arrays.
    "{A}[{k}] = {i};", "{A}[{k}] = {i};", "{A}[{k}] = {i};", "int {+i} = {A}[{k}];", "int {+i} = {A}[{k}];",
    "{A}[{k}] += {i};", "int[] {+A} = {A}.clone();", "System.arraycopy({A}, {x}, {A}, {x}, 2);",
    "Arrays.fill({A}, {i});", "Arrays.fill({A}, 1, 3, {i});", "swap({A}, {k}, {k});", "Arrays.sort({A});",
    "int[] {+A} = Arrays.copyOf({A}, 4);", "int {+i} = Arrays.stream({A}).sum();", "int {+i} = most({A});",
    "int[] {+A} = {c} ? {A} : {A};", "{X}[{x}] = {s};", "String {+s} = {X}[{x}];",
    "List<String> {+W} = new ArrayList<>(Arrays.asList({X}));", "String {+s} = joined({X});",
    // Objects.
    "{P}.n = {i};", "{P}.text = {s};", "{P}.set({i});", "{P}.setIf({i});", "{P}.with({i});", "{P}.items = {L};",
    "{P}.next = new Box({i}, {s});", "int {+i} = {P}.n;", "int {+i} = {P}.total();", "String {+s} = {P}.text;",
    "Box {+P} = {P}.clone();", "Box {+P} = {c} ? {P} : {P};", "Box {+P} = {c} ? {P} : {P};", "int {+i} = {P}.next == null ? {i} : {i};",
    "List<Box> {+K} = new ArrayList<>(List.of({P}, {P}));", "{K}.get({x}).n = {i};", "{K}.get({x}).n = {i};", "int {+i} = {K}.get({x}).n;",
];

#[rustfmt::skip]
const FUNCTIONS: [&str; 20] = [
    "List<Integer> {+L} = new ArrayList<>({L}.stream().map(x -> {l}).toList());",
    "List<Integer> {+L} = {L}.stream().filter(x -> x > {f}).collect(Collectors.toList());",
    "int {+i} = {L}.stream().mapToInt(x -> {l}).sum();", "int {+i} = {L}.stream().reduce({i}, (x, y) -> x + y);",
    "List<String> {+W} = new ArrayList<>({W}.stream().map(x -> x + {w}).toList());",
    "String {+s} = {W}.stream().sorted().collect(Collectors.joining({s}));",
    "Map<String, Integer> {+M} = {W}.stream().collect(Collectors.toMap(x -> x, x -> x.length(), (x, y) -> x + y));",
    "int {+i} = (int) {L}.stream().filter(x -> x > {f}).count();",
    "int {+i} = {L}.stream().anyMatch(x -> x.equals({f})) ? {i} : {i};",
    "List<Integer> {+L} = IntStream.range(0, {k}).boxed().collect(Collectors.toCollection(ArrayList::new));",
    "{L}.forEach({B}::append);", "{L}.forEach(x -> {!D}.addLast({l}));", "{L}.forEach({!S}::add);",
    "IntUnaryOperator {+O} = x -> {l};", "int {+i} = {O}.applyAsInt({i});", "int {+i} = {O}.applyAsInt({i});",
    "int {+i} = {L}.stream().max(Integer::compare).orElse({i});", "Pair {+U} = new Pair({i}, {s});",
    "int {+i} = {U}.left();", "String {+s} = {U}.toString();",
];

#[rustfmt::skip]
const CONDITIONS: [&str; 10] = [
    "{i} > {i}", "{i} < {i}", "{i} % 2 == 0", "{s}.equals({s})", "{s}.isEmpty()", "{L}.isEmpty()", "{L}.contains({i})",
    "{M}.containsKey({s})", "{S}.contains({i})", "{i} > {i} && {i} < {i}",
];

/// What methods give.
#[rustfmt::skip]
const GIVEN: [&str; 26] = [
    "{i}", "{s}", "{L}", "{L}", "{C}", "{W}", "{M}", "{M}", "{N}", "{S}", "{D}", "{Q}", "{B}", "{B}.toString()", "{A}", "{A}",
    "{X}", "{P}", "{P}", "{P}.n", "{K}", "{G}", "List.of({L}, {i})", "{s} + {i}", "{L}.get({x})", "{M}.get({s})",
];

/// How deep blocks are in each other.
const DEEPEST: usize = 3;

struct Writer<'c> {
    chance: &'c mut Chance,
    text: String,
    line: u32,
    lines: Vec<u32>,
    /// Variables in scope: their kinds and names. Inner scopes are behind outer ones.
    scope: Vec<(char, String)>,
    /// Collections that somebody goes over.
    frozen: Vec<String>,
    names: usize,
    depth: usize,
    loops: usize,
    /// Does the line have a source?
    taken: bool,
}

/// As many methods as asked for, the same for the same numbers at random.
pub fn random_class(name: &'static str, count: usize, chance: &mut Chance) -> RandomClass {
    let mut writer = Writer {
        chance,
        text: String::new(),
        line: 1,
        lines: Vec::new(),
        scope: Vec::new(),
        frozen: Vec::new(),
        names: 0,
        depth: 1,
        loops: 0,
        taken: false,
    };
    for import in ["java.util.*", "java.util.function.*", "java.util.stream.*"] {
        writer.put(&format!("import {import};"));
    }
    writer.put(&format!("class {name} extends Experiment {{"));
    writer.put("public static void main(String[] args) throws Exception {");
    writer.put(&format!("run({name}.class, args);"));
    writer.put("}");
    let methods = (0..count).map(|number| writer.method(number)).collect();
    writer.put("}");
    RandomClass { name, source: writer.text, methods, lines: writer.lines }
}

impl Writer<'_> {
    fn put(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
        self.line += 1;
        self.taken = false;
    }

    /// The name of a method says which sources it has, so its head is written last.
    fn method(&mut self, number: usize) -> String {
        let (first, at) = (self.lines.len(), self.text.len());
        self.put("");
        (self.names, self.depth, self.loops) = (0, 1, 0);
        self.scope.clear();
        for _ in 0..6 + self.chance.below(4) {
            self.one_of(&DECLARING);
        }
        self.block(8);
        let given = self.filled_one_of(&GIVEN);
        self.put(&format!("return {given};"));
        self.put("}");
        let name = format!("m{number}_{first}_{}", self.lines.len());
        self.text.insert_str(at, &format!("static Object {name}() {{"));
        name
    }

    fn block(&mut self, most: usize) {
        let (scope, frozen) = (self.scope.len(), self.frozen.len());
        self.depth += 1;
        for _ in 0..2 + self.chance.below(most) {
            match self.chance.below(20) {
                0..4 if self.depth <= DEEPEST => self.nested(),
                4 if self.depth <= DEEPEST => self.trying(),
                5 if self.depth <= DEEPEST => self.switch(),
                6 if self.loops > 0 => self.leave(),
                7 if self.depth > 2 && self.chance.below(4) == 0 => {
                    let condition = self.filled("{c}").unwrap_or_default();
                    let given = self.filled_one_of(&GIVEN);
                    self.put(&format!("if ({condition}) return {given};"));
                }
                8..11 => self.one_of(&FUNCTIONS),
                11 => self.one_of(&DECLARING),
                _ => self.one_of(&STATEMENTS),
            }
        }
        self.depth -= 1;
        self.scope.truncate(scope);
        self.frozen.truncate(frozen);
    }

    fn one_of(&mut self, templates: &[&str]) {
        let line = self.filled_one_of(templates);
        self.put(&line);
    }

    fn filled_one_of(&mut self, templates: &[&str]) -> String {
        loop {
            let template = templates[self.chance.below(templates.len())];
            let (scope, sources, names, taken) = (self.scope.len(), self.lines.len(), self.names, self.taken);
            if let Some(text) = self.filled(template) {
                return text;
            }
            self.scope.truncate(scope);
            self.lines.truncate(sources);
            (self.names, self.taken) = (names, taken);
        }
    }

    /// Conditions and loops.
    fn nested(&mut self) {
        let scope = self.scope.len();
        match self.chance.below(6) {
            0..2 => {
                let condition = self.filled("{c}").unwrap_or_default();
                self.put(&format!("if ({condition}) {{"));
                self.block(3);
                if self.chance.below(2) == 0 {
                    self.put("} else {");
                    self.block(3);
                }
            }
            2 => {
                let counter = self.name();
                let end = self.filled("{k}").unwrap_or_default();
                self.put(&format!("for (int {counter} = 0; {counter} < {end}; {counter}++) {{"));
                self.scope.push(('j', counter));
                self.looped();
            }
            3 => {
                let counter = self.name();
                let start = self.filled("{k}").unwrap_or_default();
                self.put(&format!("int {counter} = {start};"));
                self.put(&format!("while ({counter} > 0) {{"));
                self.put(&format!("{counter}--;"));
                self.scope.push(('j', counter));
                self.looped();
            }
            _ => {
                let kind = ['L', 'S', 'A', 'Q'][self.chance.below(4)];
                let Some(over) = self.variable(|one| one == kind) else {
                    return self.one_of(&STATEMENTS);
                };
                let one = self.name();
                self.put(&format!("for (int {one} : {over}) {{"));
                self.frozen.push(over);
                self.scope.push(('f', one));
                self.looped();
                self.frozen.pop();
            }
        }
        self.put("}");
        self.scope.truncate(scope);
    }

    fn looped(&mut self) {
        self.loops += 1;
        self.block(3);
        self.loops -= 1;
    }

    fn leave(&mut self) {
        let condition = self.filled("{c}").unwrap_or_default();
        let leaves = ["break;", "continue;"][self.chance.below(2)];
        match self.chance.below(2) {
            0 => self.put(&format!("if ({condition}) {leaves}")),
            _ => {
                self.put(&format!("if ({condition}) {{"));
                self.put(leaves);
                self.put("}");
            }
        }
    }

    fn trying(&mut self) {
        self.put("try {");
        let scope = self.scope.len();
        match self.chance.below(4) {
            0 => self.one_of(&["int {+i} = {L}.get({i});", "int {+i} = {A}[{i}];", "int {+i} = {i} / {i};"]),
            1 => self.one_of(&["int {+i} = Integer.parseInt({s});", "int {+i} = {i} / {i};"]),
            _ => {
                let condition = self.filled("{c}").unwrap_or_default();
                self.put(&format!("if ({condition}) {{"));
                self.one_of(&["throw new Own({s});", "throw new Own(\"of \" + {i});"]);
                self.put("}");
            }
        }
        self.block(3);
        self.scope.truncate(scope);
        let caught = self.name();
        self.put(&format!("}} catch (RuntimeException {caught}) {{"));
        self.put(&format!("caught({caught});"));
        self.block(2);
        if self.chance.below(4) == 0 {
            self.put("} finally {");
            self.block(1);
        }
        self.put("}");
    }

    fn switch(&mut self) {
        let (on, cases) = match self.chance.below(2) {
            0 => ("{i}", ["1", "2", "4"]),
            _ => ("{s}", ["\"a\"", "\"b\"", "\"c\""]),
        };
        let on = self.filled(on).unwrap_or_default();
        self.put(&format!("switch ({on}) {{"));
        // A `break` in there is the switch's, and a `continue` is none of the cases that are tried here.
        let loops = std::mem::take(&mut self.loops);
        for case in cases {
            self.put(&format!("case {case}: {{"));
            self.block(1);
            if self.chance.below(3) > 0 {
                self.put("break;");
            }
            self.put("}");
        }
        self.put("default: {");
        self.block(1);
        self.put("}");
        self.put("}");
        self.loops = loops;
    }

    fn name(&mut self) -> String {
        self.names += 1;
        format!("v{}", self.names)
    }

    fn variable(&mut self, fits: impl Fn(char) -> bool) -> Option<String> {
        let all: Vec<&String> =
            self.scope.iter().filter(|(kind, _)| fits(*kind)).map(|(_, name)| name).collect();
        let at = self.chance.below(all.len());
        all.get(at).map(|&name| name.clone())
    }

    /// A template with all of its holes filled; none if there is no variable for one.
    fn filled(&mut self, template: &str) -> Option<String> {
        let mut text = String::new();
        let mut declared = None;
        let mut rest = template;
        while let Some(at) = rest.find('{') {
            text.push_str(&rest[..at]);
            rest = &rest[at..];
            let hole: Vec<char> = rest.chars().take(4).collect();
            let (mark, kind, length) = match hole[..] {
                ['{', kind, '}', ..] if kind.is_ascii_alphabetic() => (' ', kind, 3),
                ['{', mark @ ('+' | '!' | '='), kind, '}'] => (mark, kind, 4),
                _ => {
                    text.push('{');
                    rest = &rest[1..];
                    continue;
                }
            };
            rest = &rest[length..];
            match (mark, kind) {
                ('+', kind) => {
                    let name = self.name();
                    text.push_str(&name);
                    declared = Some((kind, name));
                }
                (' ', 'i' | 's' | 'c' | 'l' | 'x' | 'k') => text.push_str(&self.expression(kind)),
                ('!', kind) => {
                    let frozen = self.frozen.clone();
                    let name = self.variable(|one| is_of(one, kind))?;
                    text.push_str(Some(name).filter(|name| !frozen.contains(name))?.as_str());
                }
                (_, kind) => text.push_str(&self.variable(|one| is_of(one, kind))?),
            }
        }
        text.push_str(rest);
        self.scope.extend(declared);
        Some(text)
    }

    fn expression(&mut self, kind: char) -> String {
        let (source, plain) = match kind {
            'x' | 'k' => {
                let mask = if kind == 'x' { 1 } else { 3 };
                return match self.chance.below(3) {
                    0 => self.chance.below(mask + 1).to_string(),
                    _ => format!("({} & {mask})", self.expression('i')),
                };
            }
            'c' => {
                let free = self.chance.below(2) == 0 && !self.taken;
                self.taken |= free;
                let plain = self.filled_one_of(&CONDITIONS);
                if !free {
                    return plain;
                }
                ("truth", plain)
            }
            'i' => ("number", self.number()),
            'l' => ("number", format!("x + {}", self.variable(|one| one == 'f').unwrap_or("2".to_owned()))),
            _ => ("word", self.word()),
        };
        if kind != 'c' && (self.taken || self.chance.below(2) == 0) {
            return if kind == 'l' { format!("({plain})") } else { plain };
        }
        self.taken = true;
        let mut text = String::new();
        write!(text, "{source}({}, {plain})", self.lines.len()).unwrap();
        self.lines.push(self.line);
        text
    }

    fn number(&mut self) -> String {
        let literal = self.chance.below(6).to_string();
        let variable = |writer: &mut Self| writer.variable(|one| matches!(one, 'i' | 'f' | 'j'));
        match self.chance.below(10) {
            0..3 => literal,
            3..9 => variable(self).unwrap_or(literal),
            _ => match (variable(self), variable(self)) {
                (Some(one), Some(other)) => format!("({one} - {other})"),
                _ => literal,
            },
        }
    }

    fn word(&mut self) -> String {
        let literal = format!("\"{}\"", ["a", "b", "c", "ab", "7"][self.chance.below(5)]);
        match self.chance.below(10) {
            0..4 => literal,
            _ => self.variable(|one| matches!(one, 's' | 'w')).unwrap_or(literal),
        }
    }
}

/// A list that counts is a list.
fn is_of(one: char, kind: char) -> bool {
    one == kind || (kind == 'L' && one == 'C')
}
