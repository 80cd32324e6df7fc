//! The effect of rewriting on documents: every spelling, every cut, and the text that stays.

use std::sync::Arc;

use bytes::Bytes;
use proptest::prelude::*;
use url::Url;

use super::{Content, OriginRoot, Rewriter, RootNames, UrlMap};

const BASE: &str = "https://events.example.org";

fn root(url: &str) -> OriginRoot {
    OriginRoot::from_setting(&Url::parse(url).unwrap())
}

fn map(dialled: &str, advertised: Option<&str>) -> Arc<UrlMap> {
    let roots = [("/wp-json", ""), ("/de/wp-json", "/de")].map(|(public_path, language)| RootNames {
        public_path: public_path.to_owned(),
        dialled: root(&dialled.replace("LANG", language)),
        advertised: advertised.map(|url| root(&url.replace("LANG", language))),
    });
    Arc::new(UrlMap::new(&roots, "tribe/events/v1", "calendar/events/v1"))
}

fn site() -> Arc<UrlMap> {
    map("http://origin.exampleLANG/wp-json", None)
}

fn internal() -> Arc<UrlMap> {
    map(
        "http://10.0.0.5:8080LANG/wp-json",
        Some("https://www.site.exampleLANG/wp-json"),
    )
}

fn rewriter(map: &Arc<UrlMap>, content: Content) -> Rewriter {
    Rewriter::new(map, &Arc::from(BASE), 0, content)
}

fn whole(map: &Arc<UrlMap>, content: Content, text: &str) -> String {
    let out = rewriter(map, content).whole(Bytes::copy_from_slice(text.as_bytes()));
    String::from_utf8(out.to_vec()).unwrap()
}

fn in_pieces(map: &Arc<UrlMap>, text: &[u8], cuts: &[usize]) -> Vec<u8> {
    let mut rewriter = rewriter(map, Content::Description);
    let mut out = Vec::new();
    let mut start = 0;
    for end in cuts.iter().copied().chain([text.len()]) {
        let end = end.clamp(start, text.len());
        out.extend_from_slice(&rewriter.push(Bytes::copy_from_slice(&text[start..end])));
        start = end;
    }
    out.extend_from_slice(&rewriter.finish());
    out
}

#[track_caller]
fn assert_rewritten(map: &Arc<UrlMap>, cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        assert_eq!(whole(map, Content::Records, text), *expected, "{text}");
    }
}

#[test]
fn every_spelling_of_an_api_url_becomes_public_in_its_own_spelling() {
    assert_rewritten(
        &site(),
        &[
            (
                r#""http:\/\/origin.example\/wp-json\/tribe\/events\/v1\/events\/56""#,
                r#""https:\/\/events.example.org\/wp-json\/calendar\/events\/v1\/events\/56""#,
            ),
            (
                "http://origin.example/wp-json/tribe/events/v1",
                "https://events.example.org/wp-json/calendar/events/v1",
            ),
            (
                "https://origin.example/de/wp-json/tribe/events/v1?a=1",
                "https://events.example.org/de/wp-json/calendar/events/v1?a=1",
            ),
            (
                r#""{\"u\":\"http:\\\/\\\/origin.example\\\/wp-json\\\/tribe\\\/events\\\/v1\\\/\"}""#,
                r#""{\"u\":\"https:\\\/\\\/events.example.org\\\/wp-json\\\/calendar\\\/events\\\/v1\\\/\"}""#,
            ),
            (
                "?url=http%3A%2F%2Forigin.example%2Fwp-json%2Ftribe%2Fevents%2Fv1%2Fevents",
                "?url=https%3A%2F%2Fevents.example.org%2Fwp-json%2Fcalendar%2Fevents%2Fv1%2Fevents",
            ),
            (
                "?url=https%3a%2f%2forigin.example%2fwp-json%2ftribe%2fevents%2fv1&x",
                "?url=https%3a%2f%2fevents.example.org%2fwp-json%2fcalendar%2fevents%2fv1&x",
            ),
            (
                r"See http:\/\/origin.example\/wp-json\/tribe\/events\/v1.\nThen",
                r"See https:\/\/events.example.org\/wp-json\/calendar\/events\/v1.\nThen",
            ),
        ],
    );
}

