//! Access to the admin listener from other machines.

use std::net::{IpAddr, Ipv4Addr, SocketAddr, UdpSocket};

use calendar_edge_core::settings::{AdminToken, ListenAddress};
use guards::skips::skipped;

use crate::support::{Answer, Directory, Edge, Origin, Reply};

const TOKEN: &str = "0123456789abcdef0123456789abcdef";

/// Pages that show nothing of the configuration and of single requests.
const PUBLIC: [&str; 7] = [
    "/metrics",
    "/status",
    "/cache",
    "/openapi.json",
    "/migration",
    "/readings",
    "/runbook",
];

/// The same; an edge without further backends has none.
const PUBLIC_ABSENT: [&str; 1] = ["/migration/report"];

/// Pages that do.
const GUARDED: [&str; 2] = ["/refusals", "/findings"];

/// Pages that do, of which the edge here has none.
const GUARDED_ABSENT: [&str; 1] = ["/refusals/x"];

#[test]
fn every_document_of_the_listener_is_in_a_list() {
    let mut seen = 0;
    for row in include_str!("../../../src/observe/admin/endpoints.rs").lines() {
        let Some((path, access)) = row
            .trim()
            .strip_prefix("GET \"")
            .and_then(|row| row.split_once("\", "))
        else {
            continue;
        };
        // With a name in it, which these tests make up.
        let path = path.replace("/ID", "/x").replace("/NAME", "");
        let listed = match access.split([' ', ';']).next() {
            Some("Unguarded") => [&PUBLIC[..], &PUBLIC_ABSENT].concat(),
            Some("Operators") => [&GUARDED[..], &GUARDED_ABSENT].concat(),
            _ => continue,
        };
        assert!(listed.contains(&path.as_str()), "{path} is in no list");
        seen += 1;
    }
    assert!(seen > 10, "the rows of endpoints are not read any more: {seen}");
}

/// An address of this machine that is not loopback; none where it has no other.
fn other_address() -> Option<IpAddr> {
    let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).ok()?;
    // Nothing is sent: this only chooses an interface.
    socket.connect((Ipv4Addr::new(192, 0, 2, 1), 9)).ok()?;
    let address = socket.local_addr().ok()?.ip();
    (!address.is_loopback() && !address.is_unspecified()).then_some(address)
}

/// An edge whose admin listener is reached over all interfaces, and its URL as seen from another machine.
async fn exposed(token: Option<&str>) -> Option<(Edge, String)> {
    let Some(address) = other_address() else {
        skipped("this machine has no address but loopback");
        return None;
    };
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = Edge::builder().origin(&origin).settings(|settings| {
        let everywhere = SocketAddr::from((Ipv4Addr::UNSPECIFIED, 0));
        settings.admin.listen = Some(ListenAddress::Tcp(everywhere));
        settings.admin.token = token.map(|token| AdminToken::new(token.as_bytes()).expect("long"));
    });
    let edge = edge.start().await;
    let port = edge.admin_base().rsplit(':').next()?.to_owned();
    Some((edge, format!("http://{address}:{port}")))
}

async fn ask(base: &str, path: &str, token: Option<&str>) -> Answer {
    let mut request = Edge::client().get(format!("{base}{path}"));
    if let Some(token) = token {
        request = request.bearer_auth(token);
    }
    Answer::to(request).await
}

#[tokio::test]
async fn without_a_token_others_see_what_tells_nothing_and_change_nothing() {
    let Some((_edge, base)) = exposed(None).await else {
        return;
    };
    for path in PUBLIC.into_iter().chain(["/livez", "/readyz"]) {
        assert_eq!(ask(&base, path, None).await.status, 200, "{path}");
    }
    for path in PUBLIC_ABSENT {
        assert_eq!(ask(&base, path, None).await.status, 404, "{path}");
    }
    for path in GUARDED.into_iter().chain(GUARDED_ABSENT) {
        let answer = ask(&base, path, Some(TOKEN)).await;
        assert_eq!(answer.status, 403, "{path}");
        assert_eq!(answer.json()["code"], "edge_admin_denied", "{path}");
    }
    let purge = Edge::client()
        .post(format!("{base}/purge"))
        .body(r#"{"all":true}"#);
    assert_eq!(Answer::to(purge).await.status, 403);
    for path in ["/migration/resume/x", "/explain"] {
        let order = Edge::client().post(format!("{base}{path}"));
        assert_eq!(Answer::to(order).await.json()["code"], "edge_operators_only");
    }
}

#[tokio::test]
async fn with_a_token_others_need_it_and_may_do_everything() {
    let Some((_edge, base)) = exposed(Some(TOKEN)).await else {
        return;
    };
    for path in ["/livez", "/readyz"] {
        assert_eq!(ask(&base, path, None).await.status, 200, "{path}");
    }
    let wrong = format!("{TOKEN}x");
    for path in PUBLIC
        .into_iter()
        .chain(GUARDED)
        .chain(GUARDED_ABSENT)
        .chain(["/nothing"])
    {
        for token in [None, Some(wrong.as_str()), Some("")] {
            let answer = ask(&base, path, token).await;
            assert_eq!(answer.status, 401, "{path} {token:?}");
            assert_eq!(
                answer.header("www-authenticate"),
                Some("Bearer realm=\"calendar-edge\"")
            );
            assert_eq!(answer.json()["code"], "edge_admin_unauthorized");
        }
    }
    for path in PUBLIC.into_iter().chain(GUARDED) {
        assert_eq!(ask(&base, path, Some(TOKEN)).await.status, 200, "{path}");
    }
    let purge = |token: Option<&str>| {
        let request = Edge::client().post(format!("{base}/purge"));
        let request = request.body(r#"{"all":true}"#);
        match token {
            Some(token) => Answer::to(request.bearer_auth(token)),
            None => Answer::to(request),
        }
    };
    assert_eq!(purge(None).await.status, 401);
    assert_eq!(purge(Some(TOKEN)).await.status, 200);
    let of_page = Edge::client().post(format!("{base}/purge")).bearer_auth(TOKEN);
    let of_page = of_page.header("origin", &base).body(r#"{"all":true}"#);
    assert_eq!(Answer::to(of_page).await.status, 403);
    // Those on this machine need none.
    let port = base.rsplit(':').next().expect("a port");
    let local = format!("http://127.0.0.1:{port}");
    for path in PUBLIC.into_iter().chain(GUARDED) {
        assert_eq!(ask(&local, path, None).await.status, 200, "{path}");
    }
}

#[tokio::test]
async fn commands_show_the_token_of_a_file() {
    let Some((_edge, base)) = exposed(Some(TOKEN)).await else {
        return;
    };
    let directory = Directory::new("token");
    let file = directory.write("token", &format!("{TOKEN}\n"));
    let file = file.to_str().expect("a name").to_owned();
    let run = |arguments: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_calendar-edge"));
        command.args(arguments).args(["--admin", &base]);
        let ended = tokio::task::spawn_blocking(move || command.output().expect("it runs"));
        async move { ended.await.expect("no panic") }
    };
    let refused = run(&["migration", "status"]).await;
    let told = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(
        !refused.status.success() && told.contains("edge_admin_unauthorized"),
        "{told}"
    );
    let token = ["--token-file", file.as_str()];
    for command in [&["purge", "--all"][..], &["migration", "status"]] {
        let arguments: Vec<&str> = command.iter().copied().chain(token).collect();
        let output = run(&arguments).await;
        assert!(output.status.success(), "{command:?}: {output:?}");
    }
}
