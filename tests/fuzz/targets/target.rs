//! Targets: a route that was found is found again in its canonical spelling, and `rest_route` never lies.

#![no_main]

use std::sync::LazyLock;

use calendar_edge_fuzz::{namespaced_settings, public_roots};
use calendar_edge_judge::contract::Route;
use calendar_edge_judge::routing::{Roots, RouteMatch, Target, canonical_slug};
use calendar_edge_judge::wordpress::payload::parse_form;
use calendar_edge_judge::wordpress::value::{Value, write_escaped};
use http::Method;
use http::uri::PathAndQuery;
use libfuzzer_sys::fuzz_target;

static ROOTS: LazyLock<Roots> = LazyLock::new(|| Roots::new(&namespaced_settings().policy()));

fuzz_target!(|text: &[u8]| {
    let Ok(sent) = PathAndQuery::try_from(text) else {
        return;
    };
    let Target::Calendar(target) = ROOTS.locate(&Method::GET, sent.path(), sent.query()) else {
        return;
    };
    assert_eq!(
        *target.query,
        parse_form(sent.query().unwrap_or_default().as_bytes())
    );
    if let Some(route) = target.query.get("rest_route") {
        let Value::String(route) = route else {
            panic!("a route that is no text leads nowhere");
        };
        let mut query = "rest_route=".to_owned();
        write_escaped(route, &mut query);
        let Target::Calendar(named) = ROOTS.locate(&Method::GET, "/", Some(&query)) else {
            panic!("the parameter names a calendar route");
        };
        assert_eq!(named.matched, target.matched);
    }
    let Some(matched) = target.matched else { return };
    let (route, canonical) = canonical(&matched);
    let path = format!("{}/tribe/events/v1{route}", public_roots()[target.root]);
    assert!(
        path.is_ascii() && !path.contains("//") && !path.split('/').any(|part| part == "." || part == "..")
    );
    let Target::Calendar(again) = ROOTS.locate(&Method::GET, &path, None) else {
        panic!("{path} leads to the calendar");
    };
    assert_eq!(again.root, target.root);
    let found = again.matched.expect("a route");
    assert_eq!(found.route, matched.route);
    assert_eq!(self::canonical(&found).1, canonical);
});

/// The path below the namespace, and what stands in its placeholder.
fn canonical(matched: &RouteMatch) -> (String, String) {
    let parameter = matched.parameter.as_deref();
    match matched.route {
        Route::Index | Route::Doc | Route::Collection(_) => {
            assert_eq!(parameter, None);
            let template = matched.route.template();
            (template, String::new())
        }
        Route::Item(_) => {
            let id = parameter.expect("an id");
            assert!(!id.is_empty() && id.iter().all(u8::is_ascii_digit));
            let id = String::from_utf8_lossy(id).into_owned();
            (matched.route.template().replace("{id}", &id), id)
        }
        Route::BySlug(_) => {
            let slug = parameter.expect("a slug");
            assert!(!slug.is_empty() && !slug.contains(&b'/'));
            let slug = canonical_slug(slug);
            (matched.route.template().replace("{slug}", &slug), slug)
        }
    }
}
