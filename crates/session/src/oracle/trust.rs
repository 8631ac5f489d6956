//! Which code is believed to be right without asking: libraries, what compilers write themselves, and what a person
//! said. Trust takes a call out of the suspects, never what it calls. Every rule can be seen and switched off.
//!
//! Bodies of lambdas, constructors and class initialisers are the person's code, whatever their flags say, and are
//! not trusted by default.

use base::{CallId, Target, simple_name};
use classfile::{ClassFile, Insn, Member, MethodDescriptor, access, opcode};
use past::{Class, Past};
use serde::{Deserialize, Serialize};

use crate::answer::{Author, TrustScope};

/// What a rule of trust is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TrustedCode {
    /// The JDK and all that is not recorded as the program's.
    Libraries,
    /// Methods that no source has: bridges, accessors of records and of outer classes, `values` of enums.
    Generated,
    /// With this name: `shop.Basket.add`, `shop.Basket`, `shop`; the package may be left out of the first two.
    Named { scope: TrustScope, name: String },
}

/// A reason not to ask. One that is switched off is kept, so that it can be switched on again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrustRule {
    pub code: TrustedCode,
    pub by: Author,
    pub on: bool,
}

/// Who wrote the code of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CodeKind {
    Program,
    Generated,
    Library,
}

/// All rules, in the order in which they were made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trust {
    pub rules: Vec<TrustRule>,
}

impl Default for Trust {
    fn default() -> Trust {
        let rule = |code| TrustRule { code, by: Author::Rule, on: true };
        Trust { rules: vec![rule(TrustedCode::Libraries), rule(TrustedCode::Generated)] }
    }
}

impl Trust {
    /// Adds a rule, or switches it on again.
    pub fn give(&mut self, scope: TrustScope, name: &str, by: Author) {
        let code = TrustedCode::Named { scope, name: name.to_owned() };
        match self.rules.iter_mut().find(|rule| rule.code == code) {
            Some(rule) => (rule.on, rule.by) = (true, by),
            None => self.rules.push(TrustRule { code, by, on: true }),
        }
    }

    /// Is there a rule of this name, and is it on?
    pub fn gives(&self, scope: TrustScope, name: &str) -> bool {
        let is = |rule: &TrustRule| match &rule.code {
            TrustedCode::Named { scope: own, name: trusted } => *own == scope && trusted == name,
            TrustedCode::Libraries | TrustedCode::Generated => false,
        };
        self.rules.iter().any(|rule| rule.on && is(rule))
    }

    /// Switches a rule off; false if there is none.
    pub fn revoke(&mut self, code: &TrustedCode) -> bool {
        let rule = self.rules.iter_mut().find(|rule| rule.code == *code);
        rule.map(|rule| rule.on = false).is_some()
    }

    /// The rule by which a method is trusted. `owner` has slashes.
    pub fn trusts(&self, owner: &str, name: &str, descriptor: &str, kind: CodeKind) -> Option<&TrustRule> {
        self.rules.iter().filter(|rule| rule.on).find(|rule| match &rule.code {
            TrustedCode::Libraries => kind == CodeKind::Library,
            TrustedCode::Generated => kind == CodeKind::Generated,
            TrustedCode::Named { scope, name: rule } => fits(*scope, rule, owner, name, descriptor),
        })
    }

    pub fn trusts_call(&self, past: &Past, call: CallId) -> Option<&TrustRule> {
        let target = past.call_row(call)?.target;
        let (owner, name, descriptor) = past.target(target);
        self.trusts(&owner, &name, &descriptor, code_kind(past, target))
    }
}

/// The name by which a rule speaks of one method: `shop.Basket.add(int,java.lang.String)`.
pub fn method_rule(owner: &str, name: &str, descriptor: &str) -> String {
    format!("{}.{}({})", owner.replace('/', "."), shown(name), parameters(descriptor))
}

/// As names of calls have it.
fn shown(name: &str) -> &str {
    match name {
        "<init>" => "new",
        "<clinit>" => "static",
        name => name,
    }
}

fn fits(scope: TrustScope, rule: &str, owner: &str, name: &str, descriptor: &str) -> bool {
    let dotted = owner.replace('/', ".");
    let is_class =
        |rule: &str| rule == dotted || rule == simple_name(owner) || rule == dotted.replace('$', ".");
    match scope {
        TrustScope::Package => dotted.strip_prefix(rule).is_some_and(|rest| rest.starts_with('.')),
        TrustScope::Class => {
            // What is declared within a class is part of it.
            let outer = owner.match_indices('$').map(|(at, _)| &owner[..at]);
            let is_outer = |outer: &str| rule == outer.replace('/', ".") || rule == simple_name(outer);
            is_class(rule) || outer.into_iter().any(is_outer)
        }
        TrustScope::Method => {
            let (rule, types) = match rule.split_once('(') {
                Some((rule, types)) => (rule, types.split_once(')').map(|(types, _)| types)),
                None => (rule, None),
            };
            let Some((class, method)) = rule.rsplit_once('.') else { return false };
            is_class(class)
                && method == shown(name)
                && types.is_none_or(|types| types == parameters(descriptor))
        }
    }
}

/// Types of parameters as names of calls have them: `int, String[]`.
fn parameters(descriptor: &str) -> String {
    let Ok(parsed) = MethodDescriptor::parse(descriptor.as_bytes()) else { return String::new() };
    let name = |bytes: &&[u8]| {
        let text = String::from_utf8_lossy(bytes);
        let plain = match &*text {
            "Z" => "boolean",
            "B" => "byte",
            "C" => "char",
            "S" => "short",
            "I" => "int",
            "J" => "long",
            "F" => "float",
            "D" => "double",
            class => {
                return simple_name(
                    class.strip_prefix('L').and_then(|name| name.strip_suffix(';')).unwrap_or(class),
                );
            }
        };
        plain.to_owned()
    };
    parsed.parameters.iter().map(name).collect::<Vec<_>>().join(", ")
}

