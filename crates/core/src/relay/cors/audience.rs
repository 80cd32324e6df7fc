//! The audience of a response.

use http::Method;

/// The client or clients that a response is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Audience {
    /// Every client without credentials.
    #[default]
    Public,
    /// The one client that sent an `Authorization`, a login cookie, a nonce or a password.
    OneClient,
}

// === impl Audience ===

impl Audience {
    /// Returns true if the response to this method is a read that is the same for every client.
    pub fn is_public(self, method: &Method) -> bool {
        [Method::GET, Method::HEAD, Method::OPTIONS].contains(method) && self == Self::Public
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_with_credentials_and_writes_are_personal() {
        let (public, one) = (Audience::Public, Audience::OneClient);
        assert!(public.is_public(&Method::HEAD));
        assert!(!one.is_public(&Method::GET));
        assert!(!public.is_public(&Method::DELETE));
    }
}
