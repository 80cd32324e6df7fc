//! Every spelling of a closed route, script or page is closed, and the site gets none.

use super::{USERS, answer, site_behind, told};

const FORM: &str = "Content-Type: application/x-www-form-urlencoded";

/// Requests of which WordPress, or a server before it, could make one for users.
const OF_USERS: [&str; 30] = [
    "GET /wp-json/wp/v2/users",
    "GET /wp-json/wp/v2/users/",
    "GET /wp-json/wp/v2/users/7?context=edit",
    "HEAD /wp-json/wp/v2/users",
    "POST /wp-json/wp/v2/users",
    "OPTIONS /wp-json/wp/v2/users",
    "GET /wp-json/wp/v2/users/7/application-passwords",
    "GET /wp-json/WP/V2/Users",
    "GET /WP-JSON/wp/v2/users",
    "GET //wp-json//wp/v2//users",
    "GET /wp-json/wp/v2/%75sers",
    "GET /wp-json/wp/v2/%2575sers",
    "GET /wp%2Djson/wp%2Fv2%2Fusers",
    "GET /wp-json\\wp\\v2\\users",
    "GET /wp-json/wp/v2%5Cusers%0A",
    "GET /index.php/wp-json/wp/v2/users",
    "GET /index.php%2Fwp-json/wp/v2/users%3Fx",
    "GET /index-php/wp-json/wp/v2/users",
    "GET /wp-trackback.php/wp-json/wp/v2/users",
    "GET /fr/wp-json/wp/v2/users",
    "GET /network/site/wp-json/wp/v2/users",
    "GET /?rest_route=/wp/v2/users",
    "GET /?rest%5Froute=%2Fwp%2Fv2%2FUSERS%2F",
    "GET /about/?rest.route=//wp/v2/users",
    "GET /index.php?+rest_route=/wp/v2/users",
    "GET /wp-json/wp/v2/posts?rest_route=/wp/v2/users",
    "GET /?rest_route=/wp/v2/posts&rest_route=/wp/v2/users",
    "GET /index.php/wp/v2/users?rest_route=/",
    "GET /wp-json/wp/v2/users?_method=DELETE",
    "POST /wp-json/wp/v2/users | X-HTTP-Method-Override: GET",
];

/// The same in forms.
const IN_FORMS: [&str; 5] = [
    "rest_route=/wp/v2/users",
    "a=b&rest%5Froute=%2fwp%2fv2%2fusers",
    "rest.route=/WP/v2/users/7",
    "rest_route=/wp/v2/posts&rest_route=/wp/v2/users",
    "rest_route=wp%5Cv2%5Cusers",
];

/// Pages that show names of users.
const PAGES: [&str; 9] = [
    "GET /?author=1",
    "GET /about/?x=1&author=2",
    "GET /index.php?author=1",
    "GET /?%61uthor=1",
    "GET /?author[]=1",
    "GET /?author%5Bx%5D=1",
    "GET /wp-sitemap-users-1.xml",
    "GET /de/wp-sitemap%2Dusers-1.xml",
    "GET /?sitemap=users&paged=1",
];

#[tokio::test]
async fn every_spelling_of_a_route_is_closed() {
    let (origin, edge) = site_behind(USERS).await;
    for request in OF_USERS {
        let found = answer_of(&edge, request).await;
        assert_eq!(found, (401, "rest_forbidden".to_owned()), "{request}");
    }
    for form in IN_FORMS {
        for target in ["/", "/wp-json/wp/v2/posts", "/index.php?a=b"] {
            let request = format!("POST {target} | {FORM} | {form}");
            let found = told(&answer(&edge, &request).await);
            assert_eq!(found, (401, "rest_forbidden".to_owned()), "{request}");
        }
    }
    assert!(origin.seen().is_empty(), "{:?}", origin.seen());
}

/// As [`told`], for requests whose response may have no body.
async fn answer_of(edge: &crate::support::Edge, request: &str) -> (u16, String) {
    if request.starts_with("HEAD ") {
        let target = request.trim_start_matches("HEAD ");
        let answer = crate::support::Answer::to(edge.request(http::Method::HEAD, target)).await;
        return (answer.status.as_u16(), "rest_forbidden".to_owned());
    }
    told(&answer(edge, request).await)
}

#[tokio::test]
async fn every_spelling_of_a_page_is_closed() {
    let (origin, edge) = site_behind(USERS).await;
    for request in PAGES {
        let answer = answer(&edge, request).await;
        assert_eq!(told(&answer), (403, "page".to_owned()), "{request}");
        assert_eq!(answer.header("content-type"), Some("text/html; charset=UTF-8"));
        assert!(answer.body.contains("<h1>403 Forbidden</h1>"), "{}", answer.body);
    }
    let form = format!("POST / | {FORM} | a=b&author=1");
    assert_eq!(answer(&edge, &form).await.status, 403);
    assert!(origin.seen().is_empty());
}

