//! No client gets the response of another.

use super::*;

const EVENT: &str = "/wp-json/calendar/events/v1/events/56";

/// A site whose responses depend on everything that distinguishes callers, and on the whole request.
async fn telling() -> Origin {
    Origin::answering(|seen| {
        let headers = ["authorization", "cookie", "x-wp-nonce"];
        let shown: Vec<&str> = headers
            .iter()
            .map(|name| seen.header(name).unwrap_or("-"))
            .collect();
        let text = format!("{} {}", seen.target, shown.join(" "));
        let text = serde_json::to_string(&text).expect("a text");
        if seen.target.contains("_jsonp=") {
            return Reply::of_type(
                200,
                "application/javascript",
                &format!("/**/f({{\"id\":56,\"title\":{text}}})"),
            );
        }
        Reply::json(200, &format!(r#"{{"id":56,"title":{text}}}"#))
    })
    .await
}

/// Numbers that look random and are the same in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }

    fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
        let sides = u64::try_from(of.len()).expect("a short list");
        of[usize::try_from(self.roll(sides)).expect("a small number")]
    }
}

const HEADERS: [(&str, &[&str]); 9] = [
    ("authorization", &["Basic YTpi", "Basic YzpkCg==", "Bearer x"]),
    (
        "cookie",
        &[
            "wordpress_logged_in_1=alice%7C1",
            "wordpress_logged_in_1=bob%7C1",
            "wordpress_sec_1=carol",
            "wp-postpass_1=secret",
            "theme=dark",
        ],
    ),
    ("x-wp-nonce", &["11", "22"]),
    ("user-agent", &["a", "b"]),
    ("x-forwarded-for", &["192.0.2.1"]),
    ("accept-language", &["de", "en"]),
    ("accept", &["application/json", "text/html"]),
    ("origin", &["https://a.example", "https://b.example"]),
    ("cache-control", &["no-cache", "only-if-cached"]),
];

const PARAMETERS: [&str; 12] = [
    "password=one",
    "password=two",
    "_wpnonce=33",
    "_jsonp=f",
    "_envelope=1",
    "%20_envelope=1",
    "lang=de",
    "_fields=id,title",
    "context=edit",
    "_locale=user",
    "_method=GET",
    "x=1",
];

#[tokio::test]
async fn no_mix_of_headers_and_parameters_leads_to_anothers_answer() {
    let origin = telling().await;
    let allow = |settings: &mut Settings| settings.allow_jsonp = true;
    let cached = edge(&origin, allow).await;
    let plain = Edge::builder().origin(&origin).settings(allow).start().await;
    let mut dice = Dice(7);
    let mut hits = 0;
    for _ in 0..600 {
        let mut parameters = Vec::new();
        while dice.roll(2) == 0 {
            parameters.push(dice.one(&PARAMETERS));
        }
        let target = format!("{EVENT}?{}", parameters.join("&"));
        let mut fields = Vec::new();
        while dice.roll(3) != 0 {
            let which = usize::try_from(dice.roll(9)).expect("a small number");
            let (name, values) = HEADERS[which];
            fields.push((name, dice.one(values)));
        }
        let mut answers = Vec::new();
        for edge in [&cached, &plain] {
            let mut request = edge.request(Method::GET, &target);
            for (name, value) in &fields {
                request = request.header(*name, *value);
            }
            answers.push(Answer::to(request).await);
        }
        let [cached, plain] = answers.try_into().expect("two answers");
        assert_eq!(cached.status, plain.status, "{target} {fields:?}");
        assert_eq!(cached.body, plain.body, "{target} {fields:?}");
        assert_eq!(
            cached.header("access-control-allow-origin"),
            plain.header("access-control-allow-origin"),
            "{target} {fields:?}"
        );
        let is_hit = cached
            .header("cache-status")
            .is_some_and(|status| status.contains("hit"));
        hits += u32::from(is_hit);
    }
    assert!(hits > 30, "{hits}");
}

#[tokio::test]
async fn what_the_site_calls_personal_is_not_kept() {
    for (name, value) in [
        ("set-cookie", "a=b"),
        ("cache-control", "private"),
        ("cache-control", "max-age=60, no-store"),
        ("vary", "User-Agent"),
    ] {
        let count = AtomicU64::new(0);
        let origin = Origin::answering(move |_| {
            let number = count.fetch_add(1, Ordering::SeqCst) + 1;
            numbered(number).header(name, value)
        })
        .await;
        let edge = lasting(&origin).await;
        for expected in ["1", "2"] {
            let answer = edge.get(EVENT).await;
            assert_eq!(answer.json()["title"], expected, "{name}: {value}");
            assert_eq!(cache_status(&answer), "fwd=uri-miss");
            assert_eq!(answer.header("set-cookie"), None);
        }
    }
}

#[tokio::test]
async fn calls_that_did_not_pass_the_rules_pass_by() {
    use calendar_edge_core::settings::Mode;

    const BYPASS: &str = "fwd=bypass; detail=not-validated";
    for (mode, path, first, second) in [
        (
            Mode::Report,
            "/events/56",
            "fwd=uri-miss; stored; ttl=3599",
            "hit; ttl=3599",
        ),
        (Mode::Report, "/events?per_page=0", BYPASS, BYPASS),
        (Mode::Report, "/events?utm_source=x", BYPASS, BYPASS),
        (Mode::Off, "/events/56", BYPASS, BYPASS),
    ] {
        let origin = counting().await;
        let edge = edge(&origin, |settings| {
            settings.mode = mode;
        })
        .await;
        for expected in [first, second] {
            let answer = edge.get(&format!("{API}{path}")).await;
            assert_eq!(cache_status(&answer), expected, "{mode:?} {path}");
        }
        assert_eq!(
            asked(&origin),
            if second == BYPASS { 2 } else { 1 },
            "{mode:?} {path}"
        );
    }
}

#[tokio::test]
async fn callers_with_credentials_neither_fill_nor_empty_the_cache() {
    let origin = counting().await;
    let edge = lasting(&origin).await;
    for (credentials, expected, status) in [
        (true, "1", "fwd=bypass; detail=authorization"),
        (false, "2", "fwd=uri-miss; stored; ttl=3599"),
        (true, "3", "fwd=bypass; detail=authorization"),
        (false, "2", "hit; ttl=3599"),
    ] {
        let mut request = edge.request(Method::GET, EVENT);
        if credentials {
            request = request.header("authorization", BASIC);
        }
        let answer = Answer::to(request).await;
        assert_eq!(answer.json()["title"], expected);
        assert_eq!(cache_status(&answer), status);
    }
}
