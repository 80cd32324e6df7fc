//! The audience of a response.

use http::Method;

/// The client or clients that a response is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Audience {
    /// Every client without credentials.
    #[default]
    Everybody,
    /// The one client that sent an `Authorization`, a login cookie, a nonce or a password.
    OneClient,
}

/// The kind of response that a page wants to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Visibility {
    /// A read that is the same for everybody.
    Public,
    /// A write, or a response for one client.
    Personal,
}

// === impl Visibility ===

impl Visibility {
    /// The visibility of the response to a method.
    pub fn of(method: &Method, audience: Audience) -> Self {
        let reads = [Method::GET, Method::HEAD, Method::OPTIONS].contains(method);
        if reads && audience == Audience::Everybody {
            return Self::Public;
        }
        Self::Personal
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_with_credentials_and_writes_are_personal() {
        let (everybody, one) = (Audience::Everybody, Audience::OneClient);
        assert_eq!(Visibility::of(&Method::HEAD, everybody), Visibility::Public);
        assert_eq!(Visibility::of(&Method::GET, one), Visibility::Personal);
        assert_eq!(Visibility::of(&Method::DELETE, everybody), Visibility::Personal);
    }
}
