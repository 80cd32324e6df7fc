//! Tests of the rules about the rest of the site, by tables of requests.

use http::Method;

use super::{SeenBody, SurfaceRequest, SurfaceRules};
use crate::settings::{
    Mode, OtherTraffic, Settings, SurfaceCallers, SurfaceDefault, SurfacePattern, SurfaceRule,
};
use calendar_edge_judge::routing::Roots;

/// A rule that closes these patterns.
fn rule(name: &str, callers: SurfaceCallers, routes: &[&str]) -> SurfaceRule {
    let routes = routes
        .iter()
        .map(|text| SurfacePattern::parse(text).expect("a pattern"));
    SurfaceRule {
        name: name.to_owned(),
        routes: routes.collect(),
        callers,
        mode: Mode::Enforce,
        ..SurfaceRule::default()
    }
}

fn settings(surface: Vec<SurfaceRule>) -> Settings {
    let mut settings = Settings::for_origin("http://127.0.0.1/wp-json".parse().expect("a URL"));
    settings.other = OtherTraffic::Forward;
    settings.surface = surface;
    settings
}

/// The name of the rule that takes a request, with a mark if its caller does not pass.
fn taken(settings: &Settings, target: &str, fields: &[(&str, &str)]) -> Option<String> {
    let (method, target) = target.split_once(' ').expect("a method and a target");
    let head = http::Request::builder().method(method).uri(target);
    let head = fields
        .iter()
        .fold(head, |head, (name, value)| head.header(*name, *value));
    let (head, ()) = head.body(()).expect("a request").into_parts();
    let roots = Roots::new(&settings.policy());
    let rules = SurfaceRules::new(settings);
    let verdict = rules.judge(&SurfaceRequest::of(&roots, &head))?;
    let mark = if verdict.is_closed { "!" } else { "" };
    Some(format!("{}{mark}", verdict.rule.name))
}

#[test]
fn the_first_rule_that_takes_a_request_counts() {
    let mut reads = rule("reads", SurfaceCallers::Anybody, &["wp/v2/users/*"]);
    reads.methods = vec![Method::GET];
    let mut off = rule("off", SurfaceCallers::Anybody, &["*"]);
    off.mode = Mode::Off;
    let settings = settings(vec![
        off,
        reads,
        rule("users", SurfaceCallers::Nobody, &["users", "wp/v2/*"]),
    ]);
    for (target, expected) in [
        ("GET /wp-json/wp/v2/users/7", Some("reads")),
        ("HEAD /wp-json/wp/v2/users/7", Some("reads")),
        ("POST /wp-json/wp/v2/users/7", Some("users!")),
        ("GET /wp-json/wp/v2/users/7?_method=DELETE", Some("users!")),
        ("GET /wp-json/wp/v2/users/7?.method=delete", Some("users!")),
        ("POST /wp-json/wp/v2/users/7?_method=GET", Some("reads")),
        ("GET /wp-json/wp/v2/users", Some("users!")),
        ("GET /wp-json/wp/v2/posts", Some("users!")),
        ("GET /wp-json/wc/v3/orders", None),
        ("GET /wp-json/", None),
        ("GET /", None),
    ] {
        assert_eq!(taken(&settings, target, &[]).as_deref(), expected, "{target}");
    }
    for (name, expected) in [
        ("x-http-method-override", "users!"),
        // It does not go on to the site.
        ("X-HTTP-Method_Override", "reads"),
        ("x-http-method", "reads"),
    ] {
        let found = taken(&settings, "GET /wp-json/wp/v2/users/7", &[(name, "delete")]);
        assert_eq!(found.as_deref(), Some(expected), "{name}");
    }
}

#[test]
fn credentials_that_are_shown_pass() {
    let settings = settings(vec![rule("batch", SurfaceCallers::Credentials, &["batch"])]);
    for (name, value, expected) in [
        ("authorization", "Basic YTpi", "batch"),
        ("authorization", "bearer x", "batch"),
        ("authorization", "Digest x", "batch!"),
        ("cookie", "a=b; wordpress_logged_in_5f=x", "batch"),
        ("cookie", "wordpress_sec_5f=x", "batch"),
        ("cookie", "wordpress_test_cookie=x", "batch!"),
        ("x-wp-nonce", "x", "batch!"),
    ] {
        let found = taken(&settings, "POST /wp-json/batch/v1", &[(name, value)]);
        assert_eq!(found.as_deref(), Some(expected), "{name}: {value}");
    }
    let asked = [
        ("origin", "https://a.example"),
        ("access-control-request-method", "POST"),
    ];
    let found = taken(&settings, "OPTIONS /wp-json/batch/v1", &asked);
    assert_eq!(found.as_deref(), Some("batch"));
}

