//! A site, a service beside it, and their answers in a form that can be compared.

use std::net::{Ipv4Addr, SocketAddr};
use std::ops::RangeInclusive;
use std::sync::Arc;

use calendar_edge_core::companion::mark::{IDENTITY, SiteUser};
use calendar_edge_core::settings::MarkKey;
use calendar_edge_sandbox::Sandbox;
use calendar_example::api::{Settings, router};
use calendar_example::caller::Audience;
use calendar_example::follow::Follower;
use calendar_example::seal::Message;
use calendar_example::secret::{Secret, unix_time};
use calendar_example::site::Site;
use calendar_example::store::Store;
use reqwest::{Client, Method, RequestBuilder};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::mpsc::Sender;

pub(crate) const SECRET: &[u8] = b"a secret of thirty-two characters";

/// A calendar of the contract below a REST root.
#[derive(Debug, Clone)]
pub(crate) struct Calendar {
    pub(crate) root: String,
    pub(crate) namespace: &'static str,
    /// The REST root of WordPress as it prints it, in all answers.
    pub(crate) wordpress: String,
}

/// Status, headers and body.
#[derive(Debug, PartialEq)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: [Option<String>; 4],
    pub(crate) body: Value,
}

pub(crate) const fn loopback() -> SocketAddr {
    SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 0)
}

pub(crate) fn secret() -> Secret {
    Secret::new(SECRET).expect("long enough")
}

pub(crate) async fn site() -> (Sandbox, Calendar) {
    let sandbox = Sandbox::start(loopback()).await.expect("a socket");
    let root = sandbox.rest_root().to_string();
    let calendar = Calendar {
        wordpress: root.clone(),
        root,
        namespace: "tribe/events/v1",
    };
    (sandbox, calendar)
}

/// A store with all records of a site.
pub(crate) async fn copy(site: &Calendar) -> Arc<Store> {
    let store = Arc::new(Store::in_memory().expect("a database"));
    let site = Site::new(&site.root.parse().expect("a URL"), site.namespace, None);
    let copied = Follower::new(site, Arc::clone(&store), false).catch_up().await;
    copied.expect("a copy");
    store
}

/// A service beside a site, perhaps with numbers for venues that it writes.
pub(crate) async fn serve(
    store: Arc<Store>,
    site: &Calendar,
    venue_numbers: Option<RangeInclusive<u64>>,
    messages: Option<Sender<Message>>,
) -> Calendar {
    let listener = TcpListener::bind(loopback()).await.expect("a socket");
    let root = format!("http://{}/api", listener.local_addr().expect("bound"));
    let settings = Settings {
        zone: jiff::tz::TimeZone::get("Europe/Berlin").expect("a zone"),
        currency: "USD".to_owned(),
        pages: site.wordpress.trim_end_matches("/wp-json").to_owned(),
        audience: Some(Audience {
            name: "next".to_owned(),
            secret: secret(),
        }),
        venue_numbers,
    };
    let namespace = "calendar/events/v1";
    let url = root.parse().expect("a URL");
    let told = messages.map(|queue| (secret(), queue));
    let service = router(store, settings, (&url, namespace), told);
    tokio::spawn(async move { axum::serve(listener, service).await });
    Calendar {
        root,
        namespace,
        wordpress: site.wordpress.clone(),
    }
}

/// The header with the identity of an account, as the edge signs it.
pub(crate) fn identity(id: u64, role: &str) -> (String, String) {
    let account = json!({"id": id, "username": "a", "roles": [role]}).to_string();
    let account = SiteUser::of_answer(account.as_bytes()).expect("an account");
    let key = MarkKey::new(SECRET).expect("a key");
    let token = account.token(&key, "next", unix_time()).expect("a token");
    (IDENTITY.to_string(), token.to_str().expect("ASCII").to_owned())
}

// === impl Calendar ===

impl Calendar {
    pub(crate) fn request(&self, method: Method, target: &str) -> RequestBuilder {
        let url = format!("{}/{}/{target}", self.root, self.namespace);
        Client::new().request(method, url)
    }

    pub(crate) async fn get(&self, target: &str) -> Answer {
        self.answer(self.request(Method::GET, target)).await
    }

    /// The answer, with the same names for every calendar.
    pub(crate) async fn answer(&self, request: RequestBuilder) -> Answer {
        let response = request.send().await.expect("an answer");
        let header = |name: &str| {
            let value = response.headers().get(name)?.to_str().ok()?;
            Some(value.replace(&self.root, "ROOT"))
        };
        let headers = ["x-tec-total", "x-tec-totalpages", "allow", "link"].map(header);
        let status = response.status().as_u16();
        let text = response.text().await.expect("a body").replace(r"\/", "/");
        let api = format!("{}/{}", self.root, self.namespace);
        let text = text.replace(&api, "API").replace(&self.wordpress, "WORDPRESS");
        let text = text.replace(&self.root, "ROOT");
        let body = serde_json::from_str(&without_entities(&text)).expect("JSON");
        Answer {
            status,
            headers,
            body,
        }
    }
}

/// Text without entities that are numbers: WordPress hides the letters of addresses of e-mail at random.
fn without_entities(text: &str) -> String {
    let mut plain = String::new();
    let mut parts = text.split("&#");
    plain.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let (number, rest) = part.split_once(';').unwrap_or(("", part));
        plain.extend(number.parse().ok().and_then(char::from_u32));
        plain.push_str(rest);
    }
    plain
}
