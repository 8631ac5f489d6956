//! `inquest symptoms`: what went wrong in a run, over all its JVMs; and which of them a session is to be about.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use past::{Past, Settings};
use session::{NamedSymptom, OracleSpec, Symptom};
use wire::SymptomRow;
use words::symptom_line;

use crate::args::{SearchArgs, SymptomArgs, SymptomsArgs};
use crate::green;
use crate::open::{self, Opened};
use crate::opened;
use crate::terminal::{Style, Terminal};

/// The recordings of a run, each with the folder that it is in.
pub struct Run {
    pub jvms: Vec<(PathBuf, Past)>,
    /// How many there are, those included that were not opened because nothing failed in them.
    pub all: usize,
}

/// A symptom of a run: in which JVM, its number there and in the run.
pub struct Listed {
    pub jvm: usize,
    local: usize,
    pub number: usize,
    pub symptom: Symptom,
    in_reference: bool,
}

/// False if nothing is wrong.
pub fn run(typed: &SymptomsArgs) -> Result<bool> {
    let settings = opened::settings(&typed.recording);
    let run = match typed.output.is_none() && !typed.requests {
        true => Run::open_failed(&typed.recording.dir, &settings)?,
        false => Run::open(&typed.recording.dir, &settings)?,
    };
    let rows = match (&typed.output, typed.requests) {
        (Some(text), _) => run.printed(text, typed.limit),
        (None, true) => run.requests(),
        (None, false) => {
            let reference = reference(typed.reference.as_deref(), &typed.oracle, &settings)?;
            run.listed(reference.as_ref()).into_iter().map(|listed| run.row(&listed)).collect()
        }
    };
    let mut out = Terminal::open();
    if typed.recording.json {
        let mut array = out.array()?;
        for (row, _) in &rows {
            array.push(row)?;
        }
        array.end()?;
    } else {
        print(&mut out, &rows[..rows.len().min(typed.limit)])?;
    }
    out.flush()?;
    if !typed.recording.json && rows.len() > typed.limit {
        crate::pager::remark(format!("{} of {} are shown; --limit shows more", typed.limit, rows.len()));
    }
    if rows.is_empty() {
        crate::pager::remark(run.nothing(typed));
    }
    Ok(!rows.is_empty())
}

fn print(out: &mut Terminal, rows: &[(SymptomRow, String)]) -> Result<()> {
    let width = rows.iter().map(|(_, first)| first.chars().count()).max().unwrap_or(0).min(48);
    for (row, first) in rows {
        let number = row.symptom.map_or(String::new(), |number| number.to_string());
        let jvm = row.jvm.as_ref().map_or(String::new(), |jvm| format!("  {jvm}"));
        let place = match (&row.place.file, row.place.line) {
            (Some(file), Some(line)) => format!("  {file}:{line}"),
            _ => String::new(),
        };
        let known = if row.in_reference { "  (in the reference too)" } else { "" };
        out.line(&[
            (Style::Bold, &format!("{number:>3}  ")),
            (Style::Cyan, &format!("{first:<width$}  ")),
            (Style::Plain, &row.text),
            (Style::Faint, &format!("{place}{jvm}{known}")),
        ])?;
    }
    Ok(())
}

/// The recording of a good version that was named.
fn reference(named: Option<&Path>, oracles: &[OracleSpec], settings: &Settings) -> Result<Option<Run>> {
    let by_oracle = oracles.iter().find_map(|oracle| match oracle {
        OracleSpec::Reference(path) => Some(path.as_path()),
        _ => None,
    });
    named.or(by_oracle).map(|dir| Run::open(dir, settings)).transpose()
}

impl Run {
    pub fn open(dir: &Path, settings: &Settings) -> Result<Run> {
        Run::open_by(dir, settings, opened::past)
    }

    /// As far as is needed to know what failed: of several JVMs those of which nobody said that nothing did.
    pub fn open_failed(dir: &Path, settings: &Settings) -> Result<Run> {
        let places = open::all(dir)?;
        let suspects: Vec<PathBuf> = places.iter().filter(|place| !green::is_known(place)).cloned().collect();
        let chosen = if suspects.is_empty() { places.clone() } else { suspects };
        Run::open_these(chosen, places.len(), settings)
    }

    /// Some of the recordings of a run, as far as is needed to know what failed.
    pub fn open_these(places: Vec<PathBuf>, all: usize, settings: &Settings) -> Result<Run> {
        Ok(Run { jvms: Run::opened(places, settings, opened::failed)?, all })
    }