/// Whose code a method is.
pub fn code_kind(past: &Past, target: Target) -> CodeKind {
    let Target::Method(method) = target else { return CodeKind::Library };
    let program = past.program();
    let Some((class, method)) = program.method(method) else { return CodeKind::Program };
    let by_jdk = jdk::owner::is_made_for_calls(&class.name);
    if by_jdk || is_generated(class, &method.name, &method.descriptor).unwrap_or(false) {
        CodeKind::Generated
    } else {
        CodeKind::Program
    }
}

fn is_generated(class: &Class, name: &str, descriptor: &str) -> Option<bool> {
    let file = ClassFile::parse(&class.bytes).ok()?;
    let is_it =
        |member: &&Member<'_>| member.name == name.as_bytes() && member.descriptor == descriptor.as_bytes();
    let member = file.methods.iter().find(is_it)?;
    if member.is(access::SYNTHETIC) && !name.starts_with('<') {
        return Some(!name.starts_with("lambda$") || member.is(access::BRIDGE));
    }
    Some(match file.super_name().ok()? {
        Some(b"java/lang/Enum") => {
            let is_static = member.is(access::STATIC);
            is_static
                && (name == "values" && descriptor.starts_with("()")
                    || name == "valueOf" && is_value_of(&file, descriptor))
        }
        Some(b"java/lang/Record") => is_of_record(&file, member)?,
        _ => false,
    })
}

fn is_value_of(file: &ClassFile<'_>, descriptor: &str) -> bool {
    let own = file.name().map_or_else(|_| String::new(), |name| String::from_utf8_lossy(name).into_owned());
    descriptor == format!("(Ljava/lang/String;)L{own};")
}

/// A record's own methods: one instruction of the JDK's (`equals`, `hashCode`, `toString`), or giving back a field of
/// the method's name.
fn is_of_record(file: &ClassFile<'_>, member: &Member<'_>) -> Option<bool> {
    let code = member.code(file).ok()??;
    let insns: Vec<_> = code.insns().map_while(|insn| insn.ok()).collect();
    let constant = |insn: &Insn| file.pool.member(code.index(*insn)).ok();
    Some(match member.name {
        b"equals" | b"hashCode" | b"toString" => {
            let dynamic = insns.iter().find(|insn| insn.op == opcode::INVOKEDYNAMIC);
            let own = dynamic.and_then(constant).is_some_and(|own| own.name == member.name);
            own && insns.len() <= 4
        }
        name => {
            let [first, second, third] = insns[..] else { return Some(false) };
            first.op == opcode::ALOAD_0
                && second.op == opcode::GETFIELD
                && opcode::is_return(third.op)
                && constant(&second).is_some_and(|field| field.name == name)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_covers_what_it_says_and_no_more() {
        let named = |scope, name: &str| {
            let mut trust = Trust { rules: Vec::new() };
            trust.give(scope, name, Author::Person);
            trust
        };
        use TrustScope::{Class, Method, Package};
        for (scope, rule, owner, method, descriptor, expected) in [
            (Method, "Basket.add", "shop/Basket", "add", "(I)V", true),
            (Method, "shop.Basket.add", "shop/Basket", "add", "(I)V", true),
            (Method, "other.Basket.add", "shop/Basket", "add", "(I)V", false),
            (Method, "Basket.add(int)", "shop/Basket", "add", "(I)V", true),
            (Method, "Basket.add(int, String[])", "shop/Basket", "add", "(I[Ljava/lang/String;)V", true),
            (Method, "Basket.add(int)", "shop/Basket", "add", "(J)V", false),
            (Method, "Basket.addAll", "shop/Basket", "add", "(I)V", false),
            (Method, "Basket.new", "shop/Basket", "<init>", "()V", true),
            (Class, "Basket", "shop/Basket", "add", "(I)V", true),
            (Class, "shop.Basket", "shop/Basket$Line", "sum", "()I", true),
            (Class, "Bask", "shop/Basket", "add", "(I)V", false),
            (Package, "shop", "shop/Basket", "add", "(I)V", true),
            (Package, "shop", "shop/inner/Basket", "add", "(I)V", true),
            (Package, "shop", "shopping/Basket", "add", "(I)V", false),
        ] {
            let trust = named(scope, rule);
            let found = trust.trusts(owner, method, descriptor, CodeKind::Program).is_some();
            assert_eq!(found, expected, "{rule} for {owner}.{method}{descriptor}");
        }
    }

    #[test]
    fn defaults_are_libraries_and_generated_code_and_can_be_taken_back() {
        let mut trust = Trust::default();
        assert!(trust.trusts("java/util/List", "get", "(I)Ljava/lang/Object;", CodeKind::Library).is_some());
        assert!(trust.trusts("shop/Size", "values", "()[Lshop/Size;", CodeKind::Generated).is_some());
        assert!(trust.trusts("shop/Basket", "add", "(I)V", CodeKind::Program).is_none());
        assert!(trust.revoke(&TrustedCode::Libraries));
        assert!(trust.trusts("java/util/List", "get", "(I)Ljava/lang/Object;", CodeKind::Library).is_none());
        trust.give(TrustScope::Package, "java.util", Author::Person);
        trust.give(TrustScope::Package, "java.util", Author::Person);
        assert_eq!(trust.rules.len(), 3);
        assert!(trust.trusts("java/util/List", "get", "(I)Ljava/lang/Object;", CodeKind::Library).is_some());
        assert!(!trust.revoke(&TrustedCode::Named { scope: TrustScope::Class, name: "X".to_owned() }));
    }
}