#[test]
fn everything_else_stays() {
    let site = site();
    for text in [
        r"http:\/\/origin.example\/wp-json\/",
        r"http:\/\/origin.example\/wp-json\/wp\/v2\/tags\/10",
        r"http:\/\/origin.example\/event\/new-york-gala\/",
        r"http:\/\/origin.example\/wp-json\/tribe\/events\/v10\/events",
        r"http:\/\/origin.example\/wp-json\/tribe\/events\/v1-beta",
        r"http:\/\/origin.example\/wp-json\/tribe\/events\/v1.1",
        r"http:\/\/origin.example.evil\/wp-json\/tribe\/events\/v1\/",
        r"http:\/\/origin.example:8080\/wp-json\/tribe\/events\/v1\/",
        r"http:\/\/u@origin.example\/wp-json\/tribe\/events\/v1\/",
        r"http:\/\/other.example\/wp-json\/tribe\/events\/v1\/",
        r"http:/\/origin.example\/wp-json\/tribe\/events\/v1\/",
        r"http://origin.example/WP-JSON/tribe/events/v1/",
        r"origin.example?id=56, \/tribe\/events\/v1, httphttps:http",
        "http",
        "",
    ] {
        assert_eq!(whole(&site, Content::Records, text), text);
    }
}

#[test]
fn a_description_names_the_public_root() {
    let internal = internal();
    for (map, text, expected) in [
        (
            &site(),
            r#"{"up":[{"href":"http:\/\/origin.example\/wp-json\/"}]}"#,
            r#"{"up":[{"href":"https:\/\/events.example.org\/wp-json\/"}]}"#,
        ),
        (
            &internal,
            r#"["http://10.0.0.5:8080/de/wp-json/","https://www.site.example/wp-json/"]"#,
            r#"["https://events.example.org/de/wp-json/","https://events.example.org/wp-json/"]"#,
        ),
        (
            &site(),
            r#"["http:\/\/origin.example\/wp-json\/wp\/v2"]"#,
            r#"["http:\/\/origin.example\/wp-json\/wp\/v2"]"#,
        ),
    ] {
        assert_eq!(whole(map, Content::Description, text), expected);
        let cuts: Vec<usize> = (0..text.len()).collect();
        assert_eq!(in_pieces(map, text.as_bytes(), &cuts), expected.as_bytes());
    }
}

