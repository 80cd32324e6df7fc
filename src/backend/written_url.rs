//! The URL of a call that is sent again and again, written once.

use std::sync::{Arc, OnceLock};

use url::Url;

use super::address::{AddressFault, RootAddress};
use calendar_edge_core::call::CanonicalRequest;

/// The URL of one call at the root that was asked first. It is kept beside the call, and used for no other one.
#[derive(Debug, Default)]
pub(crate) struct WrittenUrl(OnceLock<AddressedUrl>);

#[derive(Debug)]
struct AddressedUrl {
    root: Arc<RootAddress>,
    url: Url,
}

// === impl WrittenUrl ===

impl WrittenUrl {
    /// The URL of `call` at `root`. Another root, such as that of later settings, writes it anew.
    pub(super) fn at(&self, root: &Arc<RootAddress>, call: &CanonicalRequest) -> Result<Url, AddressFault> {
        let known = self.0.get().filter(|known| Arc::ptr_eq(&known.root, root));
        if let Some(known) = known {
            return Ok(known.url.clone());
        }
        let url = root.url_of(call)?;
        self.0.get_or_init(|| AddressedUrl {
            root: Arc::clone(root),
            url: url.clone(),
        });
        Ok(url)
    }
}

#[cfg(test)]
mod tests {
    use http::Method;

    use super::*;
    use crate::backend::OriginRoute;
    use calendar_edge_core::call::{CanonicalQuery, CanonicalRoute};
    use calendar_edge_core::contract::{Kind, Route};
    use calendar_edge_core::settings::Settings;

    #[test]
    fn another_root_writes_its_own_url() {
        let call = CanonicalRequest {
            root: 0,
            method: Method::GET,
            route: CanonicalRoute::new(Route::Collection(Kind::Event), None),
            query: CanonicalQuery::new(None, "page=2".to_owned()),
            body: None,
            nonce: None,
        };
        let root = |url: &str| {
            let settings = Settings::for_origin(url.parse().unwrap());
            let route = OriginRoute::of_root(&settings.origin, &settings.origin.url);
            Arc::new(RootAddress::new(route, "tribe/events/v1"))
        };
        let written = WrittenUrl::default();
        for (site, times) in [("http://old.example", 2), ("http://new.example", 2)] {
            let root = root(&format!("{site}/wp-json"));
            for _ in 0..times {
                let url = written.at(&root, &call).map(String::from);
                let expected = format!("{site}/wp-json/tribe/events/v1/events?page=2");
                assert_eq!(url, Ok(expected));
            }
        }
    }
}
