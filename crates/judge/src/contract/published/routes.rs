//! The routes of the plugin's second API, as a site publishes them.

use std::collections::BTreeMap;

use http::Method;
use serde_json::{Map, Value, json};

/// The namespace of the plugin's second API, which has the same records in another form.
pub const SECOND_NAMESPACE: &str = "tec/v1";

/// Maximum number of routes; the plugin has 8, and Pro and Event Tickets add some.
const MOST_ROUTES: usize = 256;

/// The routes of the plugin's second API with their methods. Its arguments are not among them: the plugin does not check
/// what it publishes of them.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct PublishedRoutes {
    /// The methods by pattern, as the site writes both.
    methods: BTreeMap<Box<str>, Vec<Box<str>>>,
}

/// One segment of a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Segment<'a> {
    Fixed(&'a str),
    Digits,
    Word,
    /// Any other expression, which may also match what follows.
    Unread,
}

// === impl PublishedRoutes ===

impl PublishedRoutes {
    /// Reads the document of `GET {root}/tec/v1`, or what [`Self::to_json`] wrote; none if it is not that.
    pub fn of_document(index: &Value) -> Option<Self> {
        let is_ours = index.get("namespace")?.as_str() == Some(SECOND_NAMESPACE);
        let routes = index.get("routes")?.as_object()?;
        let is_bounded = (1..=MOST_ROUTES).contains(&routes.len());
        let methods = |route: &Value| -> Option<Vec<_>> {
            let methods = route.get("methods")?.as_array()?.iter();
            methods.map(|method| method.as_str().map(Box::from)).collect()
        };
        let read = routes
            .iter()
            .map(|(pattern, route)| Some((pattern.as_str().into(), methods(route)?)));
        let methods = read.collect::<Option<_>>()?;
        (is_ours && is_bounded).then_some(Self { methods })
    }

    /// The routes in the form of an index.
    pub fn to_json(&self) -> Value {
        let routes = self.methods.iter();
        let routes = routes.map(|(pattern, methods)| (pattern.to_string(), json!({"methods": methods})));
        json!({"namespace": SECOND_NAMESPACE, "routes": routes.collect::<Map<_, _>>()})
    }

    /// Returns true if a route takes a method: HEAD is a GET, and OPTIONS describes any route. `route` has the form of
    /// [`SiteTarget::Route`](crate::routing::SiteTarget::Route). True as well where an expression of the site's is not
    /// understood.
    pub fn take(&self, method: &Method, route: &str) -> bool {
        let method = if method == Method::HEAD {
            "GET"
        } else {
            method.as_str()
        };
        let takes = |methods: &[Box<str>]| methods.iter().any(|known| **known == *method);
        let mut routes = self.methods.iter();
        method == "OPTIONS" || routes.any(|(pattern, methods)| takes(methods) && matches(pattern, route))
    }
}

fn matches(pattern: &str, route: &str) -> bool {
    let mut route = route.split('/');
    for segment in pattern.trim_start_matches('/').split('/').map(Segment::read) {
        let is_met = match (segment, route.next()) {
            (Segment::Unread, _) => return true,
            (_, None) => false,
            (Segment::Fixed(text), Some(found)) => found.eq_ignore_ascii_case(text),
            (Segment::Digits, Some(found)) => is_of(found, |byte| byte.is_ascii_digit()),
            (Segment::Word, Some(found)) => is_of(found, is_of_word),
        };
        if !is_met {
            return false;
        }
    }
    route.next().is_none()
}

fn is_of(found: &str, is_one: impl Fn(u8) -> bool) -> bool {
    !found.is_empty() && found.bytes().all(is_one)
}

const fn is_of_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

// === impl Segment ===

impl<'a> Segment<'a> {
    /// The plugin writes numbers and words of a path in one way each.
    fn read(text: &'a str) -> Self {
        let group = text.strip_prefix("(?P<").and_then(|group| group.split_once('>'));
        match group {
            Some((_, r"\d+)")) => Self::Digits,
            Some((_, "[a-zA-Z0-9_-]+)")) => Self::Word,
            None if text.bytes().all(is_of_word) => Self::Fixed(text),
            Some(_) | None => Self::Unread,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RECORDED: &str = include_str!("../../../../../fixtures/contract/second-index.json");

    fn document() -> Value {
        serde_json::from_str(RECORDED).expect("the fixture is JSON")
    }

    #[test]
    fn a_recorded_index_takes_what_the_site_took() {
        let routes = PublishedRoutes::of_document(&document()).expect("an index");
        let methods: usize = routes.methods.values().map(Vec::len).sum();
        assert_eq!((routes.methods.len(), methods), (8, 20));
        for (text, expected) in [
            ("GET tec/v1", true),
            ("HEAD tec/v1/events", true),
            ("POST tec/v1/events", true),
            ("PUT tec/v1/events", false),
            ("DELETE tec/v1/venues", false),
            ("GET tec/v1/events/7", true),
            ("PATCH tec/v1/organizers/7", true),
            ("POST tec/v1/events/7", false),
            ("GET tec/v1/events/abc", false),
            ("GET tec/v1/events/7/8", false),
            ("GET tec/v1/docs", true),
            ("GET tec/v1/nowhere", false),
            ("OPTIONS tec/v1/nowhere", true),
        ] {
            let (method, route) = text.split_once(' ').expect("a method and a route");
            let method = Method::from_bytes(method.as_bytes()).expect("a method");
            assert_eq!(routes.take(&method, route), expected, "{text}");
        }
        assert_eq!(PublishedRoutes::of_document(&routes.to_json()), Some(routes));
    }

    #[test]
    fn what_is_not_understood_is_taken() {
        let index = |pattern: &str| {
            let index = json!({"namespace": "tec/v1", "routes": {pattern: {"methods": ["GET"]}}});
            PublishedRoutes::of_document(&index).expect("an index")
        };
        for (pattern, route, expected) in [
            ("/tec/v1/x/(?P<slug>[a-zA-Z0-9_-]+)", "tec/v1/x/a-b_7", true),
            ("/tec/v1/x/(?P<slug>[a-zA-Z0-9_-]+)", "tec/v1/x/a.b", false),
            ("/tec/v1/x/(?P<path>[^/]+)/y", "tec/v1/x/a.b", true),
            ("/tec/v1/x(?:/y)?", "tec/v1/x", true),
            ("/tec/v1/X/y", "tec/v1/x/y", true),
            ("/tec/v1/x/y", "tec/v1/x", false),
        ] {
            assert_eq!(
                index(pattern).take(&Method::GET, route),
                expected,
                "{pattern} {route}"
            );
        }
    }

    #[test]
    fn what_is_no_index_says_nothing() {
        let after = |change: fn(&mut Value)| {
            let mut index = document();
            change(&mut index);
            PublishedRoutes::of_document(&index)
        };
        assert!(after(|_| ()).is_some());
        assert_eq!(after(|index| index["namespace"] = "wp/v2".into()), None);
        assert_eq!(after(|index| index["routes"] = json!([])), None);
        assert_eq!(after(|index| index["routes"] = json!({})), None);
        assert_eq!(after(|index| index["routes"]["/tec/v1/docs"] = json!({})), None);
        let many = |index: &mut Value| {
            let routes = index["routes"].as_object_mut().expect("routes");
            routes.extend((0..300).map(|number| (format!("/tec/v1/{number}"), json!({"methods": ["GET"]}))));
        };
        assert_eq!(after(many), None);
    }
}