#[test]
fn a_document_without_origin_urls_is_not_copied() {
    let text = Bytes::from_static(br#"{"url":"https:\/\/other.example\/"}"#);
    let out = rewriter(&site(), Content::Records).push(text.clone());
    assert_eq!(out.as_ptr(), text.as_ptr());
    assert_eq!(out, text);
}

#[test]
fn the_dialled_address_is_seen_nowhere() {
    assert_rewritten(
        &internal(),
        &[
            (
                r"http:\/\/10.0.0.5:8080\/wp-json\/tribe\/events\/v1\/events",
                r"https:\/\/events.example.org\/wp-json\/calendar\/events\/v1\/events",
            ),
            (
                r"http:\/\/10.0.0.5\/wp-json\/tribe\/events\/v1\/, http:\/\/10.0.0.5\/x",
                r"https:\/\/events.example.org\/wp-json\/calendar\/events\/v1\/, http:\/\/10.0.0.5\/x",
            ),
            (
                r"https:\/\/www.site.example\/de\/wp-json\/tribe\/events\/v1\/events",
                r"https:\/\/events.example.org\/de\/wp-json\/calendar\/events\/v1\/events",
            ),
            (
                r"http:\/\/10.0.0.5:8080\/event\/gala\/, http%3A%2F%2F10.0.0.5%3A8080%2F",
                r"https:\/\/www.site.example\/event\/gala\/, https%3A%2F%2Fwww.site.example%2F",
            ),
            (
                r"http:\u002f\u002f10.0.0.5:8080\u002f, \/\/10.0.0.5:8080\/, \n10.0.0.5:8080",
                r"http:\u002f\u002fwww.site.example\u002f, \/\/www.site.example\/, \nwww.site.example",
            ),
            (
                r#""10.0.0.5:8080?id=5", 10.0.0.5:8080.\n10.0.0.5:8080: refused"#,
                r#""www.site.example?id=5", www.site.example.\nwww.site.example: refused"#,
            ),
            (
                "110.0.0.5:8080 10.0.0.5:80801 10.0.0.5:8080:1 a@10.0.0.5:8080",
                "110.0.0.5:8080 10.0.0.5:80801 10.0.0.5:8080:1 a@10.0.0.5:8080",
            ),
            (
                "http://www.site.example/x http://10.0.0.5:8080",
                "http://www.site.example/x https://www.site.example",
            ),
        ],
    );
}

#[test]
fn the_call_distinguishes_roots_that_share_an_address() {
    let shared = map("http://origin.example/wp-json", None);
    let text = Bytes::from_static(b"http://origin.example/wp-json/tribe/events/v1/events");
    let out = Rewriter::new(&shared, &Arc::from(BASE), 1, Content::Records).whole(text);
    assert_eq!(
        out,
        "https://events.example.org/de/wp-json/calendar/events/v1/events"
    );
}

/// The map keeps the name of the last response.
#[test]
fn no_answer_gets_the_name_of_another() {
    let map = map("http://origin.example/wp-json", None);
    let (calendar, plugin) = ("calendar/events/v1", "tribe/events/v1");
    let asked = [
        (0, "/wp-json", BASE, calendar),
        (0, "/wp-json", BASE, plugin),
        (1, "/de/wp-json", BASE, plugin),
        (1, "/de/wp-json", "http://10.1.1.1", plugin),
        (0, "/wp-json", "http://10.1.1.1", plugin),
        (0, "/wp-json", BASE, calendar),
    ];
    for ((root, path, base, namespace), slash) in
        asked.into_iter().flat_map(|asked| [(asked, "/"), (asked, r"\/")])
    {
        let text = "http://origin.example/wp-json/tribe/events/v1/events".replace('/', slash);
        let (base, namespace) = (Arc::from(base), Arc::from(namespace));
        let rewriter = Rewriter::in_namespace(&map, &base, &namespace, root, Content::Records);
        let expected = format!("{base}{path}/{namespace}/events").replace('/', slash);
        assert_eq!(rewriter.whole(Bytes::from(text)), expected);
    }
}

#[test]
fn descriptions_name_the_public_namespace() {
    let text = r#"{"namespace":"tribe\/events\/v1","routes":{"\/tribe\/events\/v1\/events":{"default":"tribe/events/v1"},"x":"the tribe\/events\/v1 name","tribe\/events\/v10":1}}"#;
    let renamed = r#"{"namespace":"calendar\/events\/v1","routes":{"\/calendar\/events\/v1\/events":{"default":"calendar/events/v1"},"x":"the tribe\/events\/v1 name","tribe\/events\/v10":1}}"#;
    assert_eq!(whole(&site(), Content::Description, text), renamed);
    assert_eq!(whole(&site(), Content::Records, text), text);
    assert_eq!(whole(&site(), Content::Description, renamed), renamed);
}

/// Text made of complete and broken pieces of everything that the rewriter searches for.
fn documents() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("http"),
        Just("s"),
        Just(r":\/\/"),
        Just("://"),
        Just("%3A%2F%2F"),
        Just("origin.example"),
        Just("10.0.0.5:8080"),
        Just(r"\/de\/wp-json\/tribe\/events\/v1"),
        Just("/wp-json/tribe/events/v1"),
        Just("%2Fwp-json%2Ftribe%2Fevents%2Fv1"),
        Just(r#""\/"#),
        Just(r"tribe\/events\/v1"),
        Just("\"tri"),
        Just("/"),
        Just("."),
        Just(":"),
        Just("1"),
        Just(r"\n"),
    ];
    prop::collection::vec(piece, 0..14).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn any_chunking_gives_the_same_bytes(text in documents(), cuts in prop::collection::vec(0_usize..200, 0..6)) {
        let mut cuts = cuts;
        cuts.sort_unstable();
        for map in [site(), internal()] {
            let expected = whole(&map, Content::Description, &text);
            let pieces = in_pieces(&map, text.as_bytes(), &cuts);
            prop_assert_eq!(String::from_utf8(pieces).unwrap(), expected.clone());
            let single: Vec<usize> = (0..text.len()).collect();
            prop_assert_eq!(in_pieces(&map, text.as_bytes(), &single), expected.into_bytes());
        }
    }

    #[test]
    fn rewriting_twice_changes_nothing_more(text in documents()) {
        let once = whole(&site(), Content::Description, &text);
        prop_assert_eq!(whole(&site(), Content::Description, &once), once);
    }

    #[test]
    fn bytes_of_any_kind_without_an_origin_url_stay(text in prop::collection::vec(any::<u8>(), 0..200)) {
        prop_assert_eq!(in_pieces(&site(), &text, &[3, 50]), text);
    }
}
