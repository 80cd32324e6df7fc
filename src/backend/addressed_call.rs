//! A call with its URL, which is written once however often the call is sent.

use std::sync::{Arc, OnceLock};

use url::Url;

use super::address::AddressFault;
use super::origin_route::OriginRoute;
use calendar_edge_judge::call::ForwardableCall;

/// A call that may be sent, with its URL on the way that was first needed.
#[derive(Debug)]
pub(crate) struct AddressedCall {
    /// The call.
    pub(crate) call: ForwardableCall,
    url: OnceLock<(Arc<OriginRoute>, Url)>,
}

// === impl AddressedCall ===

impl AddressedCall {
    /// A call whose URL is not written yet.
    pub(crate) const fn new(call: ForwardableCall) -> Self {
        let url = OnceLock::new();
        Self { call, url }
    }

    /// Its URL on the way to a root that has this namespace. Another way, such as that of later settings, writes it
    /// anew.
    pub(super) fn url_at(&self, root: &Arc<OriginRoute>, namespace: &str) -> Result<Url, AddressFault> {
        written_once(&self.url, root, || root.url_of(self.call.request(), namespace))
    }
}

/// The URL that was written for this root, or else the one that is written now.
fn written_once(
    written: &OnceLock<(Arc<OriginRoute>, Url)>,
    root: &Arc<OriginRoute>,
    write: impl FnOnce() -> Result<Url, AddressFault>,
) -> Result<Url, AddressFault> {
    if let Some((_, url)) = written.get().filter(|(known, _)| Arc::ptr_eq(known, root)) {
        return Ok(url.clone());
    }
    let url = write()?;
    written.get_or_init(|| (Arc::clone(root), url.clone()));
    Ok(url)
}

#[cfg(test)]
mod tests {
    use super::*;
    use calendar_edge_core::settings::Settings;

    #[test]
    fn another_root_writes_its_own_url() {
        let root = |url: &str| {
            let settings = Settings::for_origin(url.parse().unwrap());
            Arc::new(OriginRoute::of_root(&settings.origin, &settings.origin.url))
        };
        let written = OnceLock::new();
        for (site, times) in [("http://old.example", 2), ("http://new.example", 2)] {
            let root = root(&format!("{site}/wp-json"));
            for _ in 0..times {
                let url = written_once(&written, &root, || root.url_below("/events", Some("page=2")));
                assert_eq!(url.map(String::from), Ok(format!("{site}/wp-json/events?page=2")));
            }
        }
        let first = root("http://old.example/wp-json");
        let again = written_once(&written, &first, || first.url_below("/venues", None));
        assert_eq!(
            again.map(String::from),
            Ok("http://old.example/wp-json/venues".to_owned())
        );
    }
}
