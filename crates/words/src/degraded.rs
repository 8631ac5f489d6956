//! What of the program is recorded with less detail than the rest.

use trace::DegradedTo;

/// What of a class or method is not recorded, and why.
pub fn degraded(to: DegradedTo) -> &'static str {
    match to {
        DegradedTo::NoClass => "nothing of this class is recorded",
        DegradedTo::NoMethod => "not recorded",
        DegradedTo::Calls => "too large for full detail: only its calls are recorded",
    }
}
