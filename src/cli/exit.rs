//! The exit statuses, and the only place where they become numbers.

use std::process::ExitCode;

/// How one input came out, and how a run ends. Later ones are worse.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Status {
    /// Passed or valid
    Passed,
    /// Could not be decided
    Undecided,
    /// Failed or invalid
    Failed,
    /// A usage error, or input that cannot be read
    Unusable,
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> ExitCode {
        ExitCode::from(match status {
            Status::Passed => 0,
            Status::Failed => 1,
            Status::Unusable => 2,
            Status::Undecided => 3,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Status::{Failed, Passed, Undecided, Unusable};

    #[test]
    fn the_worst_counts_in_the_order_2_1_3_0() {
        assert_eq!([Passed, Undecided].into_iter().max(), Some(Undecided));
        assert_eq!([Failed, Undecided].into_iter().max(), Some(Failed));
        assert_eq!([Failed, Unusable, Undecided].into_iter().max(), Some(Unusable));
    }
}
