//! The candidates: backends beside the site, as the configuration lists them.

use std::path::PathBuf;
use std::time::Duration;

use url::Url;

use crate::settings::keys::form::{NAMESPACE, REST_ROOT, plain_name};
use crate::settings::keys::group::settings_group;
use crate::settings::keys::listening_form::file_like;
use crate::settings::mark_key::MarkKey;
use crate::settings::origin::{
    BackendSoftware, DEFAULT_MAX_IN_FLIGHT, PRIMARY, unknown_origin, without_trailing_slash,
};
use calendar_edge_judge::contract::SPECIFIED_NAMESPACE;

const SOFTWARE: [(&str, BackendSoftware); 2] = [
    ("wordpress", BackendSoftware::WordPress),
    ("service", BackendSoftware::Service),
];
const POLICIES: [(&str, CredentialsPolicy); 3] = [
    ("withhold", CredentialsPolicy::Withhold),
    ("forward", CredentialsPolicy::Forward),
    ("identity", CredentialsPolicy::Identity),
];

settings_group! {
    /// A backend beside the site, by a name of up to 32 letters, digits, `-` and `_` other than `origin`. Each has its
    /// own connections, limits and breaker. Calls of clients reach it by `[[shadow]]` and `[[cutover]]`.
    #[derive(Debug, Clone)]
    pub struct CandidateSettings {
        /// The name of its table.
        pub name: String = String::new();
        /// The REST root of the backend. It serves the first REST root of the edge.
        pub url: Url = unknown_origin() => text(REST_ROOT), "required";
        /// `wordpress` is a site with the calendar plugin: `check` compares its index with the table, and responses
        /// with an error of PHP count as failures. `service` is any other software with the calendar API: each of its
        /// JSON errors is relayed.
        pub kind: BackendSoftware = BackendSoftware::Service => choice(SOFTWARE);
        /// The namespace of the calendar API below `url`.
        pub namespace: String = SPECIFIED_NAMESPACE.to_owned() => printed(NAMESPACE);
        /// The REST root that the backend prints in its responses, if it differs from `url`.
        pub advertised_url: Option<Url> = None => text(REST_ROOT), "learnt from its `Link` header";
        /// `withhold` sends no call with credentials to the backend, but see `credentialed` of `[[shadow]]`. `forward`
        /// sends them with their credentials, `identity` with the [account](candidate.md#identity) in their place.
        pub credentials: CredentialsPolicy = CredentialsPolicy::Withhold => choice(POLICIES);
        /// File with the secret of at least 32 bytes by which the backend verifies identities, not that of
        /// `origin.secret_file`. Required with `credentials = "identity"`.
        pub identity_secret_file: Option<PathBuf> = None => text(file_like(&["/etc/calendar-edge/next-secret"])),
            "none";
        /// The key of identities, made from that file.
        pub identity_key: Option<MarkKey> = None;
        /// The longest time for which the site's word about a caller holds.
        pub identity_lifetime: Duration = Duration::from_secs(10);
        /// Maximum number of concurrent calls, which the edges of a `[fleet]` divide by demand.
        pub max_in_flight: usize = DEFAULT_MAX_IN_FLIGHT => count(1..=10_000);
    }
}

/// The treatment of calls with credentials at a further backend.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CredentialsPolicy {
    /// They are not sent there.
    Withhold,
    /// They are sent there with their credentials.
    Forward,
    /// They are sent there without their credentials, and with the identity of the caller, which the edge signs.
    Identity,
}

// === impl CandidateSettings ===

impl CandidateSettings {
    /// The defaults for the REST root `url`.
    pub fn at(name: String, url: Url) -> Self {
        Self {
            name,
            url: without_trailing_slash(url),
            ..Self::default()
        }
    }

    /// Returns true for a name that a backend beside the site may have.
    pub fn is_name(text: &str) -> bool {
        text != PRIMARY && plain_name(text, 32, b"").is_ok()
    }
}
