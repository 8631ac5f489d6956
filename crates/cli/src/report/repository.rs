//! Where the files of a run are for who reads its report: paths from the top of the repository, and addresses that show them
//! where a pipeline says which commit it runs on.

use std::env;
use std::path::{Component, Path, PathBuf};

use past::Past;
use trace::MethodId;
use words::FilePlace;

pub struct Repository {
    top: PathBuf,
    /// See `words::RunReport`.
    pub links: Option<String>,
}

impl Repository {
    /// Of the job that this runs in, or else the working folder.
    pub fn here() -> Repository {
        let named = ["GITHUB_WORKSPACE", "CI_PROJECT_DIR"].into_iter().filter_map(env::var_os);
        let here = env::current_dir().unwrap_or_default();
        // A job may run somewhere else than in its checkout.
        let top = named.map(PathBuf::from).find(|top| here.starts_with(top));
        Repository { top: top.unwrap_or(here), links: links(|name| env::var(name).ok()) }
    }

    /// A line of a method's file.
    pub fn place(&self, past: &Past, method: MethodId, line: Option<u32>) -> Option<FilePlace> {
        let (class, _) = past.program().method(method)?;
        let file = past.source_file(method);
        if let Some(source) = past.sources().find(&class.name, file)
            && !source.path.contains("!/")
        {
            let (path, found) = self.within(Path::new(&source.path));
            return Some(FilePlace { path, line, found });
        }
        let package = class.name.rsplit_once('/').map_or(String::new(), |(package, _)| format!("{package}/"));
        Some(FilePlace { path: format!("{package}{}", file?), line, found: false })
    }

    /// A path from the top, and whether it is below it.
    fn within(&self, path: &Path) -> (String, bool) {
        let full = env::current_dir().unwrap_or_default().join(path);
        let full: PathBuf = full.components().filter(|part| *part != Component::CurDir).collect();
        match full.strip_prefix(&self.top) {
            Ok(below) => (below.display().to_string(), true),
            Err(_) => (path.display().to_string(), false),
        }
    }
}

/// What GitHub or GitLab call their repository and its commit.
fn links(told: impl Fn(&str) -> Option<String>) -> Option<String> {
    let told = |name: &str| told(name).filter(|value| !value.is_empty());
    let github = || {
        let (server, name) = (told("GITHUB_SERVER_URL")?, told("GITHUB_REPOSITORY")?);
        Some(format!("{server}/{name}/blob/{}/", told("GITHUB_SHA")?))
    };
    let gitlab = || Some(format!("{}/-/blob/{}/", told("CI_PROJECT_URL")?, told("CI_COMMIT_SHA")?));
    // Anything else would be an address that nobody meant.
    github().or_else(gitlab).filter(|link| link.starts_with("http://") || link.starts_with("https://"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_from_the_top_of_the_repository() {
        let repository = Repository { top: "/builds/shop".into(), links: None };
        let within = |path| repository.within(Path::new(path));
        assert_eq!(within("/builds/shop/./core/src/Cart.java"), ("core/src/Cart.java".to_owned(), true));
        assert_eq!(within("/elsewhere/Cart.java"), ("/elsewhere/Cart.java".to_owned(), false));
    }

    #[test]
    fn addresses_are_those_of_the_job() {
        let of = |known: &[(&str, &str)]| {
            let known: Vec<(String, String)> =
                known.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
            links(move |name| known.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone()))
        };
        let github = [
            ("GITHUB_SERVER_URL", "https://github.com"),
            ("GITHUB_REPOSITORY", "acme/shop"),
            ("GITHUB_SHA", "12ab"),
        ];
        assert_eq!(of(&github).unwrap(), "https://github.com/acme/shop/blob/12ab/");
        assert_eq!(of(&github[..2]), None);
        let gitlab = [("CI_PROJECT_URL", "https://gitlab.com/acme/shop"), ("CI_COMMIT_SHA", "12ab")];
        assert_eq!(of(&gitlab).unwrap(), "https://gitlab.com/acme/shop/-/blob/12ab/");
        assert_eq!(of(&[("CI_PROJECT_URL", "javascript:x"), ("CI_COMMIT_SHA", "1")]), None);
    }
}
