//! The JDK's own classes: `lib/modules` of a Java home, one mapped file with a perfect hash table over all names.
//! Nothing in it is trusted: every offset is checked, and a damaged entry is an entry that is not there.

use std::fs::File;
use std::path::{Path, PathBuf};

use memmap2::Mmap;

use crate::error::Error;

const MAGIC: u32 = 0xcafe_dada;
const HEADER: usize = 28;
const HASH_MULTIPLIER: u32 = 0x0100_0193;

/// A file of the format that the JDK's linker writes. After the header: a table of redirections (how to hash a name
/// again so that no two collide), as many offsets of locations, the locations, the strings, the contents.
pub struct Image {
    path: PathBuf,
    map: Mmap,
    slots: usize,
    /// Where the parts begin.
    locations: usize,
    strings: usize,
    contents: usize,
}

/// What is known of an entry. Names are offsets into the strings; an attribute that is not there is 0, which is the
/// empty string.
#[derive(Clone, Copy, Default)]
struct Location {
    module: usize,
    parent: usize,
    base: usize,
    extension: usize,
    offset: usize,
    /// How long it is as it lies there, 0 if it is not compressed.
    packed: usize,
    length: usize,
}

impl Image {
    pub fn open(path: &Path) -> Result<Image, Error> {
        let unreadable = |source| Error::Unreadable { path: path.to_owned(), source };
        let file = File::open(path).map_err(unreadable)?;
        // SAFETY: the file belongs to an installed JDK and is not written to. If somebody does cut it off, the
        // process gets a signal, as every user of that JDK would.
        let map = unsafe { Mmap::map(&file) }.map_err(unreadable)?;
        let broken = |reason: &str| Error::Image { path: path.to_owned(), reason: reason.to_owned() };
        let word = |at: usize| word(&map, at);
        match (word(0), word(4)) {
            (Some(MAGIC), Some(version)) if version >> 16 == 1 => {}
            (Some(MAGIC), Some(_)) => return Err(broken("its version is not known")),
            (Some(other), _) if other == MAGIC.swap_bytes() => {
                return Err(broken("it is of a machine with another byte order"));
            }
            _ => return Err(broken("it does not begin like one")),
        }
        let size = |at| word(at).map(|size| size as usize).ok_or_else(|| broken("it is cut off"));
        let (slots, locations_size, strings_size) = (size(16)?, size(20)?, size(24)?);
        // Sizes are 32 bits each, so these sums cannot overflow.
        let locations = HEADER + slots * 8;
        let strings = locations + locations_size;
        let contents = strings + strings_size;
        if contents > map.len() {
            return Err(broken("it is cut off"));
        }
        let image = Image { path: path.to_owned(), map, slots, locations, strings, contents };
        let object = image.location(&[b"/java.base/java/lang/Object.class"]);
        if object.is_some_and(|object| object.packed != 0) {
            return Err(broken("its classes are compressed"));
        }
        Ok(image)
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The bytes of a class (`java/util/List`).
    pub fn class(&self, name: &str) -> Option<&[u8]> {
        let (package, base) = name.rsplit_once('/')?;
        let module = self.module_of(package)?;
        self.content(&[b"/", module, b"/", package.as_bytes(), b"/", base.as_bytes(), b".class"])
    }

    /// The module that has a package (`java/util`).
    fn module_of(&self, package: &str) -> Option<&[u8]> {
        let dotted = package.replace('/', ".");
        let listed = self.content(&[b"/packages/", dotted.as_bytes()])?;
        // Pairs of words: whether the package is empty in a module, and the module's name.
        let module = listed.chunks_exact(8).find(|pair| word(pair, 0) == Some(0))?;
        self.string(word(module, 4)? as usize)
    }

    /// The content of the entry whose name is these pieces, one after the other. What is compressed is not given.
    fn content(&self, name: &[&[u8]]) -> Option<&[u8]> {
        let found = self.location(name)?;
        if found.packed != 0 || !self.is_named(&found, name) {
            return None;
        }
        let from = self.contents.checked_add(found.offset)?;
        self.map.get(from..from.checked_add(found.length)?)
    }

    fn location(&self, name: &[&[u8]]) -> Option<Location> {
        let slots = u32::try_from(self.slots).ok()?;
        let first = hash(HASH_MULTIPLIER, name).checked_rem(slots)?;
        let slot = match word(&self.map, HEADER + first as usize * 4)?.cast_signed() {
            0 => return None,
            seed if seed > 0 => hash(seed.cast_unsigned(), name).checked_rem(slots)? as usize,
            direct => usize::try_from(-1 - i64::from(direct)).ok().filter(|&slot| slot < self.slots)?,
        };
        let at = word(&self.map, HEADER + (self.slots + slot) * 4)? as usize;
        Location::decode(self.map.get(self.locations.checked_add(at)?..self.strings)?)
    }

    /// Every name hashes to some slot, so the entry there need not be the one that was looked for.
    fn is_named(&self, location: &Location, name: &[&[u8]]) -> bool {
        let part = |at: usize| self.string(at).unwrap_or_default();
        let (module, parent) = (part(location.module), part(location.parent));
        let (base, extension) = (part(location.base), part(location.extension));
        let own = [
            if module.is_empty() { b"" } else { b"/".as_slice() },
            module,
            if module.is_empty() { b"" } else { b"/".as_slice() },
            parent,
            if parent.is_empty() { b"" } else { b"/".as_slice() },
            base,
            if extension.is_empty() { b"" } else { b".".as_slice() },
            extension,
        ];
        own.iter().flat_map(|piece| piece.iter()).eq(name.iter().flat_map(|piece| piece.iter()))
    }

    fn string(&self, at: usize) -> Option<&[u8]> {
        let rest = self.map.get(self.strings.checked_add(at)?..self.contents)?;
        rest.split(|&byte| byte == 0).next()
    }
}

impl Location {
    /// Attributes, each a byte that says which and how long, and its value with the high byte first; 0 ends them.
    fn decode(mut bytes: &[u8]) -> Option<Location> {
        let mut location = Location::default();
        loop {
            let (&head, rest) = bytes.split_first()?;
            if head >> 3 == 0 {
                return Some(location);
            }
            let (value, rest) = rest.split_at_checked(usize::from(head & 7) + 1)?;
            bytes = rest;
            let value = value.iter().fold(0u64, |sum, &byte| sum << 8 | u64::from(byte));
            let value = usize::try_from(value).ok()?;
            match head >> 3 {
                1 => location.module = value,
                2 => location.parent = value,
                3 => location.base = value,
                4 => location.extension = value,
                5 => location.offset = value,
                6 => location.packed = value,
                7 => location.length = value,
                _ => {}
            }
        }
    }
}

fn hash(seed: u32, name: &[&[u8]]) -> u32 {
    let bytes = name.iter().flat_map(|piece| piece.iter());
    bytes.fold(seed, |hash, &byte| hash.wrapping_mul(HASH_MULTIPLIER) ^ u32::from(byte)) & 0x7fff_ffff
}

/// In the byte order of the machines that we run on.
fn word(bytes: &[u8], at: usize) -> Option<u32> {
    let word = bytes.get(at..at.checked_add(4)?)?;
    Some(u32::from_le_bytes(word.try_into().ok()?))
}
