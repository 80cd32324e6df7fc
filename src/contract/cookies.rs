//! The cookies by which WordPress knows a visitor (backend.md section 13).

/// A cookie that WordPress reads on REST requests; its name ends in a hash of the site's address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Cookie {
    /// Says who is logged in.
    LoggedIn,
    /// The session behind it, for sites with encrypted connections.
    Session,
    /// Opens posts with a password.
    PostPassword,
}

impl Cookie {
    /// The cookie of a name, or of a whole `name=value` pair.
    pub fn of(pair: &[u8]) -> Option<Self> {
        let beginnings: [(&[u8], Self); 3] = [
            (b"wordpress_logged_in_", Self::LoggedIn),
            (b"wordpress_sec_", Self::Session),
            (b"wp-postpass_", Self::PostPassword),
        ];
        let known = beginnings
            .into_iter()
            .find(|(beginning, _)| pair.starts_with(beginning));
        known.map(|(_, cookie)| cookie)
    }

    /// Whether it is part of a login.
    pub const fn is_login(self) -> bool {
        matches!(self, Self::LoggedIn | Self::Session)
    }
}

/// The pairs of a `Cookie` field's value, blanks around them dropped.
pub fn cookie_pairs(field: &[u8]) -> impl Iterator<Item = &[u8]> {
    field.split(|byte| *byte == b';').map(<[u8]>::trim_ascii)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_the_cookies_of_wordpress() {
        let found: Vec<Option<Cookie>> = cookie_pairs(
            b"a=1; wordpress_logged_in_5f=x;wordpress_sec_5f=y; wp-postpass_5f=z; wordpress_test_cookie=1",
        )
        .map(Cookie::of)
        .collect();
        let expected = [
            None,
            Some(Cookie::LoggedIn),
            Some(Cookie::Session),
            Some(Cookie::PostPassword),
            None,
        ];
        assert_eq!(found, expected);
    }
}
