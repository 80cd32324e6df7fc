//! Writes of venues are answered as the site answers them, with numbers of the reserved block.

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{Answer, Calendar, copy, identity, serve, site};

const PASSWORD: &str = "sand boxs ecre tcal enda redg";

/// The members that name when a record was written.
const TIMES: [&str; 4] = ["date", "date_utc", "modified", "modified_utc"];

struct Pair {
    site: Calendar,
    service: Calendar,
    /// The number that the site gave the newest venue.
    given: u64,
}

// === impl Pair ===

impl Pair {
    /// The same write to both; the answers without numbers and times that each gives.
    async fn write(&mut self, account: (&str, u64, &str), method: Method, body: &Value) -> [Answer; 2] {
        let (login, id, role) = account;
        let target = |given: Option<u64>| given.map_or("venues".to_owned(), |id| format!("venues/{id}"));
        let of_new = method == Method::POST && self.given == 0;
        let (theirs, ours) = if of_new {
            (None, None)
        } else {
            (Some(self.given), Some(100_000))
        };
        let to_site = self.site.request(method.clone(), &target(theirs));
        let to_site = to_site.basic_auth(login, Some(PASSWORD));
        let to_site = to_site
            .header("content-type", "application/json")
            .body(body.to_string());
        let answered = self.site.answer(to_site).await;
        if of_new && answered.status == 201 {
            self.given = answered.body["id"].as_u64().expect("a number");
        }
        let (name, token) = identity(id, role);
        let to_service = self.service.request(method, &target(ours)).header(name, token);
        let own = self.service.answer(to_service.body(body.to_string())).await;
        [
            without_numbers(answered, self.given),
            without_numbers(own, 100_000),
        ]
    }
}

fn without_numbers(answer: Answer, number: u64) -> Answer {
    let text = answer.body.to_string().replace(&format!("={number}\""), "=N\"");
    let mut body: Value = serde_json::from_str(&text).expect("JSON");
    if body["id"] == number {
        body["id"] = "N".into();
    }
    if let Some(members) = body.as_object_mut() {
        for name in TIMES {
            let is_stamp = |value: &Value| value.as_str().is_some_and(|stamp| stamp.len() == 19);
            if members.get(name).is_some_and(is_stamp) {
                members.insert(name.to_owned(), "a time".into());
            }
        }
    }
    Answer { body, ..answer }
}

async fn pair() -> (calendar_edge_sandbox::Sandbox, Pair) {
    let (sandbox, site) = site().await;
    let service = serve(copy(&site).await, &site, Some(100_000..=100_002), None).await;
    (
        sandbox,
        Pair {
            site,
            service,
            given: 0,
        },
    )
}

#[tokio::test]
async fn a_venue_lives_as_at_the_site() {
    let (_sandbox, mut pair) = pair().await;
    let editor = ("demo", 1, "administrator");
    let contributor = ("contributor", 2, "contributor");
    let whole = json!({
        "venue": "The \"Old\" Hall & more", "description": "One.\n\nTwo & three", "address": "Kai 1", "city": "Lübeck",
        "phone": "1", "stateprovince": "SH", "show_map": "false", "website": "https://hall.example/",
    });
    for (account, method, body) in [
        (editor, Method::POST, json!({"venue": " "})),
        (editor, Method::POST, whole.clone()),
        (editor, Method::POST, json!({"phone": "2", "state": "Holstein"})),
        (
            contributor,
            Method::POST,
            json!({"city": "Kiel", "status": "publish"}),
        ),
        (contributor, Method::POST, json!({"zip": "1"})),
        (
            editor,
            Method::POST,
            json!({"status": "private", "venue": "Another name"}),
        ),
        (editor, Method::POST, json!({"venue": ""})),
        (editor, Method::DELETE, json!({})),
        (editor, Method::DELETE, json!({})),
        (editor, Method::POST, json!({"venue": "Back again"})),
        (
            ("subscriber", 3, "subscriber"),
            Method::POST,
            json!({"venue": "x"}),
        ),
    ] {
        let [theirs, ours] = pair.write(account, method.clone(), &body).await;
        assert_eq!(ours, theirs, "{method} {body}");
    }
    let request = pair.service.request(Method::DELETE, "venues/7");
    let anonymous = pair.service.answer(request).await;
    assert_eq!(
        (anonymous.status, anonymous.body["code"].as_str()),
        (401, Some("rest_forbidden"))
    );
}

#[tokio::test]
async fn numbers_end_with_the_block_and_writers_see_drafts() {
    let (_sandbox, pair) = pair().await;
    let editor = identity(1, "editor");
    let write = |body: Value| {
        let request = pair.service.request(Method::POST, "venues");
        pair.service
            .answer(request.header(&editor.0, &editor.1).body(body.to_string()))
    };
    let same = write(json!({"venue": "City Library", "city": "Lübeck"})).await;
    assert_eq!(
        (same.status, &same.body["id"]),
        (201, &json!(10)),
        "there is one with this name"
    );
    for (at, status) in ["draft", "publish", "publish"].iter().enumerate() {
        let made = write(json!({"venue": "Hall", "status": status, "zip": at.to_string()})).await;
        assert_eq!(made.body["id"], json!(100_000 + at), "{}", made.body);
    }
    assert_eq!(write(json!({"venue": "Full", "zip": "9"})).await.status, 507);
    assert_eq!(
        write(json!({"venue": "Café"})).await.status,
        507,
        "no slug is asked for before a number"
    );
    let total = |answer: Answer| answer.headers[0].clone();
    let request = pair
        .service
        .request(Method::GET, "venues")
        .header(&editor.0, &editor.1);
    assert_eq!(total(pair.service.answer(request).await).as_deref(), Some("8"));
    assert_eq!(total(pair.service.get("venues").await).as_deref(), Some("7"));
    let hidden = pair.service.get("venues/100000").await;
    assert_eq!(hidden.body["code"], "venue-not-accessible");
}
