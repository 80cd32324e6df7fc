//! The schemes by which a caller authenticates.

use serde_json::{Value, json};

use calendar_edge_judge::contract::Operation;

/// The security scheme of application passwords.
const PASSWORD: &str = "applicationPassword";
/// The security scheme of session cookies.
const COOKIE: &str = "sessionCookie";
/// The security scheme of session nonces, which are used with cookies.
const NONCE: &str = "sessionNonce";

/// The schemes by name.
pub(super) fn schemes() -> Value {
    json!({
        PASSWORD: {
            "type": "http",
            "scheme": "basic",
            "description": "Login name or e-mail and an application password; the account's own password is refused.",
        },
        COOKIE: {
            "type": "apiKey",
            "in": "cookie",
            "name": "wordpress_logged_in",
            "description": "The cookie of a WordPress session, whose name ends in a hash of the site's address; counts \
                only with a nonce.",
        },
        NONCE: {
            "type": "apiKey",
            "in": "header",
            "name": "X-WP-Nonce",
            "description": "The nonce of a WordPress session.",
        },
    })
}

/// The schemes that an operation takes; reads work without any.
pub(super) fn of(operation: &Operation) -> Value {
    let session = json!({COOKIE: [], NONCE: []});
    if operation.is_write() {
        json!([{PASSWORD: []}, session])
    } else {
        json!([{}, {PASSWORD: []}, session])
    }
}
