//! The sentences of a site, learnt from its own refusals of harmless requests.

use http::StatusCode;
use serde_json::{Map, Value};
use strum::VariantArray as _;

use super::words::{Message, Words};
use crate::contract::Schema;

/// Requests that WordPress refuses, each for another reason: path below a REST root, and query. `{api}` stands for the
/// namespace of the calendar. An anonymous GET of any of them changes nothing. The first one needs no plugin: its
/// sentence changes with the language of the site.
const PROBES: [(&str, Option<&str>); 7] = [
    ("calendar-edge-words", None),
    ("{api}", Some("namespace=calendar-edge-words")),
    ("{api}", Some("_jsonp=-")),
    ("{api}/events", Some("page=x")),
    // A boolean: WordPress looks at types when nothing else is invalid.
    ("{api}/events", Some("featured=x")),
    ("oembed/1.0/embed", None),
    ("wp/v2/settings", None),
];

/// Maximum size of a refusal: WordPress's own have some 300 bytes.
const MOST_BYTES: usize = 8 * 1024;

// === impl Words ===

impl Words {
    /// Path and query of the requests that teach the sentences of a site, for the namespace of its calendar.
    pub fn probes(namespace: &str) -> impl Iterator<Item = (String, Option<&'static str>)> {
        PROBES
            .into_iter()
            .map(move |(path, query)| (path.replace("{api}", namespace), query))
    }

    /// Takes the sentences of a response to one of the [probes](Self::probes). Whatever is no refusal of WordPress, or
    /// does not show what is a value in it, teaches nothing.
    pub fn read_response(&mut self, status: StatusCode, body: &[u8]) {
        if status.is_client_error() && body.len() <= MOST_BYTES {
            let refusal: Value = serde_json::from_slice(body).unwrap_or_default();
            let text = |name: &str| refusal.get(name).and_then(Value::as_str);
            if let (Some(code), Some(said)) = (text("code"), text("message")) {
                self.learn_from(code, said, refusal.get("data").unwrap_or(&Value::Null));
            }
        }
    }

    fn learn_from(&mut self, code: &str, said: &str, data: &Value) {
        match code {
            "rest_no_route" => self.learn(Message::NoRoute, said, &[]),
            "rest_invalid_namespace" => self.learn(Message::InvalidNamespace, said, &[]),
            "rest_callback_invalid" => self.learn(Message::InvalidCallback, said, &[]),
            "rest_forbidden" => self.learn(Message::Forbidden, said, &[]),
            "rest_missing_callback_param" => {
                let names = data.get("params").and_then(Value::as_array);
                let names: Vec<&str> = names.into_iter().flatten().filter_map(Value::as_str).collect();
                self.learn(Message::Missing, said, &[&names.join(", ")]);
            }
            "rest_invalid_param" => {
                if let Some(params) = data.get("params").and_then(Value::as_object) {
                    self.learn_invalid(said, params, data.get("details").unwrap_or(&Value::Null));
                }
            }
            _ => {}
        }
    }

    fn learn_invalid(&mut self, said: &str, params: &Map<String, Value>, details: &Value) {
        let names: Vec<&str> = params.keys().map(String::as_str).collect();
        self.learn(Message::Invalid, said, &[&names.join(", ")]);
        for (name, said) in params {
            let said = said.as_str().unwrap_or_default();
            match details
                .get(name)
                .map(|detail| detail.get("code").and_then(Value::as_str))
            {
                None => self.learn(Message::InvalidOne, said, &[]),
                Some(Some("rest_invalid_type")) => {
                    self.learn(Message::WrongType, said, &[name, Schema::Boolean.name()]);
                }
                Some(_) => {}
            }
        }
    }

    /// Takes a site's text of a message with these values. A text that is no sentence stays English.
    fn learn(&mut self, message: Message, said: &str, values: &[&str]) {
        if Self::english().sentence(message, values) != said
            && let Some(text) = template(said, values)
        {
            self.name(message, &text);
        }
    }

    /// Returns true if both refuse an unknown route in the same sentence, as the first probe does.
    pub fn begin_like(&self, other: &Self) -> bool {
        self.sentence(Message::NoRoute, &[]) == other.sentence(Message::NoRoute, &[])
    }

    /// The sentences that are not English, by the English ones.
    pub fn to_json(&self) -> Value {
        let sentences = self.sentences();
        sentences
            .map(|(message, text)| (message.english().to_owned(), Value::from(text)))
            .collect()
    }

    /// The reverse of [`Words::to_json`]; what is no sentence is English.
    pub fn from_json(json: &Value) -> Self {
        let mut words = Self::english();
        for &message in Message::VARIANTS {
            if let Some(text) = json.get(message.english()).and_then(Value::as_str) {
                words.name(message, text);
            }
        }
        words
    }
}

