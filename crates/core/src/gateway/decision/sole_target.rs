//! The requests about which nothing but their target decides.

use http::Method;
use http::request::Parts;

use super::decider::Decider;
use super::request_head::RequestHead;
use calendar_edge_judge::call::credentials::Credentials;

// === impl Decider ===

impl Decider {
    /// Path and query of an anonymous GET. If [`Decider::open`] finds a call there, nothing else of the request decides:
    /// every such request with the same text opens the same call and gets the same judgement, whatever its other headers,
    /// its client and its body are. `None` for all other requests, and where the strict profile compares hosts.
    ///
    /// It decides nothing about requests for the rest of the site, whose bodies may name a call.
    pub fn sole_target<'a>(&self, head: &RequestHead<'a>) -> Option<&'a str> {
        let Parts {
            method, uri, headers, ..
        } = head.parts;
        let decides = *method == Method::GET && !self.reads_hosts && Credentials::are_absent(headers);
        decides.then(|| uri.path_and_query().map_or("/", |target| target.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};

    use http::header::{HeaderName, HeaderValue};
    use http::{Request, Version};
    use proptest::prelude::*;
    use proptest::sample::select;

    use super::*;
    use crate::gateway::authority::{Addressed, Host, Scheme};
    use crate::gateway::decision::Opening;
    use crate::settings::{Mode, OtherTraffic, Profile, Settings};

    /// Headers that the edge or WordPress reads in some request, and others.
    const FIELDS: [(&str, &str); 24] = [
        ("authorization", "Basic YTpi"),
        ("cookie", "wordpress_logged_in_ab=u"),
        ("cookie", "a=b"),
        ("x-wp-nonce", "n"),
        ("content-type", "application/json"),
        ("content-type", "application/x-www-form-urlencoded"),
        ("content-encoding", "gzip"),
        ("content-length", "12"),
        ("transfer-encoding", "chunked"),
        ("expect", "100-continue"),
        ("origin", "https://app.example"),
        ("access-control-request-method", "POST"),
        ("access-control-request-headers", "x-wp-nonce"),
        ("x-http-method-override", "DELETE"),
        ("x-forwarded-for", "203.0.113.9"),
        ("x-forwarded-proto", "https"),
        ("forwarded", "for=203.0.113.9"),
        ("if-none-match", "\"a\""),
        ("if-match", "\"a\""),
        ("accept", "text/html"),
        ("accept-encoding", "br"),
        ("user-agent", "x"),
        ("range", "bytes=0-1"),
        ("x-request-id", "1"),
    ];

    const PATHS: [&str; 9] = [
        "/wp-json/tribe/events/v1/events",
        "/wp-json/tribe/events/v1/events/7",
        "/wp-json/tribe/events/v1/venues/",
        "/wp-json/tribe/events/v1/doc",
        "/wp-json/tribe/events/v1/nowhere",
        "/wp-json/",
        "/wp-json/wp/v2/posts",
        "/about",
        "/index.php/wp-json/tribe/events/v1/%65vents",
    ];

    const PAIRS: [&str; 14] = [
        "per_page=11",
        "page=2",
        "page=none",
        "search=caf%C3%A9",
        "start_date=2027-01-01",
        "status=draft",
        "unknown=1",
        "_jsonp=f",
        "_envelope=1",
        "_wpnonce=n",
        "_method=DELETE",
        "rest_route=/tribe/events/v1/events",
        "categories[]=1",
        "%zz",
    ];

    fn settings() -> impl Strategy<Value = Settings> {
        (0..6usize).prop_map(|which| {
            let mut settings = Settings::for_origin("http://127.0.0.1/wp-json".parse().expect("a URL"));
            settings.namespaces = vec!["tribe/events/v1".to_owned()];
            match which {
                1 => settings.mode = Mode::Report,
                2 => settings.mode = Mode::Off,
                3 => settings.other = OtherTraffic::Forward,
                4 => settings.profile = Profile::Strict,
                5 => settings.writers = vec!["192.0.2.0/24".to_owned()],
                _ => {}
            }
            settings
        })
    }

    prop_compose! {
        fn target()(path in select(&PATHS[..]), pairs in prop::collection::vec(select(&PAIRS[..]), 0..4)) -> String {
            if pairs.is_empty() { path.to_owned() } else { format!("{path}?{}", pairs.join("&")) }
        }
    }

    fn parts(
        method: &Method,
        target: &str,
        fields: &[(&'static str, &'static str)],
        version: Version,
    ) -> Parts {
        let request = Request::builder().method(method).uri(target).version(version);
        let (mut parts, ()) = request.body(()).expect("a request").into_parts();
        for (name, value) in fields {
            parts
                .headers
                .append(HeaderName::from_static(name), HeaderValue::from_static(value));
        }
        parts
    }

    /// The decision about a call that the head opens; `None` if it opens none.
    fn decided(
        decider: &Decider,
        parts: &Parts,
        client: Option<IpAddr>,
        host: Option<&Host>,
        body: &[u8],
    ) -> Option<String> {
        let addressed = Addressed {
            scheme: Scheme::Https,
            host,
            local: None,
        };
        let head = RequestHead {
            parts,
            client,
            addressed,
        };
        let is_call = matches!(decider.open(&head), Opening::Call(_));
        is_call.then(|| format!("{:?}", decider.decide(&head, body)))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]

        #[test]
        fn nothing_else_decides(
            settings in settings(),
            method in select(vec![Method::GET, Method::GET, Method::GET, Method::HEAD, Method::POST, Method::OPTIONS]),
            target in target(),
            fields in prop::collection::vec(select(&FIELDS[..]), 0..4),
            version in select(vec![Version::HTTP_10, Version::HTTP_11, Version::HTTP_2]),
            client in prop::option::of(any::<[u8; 4]>()),
            absolute in any::<bool>(),
            body in select(vec!["", "{\"a\":1}", "status=draft"]),
        ) {
            let decider = Decider::new(&settings);
            let client = client.map(|octets| IpAddr::V4(Ipv4Addr::from(octets)));
            let host = Host::named_by(&parts(&Method::GET, "/", &[("host", "events.example")], Version::HTTP_11)).expect("a host");
            let sent = if absolute { format!("http://other.example{target}") } else { target.clone() };
            let full = parts(&method, &sent, &fields, version);
            let head = RequestHead {
                parts: &full,
                client,
                addressed: Addressed { scheme: Scheme::Http, host: host.as_ref(), local: None },
            };
            let is_bare = method == Method::GET
                && settings.profile == Profile::Compatible
                && !fields.iter().any(|(name, _)| ["authorization", "cookie", "x-wp-nonce"].contains(name));
            prop_assert_eq!(decider.sole_target(&head).is_some(), is_bare);
            if let Some(sole) = decider.sole_target(&head) {
                prop_assert_eq!(sole, &target);
                let bare = parts(&Method::GET, sole, &[], Version::HTTP_11);
                prop_assert_eq!(
                    decided(&decider, &full, client, host.as_ref(), body.as_bytes()),
                    decided(&decider, &bare, None, None, b"")
                );
            }
        }
    }
}
