//! The signature of a webhook's request, in the form of [Standard Webhooks](https://www.standardwebhooks.com).

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::{HeaderName, HeaderValue};
use ring::hmac;

use crate::settings::MarkKey;
use crate::settings::mark_text::sensitive;

/// Names the message: the same for each attempt to deliver it.
pub const WEBHOOK_ID: HeaderName = HeaderName::from_static("webhook-id");

/// The seconds since 1970 at which the attempt was signed.
pub const WEBHOOK_TIME: HeaderName = HeaderName::from_static("webhook-timestamp");

/// Carries the signature.
pub const WEBHOOK_SIGNATURE: HeaderName = HeaderName::from_static("webhook-signature");

/// `v1,` and the base64 of the HMAC-SHA256 of id, time and body, with dots between them.
pub fn webhook_signature(secret: &MarkKey, id: &str, unix_time: u64, body: &[u8]) -> HeaderValue {
    let mut signed = format!("{id}.{unix_time}.").into_bytes();
    signed.extend_from_slice(body);
    let signature = hmac::sign(secret.hmac(), &signed);
    sensitive(&format!("v1,{}", STANDARD.encode(signature)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_signature_is_the_one_that_others_compute() {
        let key = MarkKey::new(b"0123456789abcdef0123456789abcdef").unwrap();
        let signature = webhook_signature(&key, "msg_1", 1_614_265_330, b"{\"test\": 2432232314}");
        // Python: base64.b64encode(hmac.new(key, b"msg_1.1614265330." + body, "sha256").digest())
        assert_eq!(signature, "v1,aTF4+pE6A/FmvKM0YSVBBUfRhLIlBiaBUR+EjGls6Mc=");
        assert!(signature.is_sensitive());
    }
}