    /// As far as is needed for a session.
    pub fn open_for(
        dir: &Path,
        typed: &SymptomArgs,
        output: Option<&str>,
        search: &SearchArgs,
        settings: &Settings,
    ) -> Result<Run> {
        match search.root.is_none() && output.is_none() && typed.request.is_none() {
            true => Run::open_failed(dir, settings),
            false => Run::open(dir, settings),
        }
    }

    fn open_by(dir: &Path, settings: &Settings, by: fn(Opened, &Settings) -> Result<Past>) -> Result<Run> {
        let places = open::all(dir)?;
        let all = places.len();
        Ok(Run { jvms: Run::opened(places, settings, by)?, all })
    }

    fn opened(
        places: Vec<PathBuf>,
        settings: &Settings,
        by: fn(Opened, &Settings) -> Result<Past>,
    ) -> Result<Vec<(PathBuf, Past)>> {
        let open = |place: PathBuf| -> Result<(PathBuf, Past)> {
            let past = by(open::as_it_is(place.clone()), settings)?;
            Ok((place, past))
        };
        places.into_iter().map(open).collect()
    }

    /// All symptoms, numbered from the most telling on. Those that the reference shows too are last, by their numbers all
    /// the same.
    pub fn listed(&self, reference: Option<&Run>) -> Vec<Listed> {
        let mut all = Vec::new();
        for (jvm, (_, past)) in self.jvms.iter().enumerate() {
            let found = session::symptoms(past).into_iter().enumerate();
            all.extend(found.map(|(at, symptom)| Listed {
                jvm,
                local: at + 1,
                number: 0,
                symptom,
                in_reference: false,
            }));
        }
        all.sort_by_key(|listed| (listed.symptom.rank(), listed.jvm, listed.local));
        for (at, listed) in all.iter_mut().enumerate() {
            listed.number = at + 1;
        }
        if let Some(reference) = reference {
            let known: Vec<(&Past, Vec<Symptom>)> =
                reference.jvms.iter().map(|(_, past)| (past, session::symptoms(past))).collect();
            for listed in &mut all {
                let past = &self.jvms[listed.jvm].1;
                let mut there = known.iter().flat_map(|(its, all)| all.iter().map(move |one| (its, one)));
                listed.in_reference = there.any(|(its, one)| listed.symptom.is_like(past, one, its));
            }
            all.sort_by_key(|listed| listed.in_reference);
        }
        all
    }

    fn row(&self, listed: &Listed) -> (SymptomRow, String) {
        let row = self.row_of(listed.jvm, Some(listed.number), &listed.symptom);
        (SymptomRow { in_reference: listed.in_reference, ..row.0 }, row.1)
    }

    fn row_of(&self, jvm: usize, number: Option<usize>, symptom: &Symptom) -> (SymptomRow, String) {
        let past = &self.jvms[jvm].1;
        let row = SymptomRow { jvm: self.jvm(jvm), ..SymptomRow::of(past, number, symptom) };
        (row, symptom_line(past, symptom))
    }

    /// The name of a JVM's folder, if there are several.
    pub fn jvm(&self, at: usize) -> Option<String> {
        let name = self.jvms[at].0.file_name().map(|name| name.to_string_lossy().into_owned());
        name.filter(|_| self.all > 1)
    }

    fn printed(&self, text: &str, limit: usize) -> Vec<(SymptomRow, String)> {
        let mut rows = Vec::new();
        for (jvm, (_, past)) in self.jvms.iter().enumerate() {
            let (lines, _) = session::printed_symptoms(past, text, limit.saturating_add(1));
            rows.extend(lines.iter().map(|symptom| self.row_of(jvm, None, symptom)));
        }
        rows
    }

    fn requests(&self) -> Vec<(SymptomRow, String)> {
        let mut rows = Vec::new();
        for (jvm, (_, past)) in self.jvms.iter().enumerate() {
            for request in session::requests(past) {
                rows.push(self.row_of(jvm, Some(rows.len() + 1), &request.symptom(past)));
            }
        }
        rows
    }

    /// What there is to do where nothing shows.
    fn nothing(&self, typed: &SymptomsArgs) -> String {
        if let Some(text) = &typed.output {
            return format!(
                "no line of output has `{text}` in it; `inquest find --output` lists what was printed"
            );
        }
        if typed.requests {
            return "no request of a server is recorded".to_owned();
        }
        let requests: usize = self.jvms.iter().map(|(_, past)| session::requests(past).len()).sum();
        let requests = match requests {
            0 => String::new(),
            count => format!(", --request N one of the {count} requests (--requests lists them)"),
        };
        format!(
            "nothing failed: no test, no uncaught exception, nothing that never ended. `inquest ask` begins at a call that \
             you name with --root CALL; --output TEXT names a line of output that is wrong{requests}"
        )
    }

