//! A call with its URL, which is written once however often the call is sent.

use std::sync::{Arc, OnceLock};

use url::Url;

use super::address::{AddressFault, RootAddress};
use calendar_edge_judge::call::{CanonicalRequest, ForwardableCall};

/// A call that may be sent, with its URL once that is written.
#[derive(Debug)]
pub(crate) struct AddressedCall {
    call: ForwardableCall,
    url: WrittenUrl,
}

/// The URL of one call at the root that was asked first.
#[derive(Debug, Default)]
struct WrittenUrl(OnceLock<AddressedUrl>);

#[derive(Debug)]
struct AddressedUrl {
    root: Arc<RootAddress>,
    url: Url,
}

// === impl AddressedCall ===

impl AddressedCall {
    /// A call whose URL is not written yet.
    pub(crate) fn new(call: ForwardableCall) -> Self {
        Self {
            call,
            url: WrittenUrl::default(),
        }
    }

    /// The call.
    pub(crate) const fn call(&self) -> &ForwardableCall {
        &self.call
    }

    /// Its URL at `root`.
    pub(super) fn url_at(&self, root: &Arc<RootAddress>) -> Result<Url, AddressFault> {
        self.url.at(root, self.call.request())
    }
}

// === impl WrittenUrl ===

impl WrittenUrl {
    /// The URL of `call` at `root`. Another root, such as that of later settings, writes it anew.
    fn at(&self, root: &Arc<RootAddress>, call: &CanonicalRequest) -> Result<Url, AddressFault> {
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
    use calendar_edge_core::settings::Settings;
    use calendar_edge_judge::call::{CanonicalQuery, CanonicalRoute};
    use calendar_edge_judge::contract::{Kind, Route};

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