/// The sentence with a placeholder for each value; none unless each value is in it exactly once.
fn template(said: &str, values: &[&str]) -> Option<String> {
    if values.is_empty() {
        return Some(said.to_owned());
    }
    let mut text = said.replace('%', "%%");
    for (place, value) in (1..).zip(values) {
        if value.is_empty() || text.matches(value).count() != 1 {
            return None;
        }
        text = text.replacen(value, &format!("%{place}$s"), 1);
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heard(bodies: &[&str]) -> Words {
        let mut words = Words::english();
        for body in bodies {
            words.read_response(StatusCode::BAD_REQUEST, body.as_bytes());
        }
        words
    }

    /// As WordPress 6.9 refuses the probes, with German sentences.
    const GERMAN: [&str; 7] = [
        r#"{"code":"rest_no_route","message":"Es wurde keine Route gefunden.","data":{"status":404}}"#,
        r#"{"code":"rest_invalid_namespace","message":"Unbekannter Namensraum.","data":{"status":404}}"#,
        r#"{"code":"rest_callback_invalid","message":"Ung\u00fcltige JSONP-Funktion."}"#,
        r#"{"code":"rest_invalid_param","message":"Ung\u00fcltige(r) Parameter: page","data":{"status":400,"params":{"page":"Ung\u00fcltiger Parameter."},"details":[]}}"#,
        r#"{"code":"rest_invalid_param","message":"Ung\u00fcltige(r) Parameter: featured","data":{"status":400,"params":{"featured":"100 % boolean ist featured nicht."},"details":{"featured":{"code":"rest_invalid_type","message":"x","data":{"param":"featured"}}}}}"#,
        r#"{"code":"rest_missing_callback_param","message":"Es fehlt: url","data":{"status":400,"params":["url"]}}"#,
        r#"{"code":"rest_forbidden","message":"Das darfst du nicht.","data":{"status":401}}"#,
    ];

    #[test]
    fn a_site_teaches_each_sentence_by_a_refusal() {
        let words = heard(&GERMAN);
        let cases = [
            (Message::NoRoute, "Es wurde keine Route gefunden."),
            (Message::InvalidNamespace, "Unbekannter Namensraum."),
            (Message::InvalidCallback, "Ungültige JSONP-Funktion."),
            (Message::CallbackDisabled, Message::CallbackDisabled.english()),
            (Message::InvalidJson, Message::InvalidJson.english()),
            (Message::Missing, "Es fehlt: a"),
            (Message::Invalid, "Ungültige(r) Parameter: a"),
            (Message::InvalidOne, "Ungültiger Parameter."),
            (Message::WrongType, "100 % b ist a nicht."),
            (Message::Forbidden, "Das darfst du nicht."),
        ];
        assert_eq!(cases.map(|(message, _)| message), Message::VARIANTS);
        for (message, said) in cases {
            assert_eq!(words.sentence(message, &["a", "b"]), said);
        }
        assert_eq!(Words::from_json(&words.to_json()).to_json(), words.to_json());
        assert!(!words.begin_like(&Words::english()));
        assert!(words.begin_like(&heard(&GERMAN[..1])));
    }

    #[test]
    fn an_english_site_and_what_is_no_refusal_teach_nothing() {
        let long = format!(
            r#"{{"code":"rest_no_route","message":"a","x":"{}"}}"#,
            "x".repeat(MOST_BYTES)
        );
        for body in [
            r#"{"code":"rest_no_route","message":"No route was found matching the URL and request method."}"#,
            r#"{"code":"rest_missing_callback_param","message":"Missing parameter(s): url","data":{"params":["url"]}}"#,
            "<html>rest_no_route</html>",
            "[]",
            r#"{"code":"rest_no_route","message":["a"]}"#,
            r#"{"code":"rest_no_route","message":"a <b onclick=x>route</b>"}"#,
            r#"{"code":"rest_no_route","message":"two\nlines"}"#,
            r#"{"code":"rest_no_route","message":""}"#,
            r#"{"code":"rest_other","message":"Es wurde keine Route gefunden."}"#,
            r#"{"code":"rest_missing_callback_param","message":"Es fehlt etwas","data":{"params":["url"]}}"#,
            r#"{"code":"rest_missing_callback_param","message":"url oder url","data":{"params":["url"]}}"#,
            r#"{"code":"rest_missing_callback_param","message":"Es fehlt: url","data":{"params":[]}}"#,
            r#"{"code":"rest_missing_callback_param","message":"Es fehlt: url"}"#,
            r#"{"code":"rest_invalid_param","message":"page page","data":{"params":{"page":7},"details":[]}}"#,
            &long,
        ] {
            assert!(heard(&[body]).is_english(), "{body}");
        }
        let mut words = Words::english();
        words.read_response(StatusCode::OK, GERMAN[0].as_bytes());
        words.read_response(StatusCode::BAD_GATEWAY, GERMAN[0].as_bytes());
        assert!(words.is_english());
        assert!(Words::from_json(&serde_json::json!({"Invalid parameter.": 1, "x": "y"})).is_english());
    }
}
