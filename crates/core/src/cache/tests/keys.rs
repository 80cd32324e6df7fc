//! The calls that share a kept response.

use proptest::prelude::*;

use calendar_edge_judge::contract::PluginVersion;

use super::*;

fn key(settings: &Settings, method: &str, target: &str) -> String {
    let call = forwardable(settings, &request(method, target, &[], ""));
    let judged = CachePolicy::new(settings).judge(&call).expect("a read");
    KeySpace::new(&settings.site()).key(judged.expect("a call for the cache"), REACHED)
}

#[test]
fn calls_that_the_site_cannot_tell_apart_share_a_key() {
    for (left, right) in [
        ("/events", "/events?page=1"),
        ("/events", "/events?status=publish"),
        ("/events", "/events?strict_dates=false"),
        ("/events", "/events?utm_source=x"),
        ("/events?per_page=5&page=2", "/events?page=2&per_page=5"),
        ("/events?page=2&page=3", "/events?page=3"),
        ("/events/56", "/events/0056"),
        ("/categories", "/categories?hide_empty=1&page=1"),
        ("/categories", "/categories?hide_empty=true"),
        ("/venues", "/venues?only_with_upcoming=false"),
    ] {
        let settings = settings();
        assert_eq!(
            key(&settings, "GET", left),
            key(&settings, "GET", right),
            "{left} {right}"
        );
        assert_eq!(key(&settings, "HEAD", left), key(&settings, "GET", left));
    }
}

#[test]
fn whatever_the_answer_depends_on_is_in_the_key() {
    let settings = settings();
    let targets = [
        "/",
        "/doc",
        "/events",
        "/venues",
        "/events/5",
        "/events/56",
        "/events/by-slug/a",
        "/events/by-slug/b",
        "/events?page=2",
        "/events?per_page=10",
        "/events?per_page=5",
        "/events?search=page%3D1",
        "/events?search=a",
        "/events?search=a%26page=2",
        "/categories?hide_empty=0",
        "/categories?hide_empty=false",
        "/events?_fields=id",
        "/events?lang=de",
        "/events?strict_dates=true",
        "/?context=view",
        "/?namespace=calendar/events/v1",
        "/events?include=1,2",
        "/events?include[]=1&include[]=2",
        "/venues?only_with_upcoming=1",
    ];
    let keys: Vec<String> = targets
        .iter()
        .map(|target| key(&settings, "GET", target))
        .collect();
    for (index, key) in keys.iter().enumerate() {
        let same = keys.iter().position(|other| other == key);
        assert_eq!(same, Some(index), "{} {}", targets[index], key);
    }
}

#[test]
fn answers_in_another_namespace_have_another_key() {
    let settings = settings();
    let call = get("/events");
    let of = |namespace| {
        let reached = ReachedBy { namespace, ..REACHED };
        KeySpace::new(&settings.site()).key(cacheable(&call), reached)
    };
    assert_eq!(of(None), of(Some("calendar/events/v1")));
    assert_ne!(of(None), of(Some("tribe/events/v1")));
}

#[test]
fn keys_name_the_site_and_the_public_address() {
    let of = |change: fn(&mut Settings)| {
        let mut settings = settings();
        change(&mut settings);
        key(&settings, "GET", "/events?per_page=5")
    };
    assert_eq!(
        of(|_| ()),
        "https://wp.example/wp-json tribe/events/v1 /wp-json/calendar/events/v1/events?per_page=5 http://localhost:8787"
    );
    let keys = [
        of(|_| ()),
        of(|settings| settings.public_url = Some("https://e.example".parse().unwrap())),
        of(|settings| settings.public_url = Some("https://f.example".parse().unwrap())),
        of(|settings| settings.roots[0].origin_url = "https://wp2.example/wp-json".parse().unwrap()),
        of(|settings| settings.origin.namespace = OriginNamespace::set("x/v1")),
        of(|settings| settings.origin.advertised_url = Some("https://a.example/wp-json".parse().unwrap())),
    ];
    for (index, key) in keys.iter().enumerate() {
        assert_eq!(keys.iter().position(|other| other == key), Some(index), "{key}");
    }
    let public = of(|settings| settings.public_url = Some("https://e.example".parse().unwrap()));
    assert!(!public.contains(BASE), "{public}");
}

proptest! {
    #[test]
    fn queries_with_other_arguments_have_other_keys(
        left in prop::collection::btree_map("search|lang|page|categories|_fields", "[1-9a-z]{1,3}", 0..4),
        right in prop::collection::btree_map("search|lang|page|categories|_fields", "[1-9a-z]{1,3}", 0..4),
    ) {
        let target = |query: &std::collections::BTreeMap<String, String>| {
            let pairs: Vec<String> = query
                .iter()
                .filter(|(name, value)| *name != "page" || value.parse::<u32>().is_ok())
                .map(|(name, value)| format!("{name}={value}"))
                .filter(|pair| pair != "page=1")
                .collect();
            format!("/events?{}", pairs.join("&"))
        };
        let (left, right) = (target(&left), target(&right));
        let settings = settings();
        let same = key(&settings, "GET", &left) == key(&settings, "GET", &right);
        prop_assert_eq!(same, left == right, "{} {}", left, right);
    }
}

#[test]
fn clients_of_two_contracts_share_nothing() {
    let as_the_site = settings();
    let mut older = settings();
    older.answers = Some(PluginVersion::SPECIFIED);
    assert_ne!(key(&as_the_site, "GET", "/events"), key(&older, "GET", "/events"));
}
