//! The result of the login in a calendar call, as the site's response shows it.

use http::StatusCode;

/// The site's verdict on the credentials of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Login {
    /// A password or an account name was wrong: the site checks them.
    Wrong,
    /// Nothing proves that no password was wrong (T-98, T-111).
    Unproven,
    /// The call was not sent, or the site did not refuse it for its credentials.
    NotRefused,
    /// The site responded to a read. A site that ignores the credentials does so as well.
    Read,
    /// The site has written for the client, which it does for no stranger.
    Written,
}

/// The codes of WordPress for a password that it has compared, or an account that it has looked for.
const CHECKED: [&str; 3] = ["incorrect_password", "invalid_username", "invalid_email"];

// === impl Login ===

impl Login {
    /// Reads the verdict from a response: its status, which is unknown where it stands in an envelope that was not read
    /// whole, and the code of its error.
    pub fn shown_by(
        status: Option<StatusCode>,
        code: impl FnOnce() -> Option<String>,
        is_write: bool,
    ) -> Self {
        match status {
            None => Self::Unproven,
            Some(StatusCode::UNAUTHORIZED) => {
                let is_checked = code().is_some_and(|code| CHECKED.contains(&code.as_str()));
                if is_checked { Self::Wrong } else { Self::Unproven }
            }
            // The code that ran before it failed is not known (T-111).
            Some(status) if status.is_server_error() => Self::Unproven,
            Some(status) if !status.is_success() => Self::NotRefused,
            Some(_) if is_write => Self::Written,
            Some(_) => Self::Read,
        }
    }

    /// Returns true if a failed login stays charged.
    pub const fn is_charged(self) -> bool {
        matches!(self, Self::Wrong | Self::Unproven)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_response_that_proves_it_gives_a_charge_back() {
        for (status, code, is_write, expected) in [
            (None, "", false, Login::Unproven),
            (Some(401), "incorrect_password", false, Login::Wrong),
            (Some(401), "invalid_username", true, Login::Wrong),
            (Some(401), "rest_forbidden", false, Login::Unproven),
            (Some(403), "rest_forbidden", true, Login::NotRefused),
            (Some(404), "", false, Login::NotRefused),
            (Some(500), "", false, Login::Unproven),
            (Some(503), "", true, Login::Unproven),
            (Some(200), "", false, Login::Read),
            (Some(201), "", true, Login::Written),
        ] {
            let status = status.map(|status| StatusCode::from_u16(status).unwrap());
            let shown = Login::shown_by(status, || Some(code.to_owned()), is_write);
            assert_eq!(shown, expected, "{status:?} {code}");
            let is_charged = [Login::Wrong, Login::Unproven].contains(&expected);
            assert_eq!(shown.is_charged(), is_charged);
        }
    }
}
