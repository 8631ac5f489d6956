//! How each page looks at the tree: those that were used last are kept, and of those a few hold what takes memory.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::failure::Failure;
use crate::tree_view::TreeView;

/// Pages whose view is kept; the one not used for longest is forgotten.
const MAX_VIEWS: usize = 64;
/// Of those, how many may hold what takes memory.
const MAX_LOADED: usize = 4;
/// Bytes in the name that a page made up for itself.
const MAX_NAME: usize = 100;

#[derive(Default)]
pub struct TreeViews(Mutex<HashMap<String, Page>>);

#[derive(Default)]
struct Page {
    /// The larger the later it was used.
    used: u64,
    /// Who holds it may take the session, never the other way round.
    view: Arc<Mutex<TreeView>>,
}

impl TreeViews {
    pub fn of(&self, page: &str) -> Result<Arc<Mutex<TreeView>>, Failure> {
        if page.len() > MAX_NAME {
            return Err(Failure::Bad(format!("the name of a page has at most {MAX_NAME} letters")));
        }
        let mut views = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let now = views.values().map(|page| page.used).max().unwrap_or(0) + 1;
        let asked = views.entry(page.to_owned()).or_default();
        asked.used = now;
        let view = Arc::clone(&asked.view);
        let mut order: Vec<u64> = views.values().map(|page| page.used).collect();
        order.sort_unstable_by(|one, other| other.cmp(one));
        if let Some(&gone) = order.get(MAX_VIEWS) {
            views.retain(|_, page| page.used > gone);
        }
        if let Some(&idle) = order.get(MAX_LOADED) {
            let idle = views.values().filter(|page| page.used <= idle);
            idle.filter_map(|page| page.view.try_lock().ok()).for_each(|mut view| view.rest());
        }
        Ok(view)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_that_was_not_used_for_longest_is_forgotten() {
        let views = TreeViews::default();
        let first = views.of("0").unwrap();
        let second = views.of("1").unwrap();
        for page in 2..MAX_VIEWS {
            views.of(&page.to_string()).unwrap();
        }
        assert!(Arc::ptr_eq(&first, &views.of("0").unwrap()));
        views.of("one more").unwrap();
        assert!(Arc::ptr_eq(&first, &views.of("0").unwrap()));
        assert!(!Arc::ptr_eq(&second, &views.of("1").unwrap()));
        assert_eq!(views.0.lock().unwrap().len(), MAX_VIEWS);
        assert!(views.of(&"x".repeat(MAX_NAME + 1)).is_err());
    }
}
