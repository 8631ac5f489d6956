//! What is said about the tests of a build: `inquest test`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use super::dialogue::DialogueArgs;
use super::recording::RecordOptions;

/// Run a build, record its tests, and debug one that failed
///
/// The command is what you type anyway: mvn test, ./gradlew test, ant test, java -jar junit-platform-console-standalone.jar …. Its
/// input, output and exit code are its own. The JVMs that run tests are recorded, the build tool's own is not kept. At the end every
/// failed test stands with its message and with what debugs it; in a terminal you pick one and are asked about it at once.
///
/// Ctrl-C ends the build as always. What had not ended by then is what is wrong, and the recording is as good as any.
#[derive(Debug, Args)]
#[command(
    after_help = "Exit code: the command's own. Where nothing was recorded, its own if that is not 0, otherwise 2.

Example:
  inquest test -- mvn test
  inquest test -o red --keep failed -- ./gradlew test
  inquest test --until-fail 50 -- mvn test -Dtest=CacheTest
  inquest test --timeout 2m -- ant test
  inquest test --json -- java -jar junit-platform-console-standalone.jar -cp classes --scan-classpath"
)]
pub struct TestArgs {
    #[command(flatten)]
    pub record: RecordOptions,
    /// Run the command until a test fails, N times at most, and keep only that run
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub until_fail: Option<u32>,
    /// End what still runs after this time, e.g. 90s, 5m: what had not ended is what is wrong
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    pub timeout: Option<Duration>,
    /// Which JVMs' recordings to keep, if a test failed
    #[arg(long, value_enum, default_value_t = Keep::All)]
    pub keep: Keep,
    /// Debug this failure, by its number in the list, without asking which
    #[arg(long, value_name = "N", conflicts_with = "root")]
    pub symptom: Option<usize>,
    /// Only list what failed
    #[arg(long)]
    pub no_ask: bool,
    #[command(flatten)]
    pub dialogue: DialogueArgs,
    /// Where sources are: a folder, a file or an archive (repeatable)
    #[arg(long, value_name = "PATH")]
    pub source: Vec<PathBuf>,
    /// End with what failed as one line of JSON on stdout
    #[arg(long)]
    pub json: bool,
    /// The command that runs the tests, with its arguments
    #[arg(last = true, required = true, value_name = "CMD")]
    pub command: Vec<OsString>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Keep {
    /// Every JVM that ran tests
    All,
    /// Those in which something failed, and of the others what their tests say that passed
    Failed,
}

/// `90`, `90s`, `5m`, `1h`.
fn parse_time(text: &str) -> Result<Duration, String> {
    let (number, unit) = text.split_at(text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len()));
    let seconds = match unit {
        "" | "s" => 1,
        "m" | "min" => 60,
        "h" => 3600,
        _ => 0,
    };
    let time = number.parse::<u64>().ok().and_then(|number| number.checked_mul(seconds));
    match time.filter(|&time| time > 0 && time <= MOST_SECONDS) {
        Some(time) => Ok(Duration::from_secs(time)),
        None => Err("give a time from 1s on, as 90s, 5m or 1h".to_owned()),
    }
}

/// A month: nobody waits longer, and clocks can add it.
const MOST_SECONDS: u64 = 31 * 24 * 3600;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units() {
        for (text, seconds) in [("90", 90), ("90s", 90), ("5m", 300), ("2min", 120), ("1h", 3600)] {
            assert_eq!(parse_time(text), Ok(Duration::from_secs(seconds)), "{text}");
        }
        for bad in ["", "0", "s", "-1s", "1.5m", "5 m", "3d", "99999999999999999999h", "9999999h"] {
            assert!(parse_time(bad).is_err(), "{bad}");
        }
    }
}
