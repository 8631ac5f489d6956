//! How each page looks at the tree: those that were used last are kept, and of those a few hold what takes memory.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::failure::Failure;
use crate::look::Look;

/// Pages whose look is kept; the one not used for longest is forgotten.
const MAX_LOOKS: usize = 64;
/// Of those, how many may hold what takes memory.
const MAX_AWAKE: usize = 4;
/// Bytes in the name that a page made up for itself.
const MAX_NAME: usize = 100;

#[derive(Default)]
pub struct Looks(Mutex<HashMap<String, Page>>);

#[derive(Default)]
struct Page {
    /// The larger the later it was used.
    used: u64,
    /// Who holds it may take the session, never the other way round.
    look: Arc<Mutex<Look>>,
}

impl Looks {
    pub fn of(&self, page: &str) -> Result<Arc<Mutex<Look>>, Failure> {
        if page.len() > MAX_NAME {
            return Err(Failure::Bad(format!("the name of a page has at most {MAX_NAME} letters")));
        }
        let mut looks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let now = looks.values().map(|page| page.used).max().unwrap_or(0) + 1;
        let asked = looks.entry(page.to_owned()).or_default();
        asked.used = now;
        let look = Arc::clone(&asked.look);
        let mut order: Vec<u64> = looks.values().map(|page| page.used).collect();
        order.sort_unstable_by(|one, other| other.cmp(one));
        if let Some(&gone) = order.get(MAX_LOOKS) {
            looks.retain(|_, page| page.used > gone);
        }
        if let Some(&idle) = order.get(MAX_AWAKE) {
            let idle = looks.values().filter(|page| page.used <= idle);
            idle.filter_map(|page| page.look.try_lock().ok()).for_each(|mut look| look.rest());
        }
        Ok(look)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_that_was_not_used_for_longest_is_forgotten() {
        let looks = Looks::default();
        let first = looks.of("0").unwrap();
        let second = looks.of("1").unwrap();
        for page in 2..MAX_LOOKS {
            looks.of(&page.to_string()).unwrap();
        }
        assert!(Arc::ptr_eq(&first, &looks.of("0").unwrap()));
        looks.of("one more").unwrap();
        assert!(Arc::ptr_eq(&first, &looks.of("0").unwrap()));
        assert!(!Arc::ptr_eq(&second, &looks.of("1").unwrap()));
        assert_eq!(looks.0.lock().unwrap().len(), MAX_LOOKS);
        assert!(looks.of(&"x".repeat(MAX_NAME + 1)).is_err());
    }
}
