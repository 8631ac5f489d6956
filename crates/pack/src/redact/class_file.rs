//! Texts in class files. Those that only code uses as texts can be taken out without changing anything else: each byte
//! becomes the filler, so that nothing moves and readers see that something was here. A text that is also a name has to stay.

use std::collections::BTreeSet;

use classfile::{ClassFile, Constant};
use trace::text::FILLER;

use super::needles::Needles;

/// Places of the constant pool's texts, and which of them are names.
struct Pool {
    /// Index, where its bytes begin in the class file, how many.
    texts: Vec<(u16, usize, usize)>,
    names: BTreeSet<u16>,
}

/// The texts of a class file that are no names.
pub fn literals(bytes: &[u8]) -> Vec<String> {
    let Some(pool) = pool(bytes) else { return Vec::new() };
    let texts = pool.texts.iter().filter(|(index, ..)| !pool.names.contains(index));
    texts.map(|&(_, at, length)| trace::text::from_modified(&bytes[at..at + length])).collect()
}

/// The names in a class file.
pub fn names(bytes: &[u8], names: &mut BTreeSet<String>) {
    let Some(pool) = pool(bytes) else { return };
    let texts = pool.texts.iter().filter(|(index, ..)| pool.names.contains(index));
    names.extend(texts.map(|&(_, at, length)| trace::text::from_modified(&bytes[at..at + length])));
}

/// Takes out every text with a secret in it that is no name; says how many.
pub fn blank(bytes: &mut [u8], needles: &Needles) -> usize {
    let Some(pool) = pool(bytes) else { return 0 };
    let mut count = 0;
    for (index, at, length) in pool.texts {
        if !pool.names.contains(&index) && needles.is_in(&bytes[at..at + length]) {
            bytes[at..at + length].fill(FILLER);
            count += 1;
        }
    }
    count
}

fn pool(bytes: &[u8]) -> Option<Pool> {
    let class = ClassFile::parse(bytes).ok()?;
    let mut pool = Pool { texts: Vec::new(), names: BTreeSet::new() };
    let mut strings = BTreeSet::new();
    for index in 1..class.pool.len() as u16 {
        match class.pool.get(index) {
            Ok(Constant::Utf8(text)) => {
                // Both are parts of the same bytes.
                let at = text.as_ptr() as usize - bytes.as_ptr() as usize;
                pool.texts.push((index, at, text.len()));
            }
            Ok(Constant::String { value }) => {
                strings.insert(value);
            }
            Ok(Constant::NameAndType { name, descriptor }) => pool.names.extend([name, descriptor]),
            Ok(Constant::Class { name } | Constant::Module { name } | Constant::Package { name }) => {
                pool.names.insert(name);
            }
            Ok(Constant::MethodType { descriptor }) => {
                pool.names.insert(descriptor);
            }
            _ => {}
        }
    }
    let members = class.fields.iter().chain(&class.methods);
    let mut known: BTreeSet<&[u8]> = members.flat_map(|member| [member.name, member.descriptor]).collect();
    let attributes = class
        .attributes
        .iter()
        .chain(class.fields.iter().chain(&class.methods).flat_map(|one| &one.attributes));
    known.extend(attributes.map(|attribute| attribute.name));
    for &(index, at, length) in &pool.texts {
        // Nothing but strings refers to it as a string; names of variables, signatures, annotations are not told apart
        // from names here unless code uses them as a string too.
        if known.contains(&bytes[at..at + length])
            || (!strings.contains(&index) && is_name(&bytes[at..at + length]))
        {
            pool.names.insert(index);
        }
    }
    Some(pool)
}

/// Does a text look like a name of Java, or a descriptor? Values of annotations do not, as a rule; if one does, what
/// is packed is searched in the end all the same.
fn is_name(text: &[u8]) -> bool {
    !text.is_empty()
        && text.iter().all(|&byte| byte.is_ascii_alphanumeric() || b"_$/;<>()[.:*+-".contains(&byte))
}