/// Targets that look like a script and name no file: WordPress's `index.php` serves them.
const LIKE_SCRIPTS: [&str; 9] = [
    "GET /xmlrpc?rest_route=/wp/v2/users",
    "POST /xmlrpc?rest_route=/wp/v2/users",
    "GET /wp-login?rest_route=/wp/v2/users/7",
    "GET /WP-LOGIN.PHP?rest_route=/wp/v2/users",
    "GET /wp-login.php%5c?rest_route=/wp/v2/users",
    "GET /wp-login.php/?rest_route=/wp/v2/users",
    "GET //wp-login.php?rest%5Froute=/wp/v2/users",
    "GET /fr/xmlrpc.php?rest_route=/wp/v2/users",
    "GET /wp%2Dlogin.php?rest_route=/wp/v2/users",
];

#[tokio::test]
async fn t99_what_only_looks_like_a_script_hides_no_route() {
    let (origin, edge) = site_behind(USERS).await;
    for request in LIKE_SCRIPTS {
        let found = told(&answer(&edge, request).await);
        assert_eq!(found, (401, "rest_forbidden".to_owned()), "{request}");
    }
    for target in ["/xmlrpc", "/WP-LOGIN.php"] {
        let request = format!("POST {target} | {FORM} | rest_route=/wp/v2/users");
        let found = told(&answer(&edge, &request).await);
        assert_eq!(found, (401, "rest_forbidden".to_owned()), "{request}");
    }
    let page = answer(&edge, "GET /wp-login?author=1").await;
    assert_eq!(told(&page), (403, "page".to_owned()));
    assert!(origin.seen().is_empty(), "{:?}", origin.seen());
    assert_eq!(answer(&edge, "GET /wp-login.php?author=1").await.status, 200);
}

#[tokio::test]
async fn t100_what_cannot_be_read_to_its_end_is_refused_in_enforce() {
    let (origin, edge) = site_behind(USERS).await;
    let many = format!("GET /?{}rest_route=/wp/v2/users", "a=1&".repeat(1000));
    let large = format!("POST /about | {FORM} | content={}&author=1", "x".repeat(200_000));
    for request in ["GET /?rest_route[]=/wp/v2/users", &many, &large] {
        // The contradiction of two routes is refused without a rule.
        let found = answer(&edge, request).await;
        assert!(
            [400, 403].contains(&found.status),
            "{}: {found:?}",
            &request[..30]
        );
    }
    assert!(origin.seen().is_empty(), "{:?}", origin.seen());
}

#[tokio::test]
async fn every_spelling_of_a_script_is_closed() {
    let rule = "[[surface]]\nroutes = [\"xmlrpc\"]\ncallers = \"nobody\"\nmode = \"enforce\"\nanswer = \"not_found\"\n";
    let (origin, edge) = site_behind(rule).await;
    for request in [
        "POST /xmlrpc.php | <methodCall/>",
        "GET /xmlrpc.php?rsd",
        "POST //XMLRPC.php",
        "POST /blog/xmlrpc%2Ephp",
        "POST /xmlrpc.php/more",
        "POST /xmlrpc.php?rest_route=/wp/v2/posts",
        "POST /wp-json/xmlrpc.php",
    ] {
        let answer = answer(&edge, request).await;
        assert_eq!(told(&answer), (404, "page".to_owned()), "{request}");
    }
    assert!(origin.seen().is_empty());
}

#[tokio::test]
async fn other_presets_close_their_routes() {
    let rule = "[[surface]]\nroutes = [\"batch\", \"tec/v1\", \"tickets\", \"login\"]\ncallers = \"nobody\"\n\
                mode = \"enforce\"\nanswer = \"not_found\"\n";
    let (origin, edge) = site_behind(rule).await;
    for request in [
        "POST /wp-json/batch/v1 | {}",
        "POST /?rest_route=/batch/v1 | {}",
        "GET /wp-json/tec/v1/events",
        "GET /wp-json/tec/v1",
        "GET /wp-json/tribe/tickets/v1/attendees",
    ] {
        let found = told(&answer(&edge, request).await);
        assert_eq!(found, (404, "rest_no_route".to_owned()), "{request}");
    }
    assert_eq!(answer(&edge, "GET /wp-login.php").await.status, 404);
    assert!(origin.seen().is_empty());
}

#[tokio::test]
async fn what_no_rule_names_passes() {
    let (origin, edge) = site_behind(USERS).await;
    let passing = [
        "GET /",
        "GET /wp-json/",
        "GET /wp-json/wp/v2/posts?author=1",
        "GET /wp-json/wp/v2/posts",
        "GET /wp-admin/edit.php?author=1",
        "GET /?s=author",
        "GET /?author=",
        "GET /wp-sitemap-posts-post-1.xml",
        "GET /my-wp-json/wp/v2/users",
        "POST /xmlrpc.php | <methodCall/>",
        "POST /wp-login.php | Content-Type: application/x-www-form-urlencoded | log=a&pwd=b&author=1",
    ];
    for request in passing {
        assert_eq!(
            told(&answer(&edge, request).await),
            (200, "site".to_owned()),
            "{request}"
        );
    }
    assert_eq!(origin.seen().len(), passing.len());
}
