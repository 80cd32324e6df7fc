//! The result of a write as far as it is known when its response leaves, and the consequences for the stored responses
//! that it may have changed.

use http::StatusCode;

use super::written::refused_whole;

/// The result of a write as far as it is known when its response leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WriteEnd {
    /// It changed nothing.
    Unchanged,
    /// It is over.
    Over,
    /// The site may still be at it.
    Unknown,
}

/// The place at which the end of a write is seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WritePlace {
    /// In the task of the write, which runs to its end even if the client leaves.
    Task,
    /// Above the last deadline, where a response may leave while the write goes on.
    Client,
}

// === impl WriteEnd ===

impl WriteEnd {
    /// By the response of the site. An envelope that was not read hides the status: none. The body is none if it was not
    /// read.
    pub fn of_response(status: Option<StatusCode>, body: Option<&[u8]>) -> Self {
        if refused_whole(status.unwrap_or(StatusCode::OK), body) {
            Self::Unchanged
        } else {
            Self::Over
        }
    }

    /// Returns true if stored responses are removed.
    pub fn removes(self) -> bool {
        self != Self::Unchanged
    }

    /// Returns true if the other edges of a fleet get the message in this place. A write that is over was reported in
    /// its task.
    pub fn is_reported_in(self, place: WritePlace) -> bool {
        self.removes() && (place, self) != (WritePlace::Client, Self::Over)
    }

    /// Returns true if stored responses are removed once more when the site has certainly ended the write: a response
    /// that was read meanwhile may be older.
    pub fn removes_again(self) -> bool {
        self == Self::Unknown
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_response_ends_a_write_and_a_refusal_before_any_change_leaves_all_as_it_was() {
        for (status, expected) in [
            (Some(StatusCode::FORBIDDEN), WriteEnd::Unchanged),
            (Some(StatusCode::CREATED), WriteEnd::Over),
            (Some(StatusCode::INTERNAL_SERVER_ERROR), WriteEnd::Over),
            (None, WriteEnd::Over),
        ] {
            assert_eq!(WriteEnd::of_response(status, None), expected, "{status:?}");
        }
    }

    #[test]
    fn a_change_is_told_once_and_an_unknown_end_is_removed_twice() {
        use WritePlace::{Client, Task};
        for (end, removes, told, again) in [
            (WriteEnd::Unchanged, false, [false, false], false),
            (WriteEnd::Over, true, [true, false], false),
            (WriteEnd::Unknown, true, [true, true], true),
        ] {
            assert_eq!(end.removes(), removes, "{end:?}");
            assert_eq!(
                [Task, Client].map(|place| end.is_reported_in(place)),
                told,
                "{end:?}"
            );
            assert_eq!(end.removes_again(), again, "{end:?}");
        }
    }
}
