//! A judged call with its URL and its cache key, which are written once however often the call is sent.

use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use url::Url;

use super::address::AddressFault;
use super::origin_route::OriginRoute;
use calendar_edge_judge::call::ForwardableCall;

/// A call that may be forwarded, with what is written of it when it is first needed.
#[derive(Debug)]
pub(crate) struct JudgedCall {
    call: ForwardableCall,
    /// Its URL on the way that was first needed.
    url: OnceLock<(Arc<OriginRoute>, Url)>,
    /// The cache key of the site's response, where it depends on the call alone.
    key: OnceLock<Arc<str>>,
}

// === impl JudgedCall ===

impl JudgedCall {
    /// A call of which nothing is written yet.
    pub(crate) const fn new(call: ForwardableCall) -> Self {
        Self {
            call,
            url: OnceLock::new(),
            key: OnceLock::new(),
        }
    }

    /// The cache key, which is made at most once. It must depend on nothing but the call.
    pub(crate) fn key(&self, key: impl FnOnce() -> Arc<str>) -> Arc<str> {
        Arc::clone(self.key.get_or_init(key))
    }

    /// The name of the operation in metrics and logs.
    pub(crate) fn operation_name(&self) -> &'static str {
        self.operation()
            .map_or("none", |operation| operation.name.as_str())
    }

    /// Its URL on the way to a root that has this namespace. Another way, such as that of later settings, writes it
    /// anew.
    pub(super) fn url_at(&self, root: &Arc<OriginRoute>, namespace: &str) -> Result<Url, AddressFault> {
        written_once(&self.url, root, || root.url_of(self.call.request(), namespace))
    }
}

impl Deref for JudgedCall {
    type Target = ForwardableCall;

    fn deref(&self) -> &ForwardableCall {
        &self.call
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