#[test]
fn t101_a_preflight_is_one_where_wordpress_takes_options_on_a_route() {
    let settings = settings(vec![rule(
        "door",
        SurfaceCallers::Credentials,
        &["users", "login"],
    )]);
    let asked = [
        ("origin", "https://a.example"),
        ("access-control-request-method", "GET"),
    ];
    let overridden = |name, value| [asked[0], asked[1], (name, value)];
    for (target, fields, expected) in [
        ("OPTIONS /wp-json/wp/v2/users", &asked[..], "door"),
        ("OPTIONS /wp-json/wp/v2/users", &asked[..1], "door!"),
        ("OPTIONS /wp-json/wp/v2/users?_method=GET", &asked, "door!"),
        ("OPTIONS /wp-json/wp/v2/users?%5Fmethod=get", &asked, "door!"),
        ("OPTIONS /?rest_route=/wp/v2/users&_method=POST", &asked, "door!"),
        (
            "OPTIONS /wp-json/wp/v2/users",
            &overridden("x-http-method-override", "GET"),
            "door!",
        ),
        (
            "OPTIONS /wp-json/wp/v2/users",
            &overridden("x_http_method-override", "GET"),
            "door",
        ),
        (
            "GET /wp-json/wp/v2/users",
            &overridden("x_http_method-override", "OPTIONS"),
            "door!",
        ),
        (
            "GET /wp-json/wp/v2/users",
            &overridden("x-http-method-override", "OPTIONS"),
            "door",
        ),
        ("GET /wp-json/wp/v2/users", &asked, "door!"),
        ("OPTIONS /?author=1", &asked, "door!"),
        ("OPTIONS /wp-sitemap-users-1.xml", &asked, "door!"),
        ("OPTIONS /wp-login.php", &asked, "door!"),
    ] {
        let found = taken(&settings, target, fields);
        assert_eq!(found.as_deref(), Some(expected), "{target} {fields:?}");
    }
}

#[test]
fn t99_every_reading_of_a_request_passes_the_rules() {
    let settings = settings(vec![
        rule("users", SurfaceCallers::Nobody, &["users"]),
        rule("login", SurfaceCallers::Anybody, &["login", "xmlrpc"]),
    ]);
    for (target, expected) in [
        ("GET /xmlrpc?rest_route=/wp/v2/users", Some("users!")),
        ("POST /xmlrpc?rest_route=/wp/v2/users", Some("users!")),
        ("GET /wp-login?rest_route=/wp/v2/users/7", Some("users!")),
        ("GET /WP-LOGIN.PHP?rest_route=/wp/v2/users", Some("users!")),
        ("GET /wp-login.php%5c?rest_route=/wp/v2/users", Some("users!")),
        ("GET /wp-login?author=1", Some("users!")),
        ("GET /wp-login.php?rest_route=/wp/v2/users", Some("login")),
        ("GET /wp-login.php?author=1", Some("login")),
        ("GET /wp-login?rest_route=/wp/v2/posts", Some("login")),
        ("GET /xmlrpc.php?rsd", Some("login")),
        ("GET /about", None),
    ] {
        assert_eq!(taken(&settings, target, &[]).as_deref(), expected, "{target}");
    }
}

#[test]
fn t100_what_cannot_be_read_is_refused_by_a_rule_that_has_to_read_it() {
    let unclear = "GET /?rest_route[]=/wp/v2/users";
    let enforced = rule("users", SurfaceCallers::Credentials, &["users"]);
    let mut reported = enforced.clone();
    reported.mode = Mode::Report;
    let mut posts = enforced.clone();
    posts.methods = vec![Method::POST];
    for (rule, expected) in [
        (enforced.clone(), Some("users!")),
        (reported, None),
        (posts, None),
        (rule("all", SurfaceCallers::Anybody, &["users"]), None),
        (rule("door", SurfaceCallers::Nobody, &["login"]), None),
    ] {
        let found = taken(&settings(vec![rule.clone()]), unclear, &[]);
        assert_eq!(found.as_deref(), expected, "{rule:?}");
    }
    let basic = [("authorization", "Basic YTpi")];
    assert_eq!(taken(&settings(vec![enforced]), unclear, &basic), None);
}

/// The body verdict about a form, by the name of the rule, with a mark if it refuses.
fn by_body(settings: &Settings, target: &str, body: &SeenBody) -> (Option<String>, bool) {
    let form = "application/x-www-form-urlencoded";
    let head = http::Request::post(target).header("content-type", form);
    let (head, ()) = head.body(()).expect("a request").into_parts();
    let roots = Roots::new(&settings.policy());
    let rules = SurfaceRules::new(settings);
    let found = rules.judge_body(&roots, &SurfaceRequest::of(&roots, &head), body);
    let shown = |verdict: super::SurfaceVerdict<'_>| {
        let mark = if verdict.is_refused() { "!" } else { "" };
        format!("{}{mark}", verdict.rule.name)
    };
    (found.verdict.map(shown), found.is_unclear)
}

#[test]
fn t100_a_body_over_the_bound_is_refused_where_a_rule_reads_variables() {
    let enforced = settings(vec![rule("users", SurfaceCallers::Nobody, &["users"])]);
    let mut reporting = rule("users", SurfaceCallers::Nobody, &["users"]);
    reporting.mode = Mode::Report;
    let reporting = settings(vec![reporting]);
    let begun = SeenBody::Begun("a=1".into());
    assert_eq!(
        by_body(&enforced, "/about", &begun),
        (Some("users!".to_owned()), false)
    );
    assert_eq!(by_body(&reporting, "/about", &begun), (None, true));
    let whole = SeenBody::Whole("a=1".into());
    assert_eq!(by_body(&enforced, "/about", &whole), (None, false));
}

