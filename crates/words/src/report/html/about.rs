//! How a report was made: of which run, by which command, and when.

use std::fmt::{self, Write};

use session::Session;

use super::{code, text};
use crate::dialogue::root_name;
use crate::symptom::symptom;

/// What a report says about itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct About {
    /// The recording's name.
    pub recording: String,
    /// What was run.
    pub command: Vec<String>,
    /// The call in which the search began, and why there.
    pub symptom: String,
    pub symptom_why: String,
    pub strategy: String,
    pub transforms: Vec<String>,
    /// Milliseconds since 1970.
    pub at: u64,
}

impl About {
    pub fn of(session: &Session, now: u64) -> About {
        let past = session.past();
        let name = past.path().file_name();
        About {
            recording: name.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default(),
            command: past.manifest().command.clone(),
            symptom: root_name(session),
            symptom_why: symptom(&session.symptom().why),
            strategy: session.options().strategy.to_string(),
            transforms: session.options().transforms.iter().map(ToString::to_string).collect(),
            at: now,
        }
    }
}

pub(super) fn write(out: &mut String, about: &About) -> fmt::Result {
    out.push_str("<h2>About this report</h2>\n<dl>\n");
    let transforms =
        if about.transforms.is_empty() { "none".to_owned() } else { about.transforms.join(", ") };
    let symptom = format!("{}, {}", code(&about.symptom), text(&about.symptom_why));
    for (name, value) in [
        ("recording", code(&about.recording)),
        ("command", code(&about.command.join(" "))),
        ("began at", symptom),
        ("strategy", text(&about.strategy)),
        ("transformations", text(&transforms)),
        ("made", date(about.at)),
    ] {
        writeln!(out, "<dt>{name}</dt><dd>{value}</dd>")?;
    }
    out.push_str("</dl>\n<footer>Made by Inquest.</footer>\n");
    Ok(())
}

/// `2026-11-16 10:31 UTC`
fn date(at: u64) -> String {
    let minutes = at / 60_000;
    let (days, minute) = (minutes / 1440, minutes % 1440);
    // Years that begin in March, so that a leap day is the last of its year; eras of 400 years.
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let of_year = day - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let of_month = of_year - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    let year = year + era * 400 + next;
    format!("{year:04}-{month:02}-{of_month:02} {:02}:{:02} UTC", minute / 60, minute % 60)
}

#[cfg(test)]
mod tests {
    use super::date;

    #[test]
    fn dates_are_those_of_the_calendar() {
        for (seconds, shown) in [
            (0, "1970-01-01 00:00 UTC"),
            (951_782_400, "2000-02-29 00:00 UTC"),
            (1_709_251_199, "2024-02-29 23:59 UTC"),
            (1_709_251_200, "2024-03-01 00:00 UTC"),
            (1_798_761_540, "2026-12-31 23:59 UTC"),
        ] {
            assert_eq!(date(seconds * 1000), shown);
        }
    }
}
