//! Which instruction gets which probe. Takes the bytes of a class and gives the bytes to load instead, with what
//! the reader must know about them; makes no call into a JVM.

mod around;
mod asm;
mod explicit;
mod full;
mod hash;
mod hide;
mod library;
mod link;
mod method;
mod walk;

use classfile::{
    ClassFile, Code, CodeEdit, Error, Member, MemberRef, PoolBuilder, Result, rewrite_code, write_class,
};

pub use trace::probes::Linking;

pub use asm::{CHILDREN, RECORDER, RECORDERS};
pub use hash::translate_hashes;
pub use hide::{hide_recorder, hides_recorder};
pub use library::{is_collection, weave_library};

/// How much is recorded of a class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProgramDetail {
    Calls,
    Heap,
    Full,
}

/// What the weaver asks about other classes.
pub trait OtherClasses {
    fn is_volatile(&self, field: MemberRef<'_>) -> bool;

    /// Whether a class is program code, as far as can be told from its name.
    fn is_program(&self, class: &[u8]) -> bool;

    /// Whether calls of a class's methods are worth announcing: it is likely to be recorded.
    fn is_announced(&self, _class: &[u8]) -> bool {
        false
    }

    /// The number by which caller and callee know a method: of its name, and of its class's where it is exact; 0 if it
    /// has none.
    fn link(&self, _linking: Linking, _method: MemberRef<'_>) -> u32 {
        0
    }

    /// Whether methods of the class that is woven may be linked to in this way.
    fn links(&self, _linking: Linking) -> bool {
        false
    }
}

/// A woven class.
#[derive(Debug)]
pub struct Woven {
    pub bytes: Vec<u8>,
    /// How many methods the class has.
    pub methods: u16,
    /// (method index, reason as in docs/format.md) of methods recorded at less than the class's detail.
    pub degraded: Vec<(u16, u8)>,
    /// (method index, bci) of each explicit site, from the first site number on.
    pub sites: Vec<(u16, u16)>,
    /// Methods in the constant pool that are announced where the code calls them, ascending.
    pub announced: Vec<u16>,
}

pub const GREW_TOO_LARGE: u8 = 1;
pub const NOT_RECORDED: u8 = 2;

/// Numbers of the sites of one class.
#[derive(Debug)]
pub struct Sites {
    first: u32,
    method: u16,
    list: Vec<(u16, u16)>,
}

impl Sites {
    fn at(&mut self, pc: u32) -> u32 {
        let place = (self.method, pc as u16);
        if self.list.last() != Some(&place) {
            self.list.push(place);
        }
        self.first + self.list.len() as u32 - 1
    }
}

/// Locals that inserted code may need at most: the recorder, the depth, and the arguments of a call, which are 255 slots.
const ROOM: u16 = 512;

/// Refuses a method whose locals leave no room for ours.
fn has_room(code: &Code<'_>) -> Result<()> {
    if code.max_locals > u16::MAX - ROOM { Err(Error::TooLarge("locals")) } else { Ok(()) }
}

/// The new code of those methods into which something is to be inserted, by index.
fn rewrite_methods(
    class: &ClassFile<'_>,
    pool: &mut PoolBuilder,
    mut edit: impl FnMut(usize, &Member<'_>, &Code<'_>, &mut PoolBuilder) -> Result<CodeEdit>,
) -> Result<Vec<(usize, Vec<u8>)>> {
    let mut codes = Vec::new();
    for (index, method) in class.methods.iter().enumerate() {
        let Some(code) = method.code(class)? else { continue };
        has_room(&code)?;
        let edit = edit(index, method, &code, pool)?;
        if !(edit.entry.is_empty() && edit.before.is_empty() && edit.after.is_empty()) {
            codes.push((index, rewrite_code(class, method, &code, &edit, pool)?));
        }
    }
    Ok(codes)
}

/// Weaves one class of the program. Methods are numbered from `first_method` by their index, sites from
/// `first_site`.
pub fn weave(
    bytes: &[u8],
    detail: ProgramDetail,
    first_method: u32,
    first_site: u32,
    classes: &dyn OtherClasses,
) -> Result<Woven> {
    let class = ClassFile::parse(bytes)?;
    let mut pool = PoolBuilder::new(&class.pool);
    let mut sites = Sites { first: first_site, method: 0, list: Vec::new() };
    let mut codes = Vec::new();
    let mut degraded = Vec::new();
    let mut announced = Vec::new();
    for (index, method) in class.methods.iter().enumerate() {
        let Some(code) = method.code(&class)? else { continue };
        sites.method = index as u16;
        let number = first_method + index as u32;
        let mut attempt = |detail: ProgramDetail, sites: &mut Sites| {
            let mut weaver = method::Weaver::new(&class, method, &code, &mut pool)?;
            walk::weave(&mut weaver, number, detail, sites, classes)?;
            announced.append(&mut weaver.announced);
            let mut edit = std::mem::take(&mut weaver.edit);
            // Pieces were pushed instruction by instruction, but a back edge's check comes after its instruction's.
            edit.before.sort_by_key(|(pc, _)| *pc);
            edit.after.sort_by_key(|(pc, _)| *pc);
            rewrite_code(&class, method, &code, &edit, &mut pool)
        };
        let made = attempt(detail, &mut sites).or_else(|e| match e {
            Error::TooLarge(_) if detail != ProgramDetail::Calls => {
                degraded.push((index as u16, GREW_TOO_LARGE));
                attempt(ProgramDetail::Calls, &mut sites)
            }
            other => Err(other),
        });
        match made {
            Ok(code) => codes.push((index, code)),
            Err(Error::PoolFull) => return Err(Error::PoolFull),
            Err(_) => {
                degraded.retain(|(m, _)| *m != index as u16);
                degraded.push((index as u16, NOT_RECORDED));
            }
        }
    }
    let methods = class.methods.len() as u16;
    let exchanges = hash::references(&class, &mut pool)?;
    let bytes = write_class(&class, &mut pool, &codes, &exchanges)?;
    announced.sort_unstable();
    announced.dedup();
    Ok(Woven { bytes, methods, degraded, sites: sites.list, announced })
}