#[test]
fn t99_a_call_at_what_is_no_file_is_a_form_as_well() {
    let settings = settings(vec![
        rule("users", SurfaceCallers::Nobody, &["users"]),
        rule("calls", SurfaceCallers::Anybody, &["xmlrpc-multicall"]),
    ]);
    let form = SeenBody::Whole("rest_route=/wp/v2/users".into());
    assert_eq!(by_body(&settings, "/xmlrpc", &form).0.as_deref(), Some("users!"));
    assert_eq!(
        by_body(&settings, "/xmlrpc.php", &form).0.as_deref(),
        Some("calls")
    );
}

#[test]
fn presets_take_scripts_and_pages() {
    let settings = settings(vec![
        rule("users", SurfaceCallers::Nobody, &["users"]),
        rule("xmlrpc", SurfaceCallers::Nobody, &["xmlrpc"]),
        rule("login", SurfaceCallers::Anybody, &["login"]),
    ]);
    for (target, expected) in [
        ("GET /?author=1", Some("users!")),
        ("GET /about/?a=1&author=2", Some("users!")),
        ("GET /index.php?author=1", Some("users!")),
        ("GET /?author[]=1", Some("users!")),
        ("GET /?%61uthor=1", Some("users!")),
        ("GET /?+author=1", Some("users!")),
        ("GET /?author=", None),
        ("GET /?author=0", None),
        ("GET /?s=author", None),
        ("GET /wp-admin/edit.php?author=1", None),
        ("GET /wp-sitemap-users-1.xml", Some("users!")),
        ("GET /de/wp-sitemap-users-12.xml/", Some("users!")),
        ("GET /index.php/WP-sitemap%2Dusers-1.xml", Some("users!")),
        ("GET /?sitemap=users&paged=1", Some("users!")),
        ("GET /?sitemap=posts", None),
        ("GET /wp-sitemap-posts-post-1.xml", None),
        ("POST /xmlrpc.php", Some("xmlrpc!")),
        ("GET /XMLRPC.php", Some("xmlrpc!")),
        ("POST /wp-login.php", Some("login")),
    ] {
        assert_eq!(taken(&settings, target, &[]).as_deref(), expected, "{target}");
    }
}

#[test]
fn calls_are_taken_unless_an_earlier_rule_took_the_script() {
    let calls = || rule("calls", SurfaceCallers::Anybody, &["xmlrpc-multicall"]);
    let script = || rule("script", SurfaceCallers::Anybody, &["xmlrpc"]);
    let head = http::Request::post("/xmlrpc.php")
        .body(())
        .expect("a request")
        .into_parts()
        .0;
    for (rules, called, expected) in [
        (vec![calls()], "system.multicall", Some("calls")),
        (vec![calls()], "pingback.ping", Some("calls")),
        (vec![calls()], "wp.getPosts", None),
        (vec![calls(), script()], "system.multicall", Some("calls")),
        (vec![script(), calls()], "system.multicall", None),
    ] {
        let settings = settings(rules);
        let request = SurfaceRequest::of(&Roots::new(&settings.policy()), &head);
        let rules = SurfaceRules::new(&settings);
        assert!(rules.read_calls(&request));
        let verdict = rules.judge_calls(&request, &[Some(called.to_owned())]);
        assert_eq!(
            verdict.map(|verdict| verdict.rule.name.as_str()),
            expected,
            "{called}"
        );
    }
}

#[test]
fn unknown_namespaces_are_those_that_nothing_names() {
    let mut settings = settings(vec![rule("orders", SurfaceCallers::Anybody, &["wc/v3/orders/*"])]);
    settings.surface_default = SurfaceDefault {
        unknown: Some(SurfaceCallers::Credentials),
        known: vec!["contact-form-7/v1".to_owned()],
        mode: Mode::Enforce,
    };
    for (target, expected) in [
        ("GET /wp-json/evil/v1/dump", Some("surface_default!")),
        ("GET /?rest_route=/EVIL/v1", Some("surface_default!")),
        ("GET /wp-json/wc/v2/orders", Some("surface_default!")),
        ("GET /wp-json/contact-form-7/v10", Some("surface_default!")),
        ("GET /wp-json/tec/v1/events", Some("surface_default!")),
        ("POST /wp-json/contact-form-7/v1/contact-forms/1/feedback", None),
        ("GET /wp-json/wc/v3/products", None),
        ("GET /wp-json/wc/v3/orders/1", Some("orders")),
        ("GET /wp-json/wp/v2/posts", None),
        ("GET /wp-json/oembed/1.0/embed", None),
        ("GET /wp-json/tribe/views/v2/html", None),
        ("GET /wp-json/", None),
        ("GET /about", None),
    ] {
        assert_eq!(taken(&settings, target, &[]).as_deref(), expected, "{target}");
    }
    settings.other = OtherTraffic::Refuse;
    assert!(SurfaceRules::new(&settings).are_unset());
}
