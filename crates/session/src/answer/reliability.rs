//! How sure somebody is of an answer: a share of 1, kept in thousandths so that answers can be compared.

use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct Reliability(u16);

impl Reliability {
    /// Of who does not say: not enough to blame anybody.
    pub const UNSAID: Reliability = Reliability(900);

    /// None for what is no share of 1. Only what is 1 counts as such.
    pub fn new(share: f64) -> Option<Reliability> {
        (0.0..=1.0).contains(&share).then_some(Reliability((share * 1000.0) as u16))
    }

    pub fn share(self) -> f64 {
        f64::from(self.0) / 1000.0
    }

    /// Is it as good as a proof?
    pub fn is_full(self) -> bool {
        self.0 >= 1000
    }
}

impl From<Reliability> for f64 {
    fn from(reliability: Reliability) -> f64 {
        reliability.share()
    }
}

impl TryFrom<f64> for Reliability {
    type Error = &'static str;

    fn try_from(share: f64) -> Result<Reliability, &'static str> {
        Reliability::new(share).ok_or("no share of 1")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_one_is_full() {
        for (share, full) in [(0.0, false), (0.5, false), (0.9999, false), (1.0, true)] {
            assert_eq!(Reliability::new(share).map(Reliability::is_full), Some(full), "{share}");
        }
        for share in [-0.001, 1.001, f64::NAN, f64::INFINITY] {
            assert_eq!(Reliability::new(share), None, "{share}");
        }
        assert!(!Reliability::UNSAID.is_full());
    }
}
