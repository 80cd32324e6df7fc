//! The companion plugins as a subject: the roots that the settings name.

use url::Url;

use super::companions::Companions;
use crate::server::Subject;
use calendar_edge_core::settings::Settings;

impl Subject for Companions {
    /// Forgets the roots that are no longer configured.
    fn adapt(&self, settings: &Settings) {
        let is_configured = |url: &Url| settings.roots.iter().any(|root| root.origin_url == *url);
        self.sites().retain(|url, _| is_configured(url));
    }
}