    /// The recording that a session is to be about, and its symptom if that is not the first one there.
    pub fn choose(
        mut self,
        typed: &SymptomArgs,
        output: Option<&str>,
        search: &SearchArgs,
        settings: &Settings,
    ) -> Result<(PathBuf, Past, Option<NamedSymptom>)> {
        let (jvm, named) = self.chosen(typed, output, search, settings)?;
        let (place, past) = self.jvms.swap_remove(jvm);
        Ok((place, past, named))
    }

    fn chosen(
        &self,
        typed: &SymptomArgs,
        output: Option<&str>,
        search: &SearchArgs,
        settings: &Settings,
    ) -> Result<(usize, Option<NamedSymptom>)> {
        if let Some(number) = typed.symptom {
            let all = self.listed(None);
            let found = all.iter().find(|listed| listed.number == number);
            let Some(found) = found else {
                return Err(session::Error::NoSymptom { number, count: all.len() }.into());
            };
            return Ok((found.jvm, Some(NamedSymptom::Number(found.local))));
        }
        if let Some(text) = output {
            let has = |(_, past): &(PathBuf, Past)| !past.printed_lines(text, 1).0.is_empty();
            let Some(jvm) = self.jvms.iter().position(has) else {
                return Err(session::Error::NoOutput { text: text.to_owned() }.into());
            };
            return Ok((jvm, Some(NamedSymptom::Output(text.to_owned()))));
        }
        if let Some(number) = typed.request {
            let mut before = 0;
            for (jvm, (_, past)) in self.jvms.iter().enumerate() {
                let count = session::requests(past).len();
                if number > before && number <= before + count {
                    return Ok((jvm, Some(NamedSymptom::Request(number - before))));
                }
                before += count;
            }
            return Err(session::Error::NoRequest { number, count: before }.into());
        }
        if let Some(root) = &search.root {
            return Ok((self.with_call(root)?, None));
        }
        self.most_telling(&search.oracle, settings)
    }

    /// The JVM that has a call of this name.
    fn with_call(&self, root: &str) -> Result<usize> {
        let has = |at: &usize| self.jvms[*at].1.find_call(root).is_ok();
        let found: Vec<usize> = (0..self.jvms.len()).filter(has).collect();
        match found.as_slice() {
            [one] => Ok(*one),
            // What is wrong with the name is said by who looks for it.
            [] if self.jvms.len() == 1 => Ok(0),
            [] => {
                bail!("none of the {} JVMs of this run has a call {root}: {}", self.jvms.len(), self.names())
            }
            several => {
                bail!("{} JVMs of this run have a call {root}: name one of\n{}", several.len(), self.names())
            }
        }
    }

    /// The first symptom that the reference, if there is one, does not show too.
    fn most_telling(
        &self,
        oracles: &[OracleSpec],
        settings: &Settings,
    ) -> Result<(usize, Option<NamedSymptom>)> {
        let live = self.jvms.iter().any(|(_, past)| past.is_live());
        if self.jvms.len() == 1 && (live || oracles.is_empty()) {
            return Ok((0, None));
        }
        if self.jvms.len() == 1 && self.listed(None).len() < 2 {
            return Ok((0, None));
        }
        // What is wrong with the reference is said by the oracle that it is opened for.
        let reference = reference(None, oracles, settings).ok().flatten();
        let all = self.listed(reference.as_ref());
        if let Some(first) = all.first() {
            let named = (first.local != 1).then_some(NamedSymptom::Number(first.local));
            return Ok((first.jvm, named));
        }
        let own = |at: &usize| session::build_tool(&self.jvms[*at].1).is_none();
        let own: Vec<usize> = (0..self.jvms.len()).filter(own).collect();
        match own.as_slice() {
            [one] => Ok((*one, None)),
            _ if self.jvms.len() == 1 => Ok((0, None)),
            _ => bail!(
                "nothing failed in any of the {} JVMs of this run: say with --root CALL or --output TEXT what is wrong, or \
                 name one of\n{}",
                self.jvms.len(),
                self.names()
            ),
        }
    }

    fn names(&self) -> String {
        let names: Vec<String> =
            self.jvms.iter().map(|(place, _)| format!("  {}", place.display())).collect();
        names.join("\n")
    }
}
