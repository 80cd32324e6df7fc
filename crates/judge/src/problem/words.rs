//! WordPress's sentences, in English or in the language of a site.

/// A sentence of WordPress's own refusals (backend.md section 3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, strum::VariantArray)]
pub enum Message {
    /// No route matches.
    NoRoute,
    /// The index was requested for an unknown namespace.
    InvalidNamespace,
    /// The `_jsonp` name is not a callback name.
    InvalidCallback,
    /// `_jsonp` is not offered.
    CallbackDisabled,
    /// The JSON body does not decode.
    InvalidJson,
    /// Required parameters are missing; names them.
    Missing,
    /// Parameters are invalid; names them.
    Invalid,
    /// A validate callback rejected one parameter.
    InvalidOne,
    /// One parameter is of the wrong type; names parameter and type.
    WrongType,
    /// The caller may not do this.
    Forbidden,
}

/// The sentences of one site. They depend on its language pack; a sentence that is not known is English.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Words(Vec<(Message, Box<str>)>);

/// Maximum bytes of a sentence.
const LONGEST: usize = 1000;

// === impl Message ===

impl Message {
    /// The sentence of an English site, with `%s` or `%1$s` where WordPress inserts a value.
    pub const fn english(self) -> &'static str {
        match self {
            Self::NoRoute => "No route was found matching the URL and request method.",
            Self::InvalidNamespace => "The specified namespace could not be found.",
            Self::InvalidCallback => "Invalid JSONP callback function.",
            Self::CallbackDisabled => "JSONP support is disabled on this site.",
            Self::InvalidJson => "Invalid JSON body passed.",
            Self::Missing => "Missing parameter(s): %s",
            Self::Invalid => "Invalid parameter(s): %s",
            Self::InvalidOne => "Invalid parameter.",
            Self::WrongType => "%1$s is not of type %2$s.",
            Self::Forbidden => "Sorry, you are not allowed to do that.",
        }
    }

    /// The number of values that WordPress inserts. A sentence without values does not pass through
    /// `sprintf`, so a percent sign in it is an ordinary character.
    pub const fn values(self) -> usize {
        match self {
            Self::Missing | Self::Invalid => 1,
            Self::WrongType => 2,
            Self::NoRoute
            | Self::InvalidNamespace
            | Self::InvalidCallback
            | Self::CallbackDisabled
            | Self::InvalidJson
            | Self::InvalidOne
            | Self::Forbidden => 0,
        }
    }
}

// === impl Words ===

impl Words {
    /// The sentences of an English site.
    pub const fn english() -> Self {
        Self(Vec::new())
    }

    /// Returns true if every sentence is English.
    pub const fn is_english(&self) -> bool {
        self.0.is_empty()
    }

    /// The sentences that are not English.
    pub(super) fn sentences(&self) -> impl Iterator<Item = (Message, &str)> {
        self.0.iter().map(|(message, text)| (*message, &**text))
    }

    /// Sets a sentence in the site's language: at most 1000 bytes without control characters and markup. The last call
    /// counts. False if the text does not have exactly the placeholders of the English sentence, each once, or is not a
    /// sentence.
    pub fn name(&mut self, message: Message, text: &str) -> bool {
        let is_foreign = |char: char| char.is_control() || matches!(char, '<' | '>');
        let is_sentence = (1..=LONGEST).contains(&text.len()) && !text.chars().any(is_foreign);
        let is_fit = is_sentence && filled(message, text, &[""; 2]).is_some();
        if is_fit {
            self.0.retain(|(known, _)| *known != message);
            self.0.push((message, text.into()));
        }
        is_fit
    }

    /// A sentence with its values inserted.
    pub(super) fn sentence(&self, message: Message, values: &[&str]) -> String {
        let named = self.0.iter().find(|(known, _)| *known == message);
        let text = named.map_or(message.english(), |(_, text)| text);
        filled(message, text, values).unwrap_or_default()
    }
}

/// A sentence with its values in place of the placeholders, as PHP's `sprintf` reads them: `%s` takes the next value,
/// `%%` is a percent sign. None unless each value has one placeholder, and each percent sign a meaning.
fn filled(message: Message, text: &str, values: &[&str]) -> Option<String> {
    if message.values() == 0 {
        return Some(text.to_owned());
    }
    let mut pieces = text.split('%');
    let mut said = String::with_capacity(text.len() + 32);
    said.push_str(pieces.next()?);
    let mut seen = [false; 2];
    let mut unnumbered = 0..;
    while let Some(piece) = pieces.next() {
        let (place, rest) = if piece.is_empty() {
            said.push('%');
            said.push_str(pieces.next()?);
            continue;
        } else if let Some(rest) = piece.strip_prefix('s') {
            (unnumbered.next()?, rest)
        } else if let Some(rest) = piece.strip_prefix("1$s") {
            (0, rest)
        } else {
            (1, piece.strip_prefix("2$s")?)
        };
        if place >= message.values() || std::mem::replace(seen.get_mut(place)?, true) {
            return None;
        }
        said.extend([values.get(place)?, rest]);
    }
    let placed = seen.into_iter().filter(|is_seen| *is_seen).count();
    (placed == message.values()).then_some(said)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speaks_english_by_default() {
        let words = Words::english();
        assert_eq!(
            words.sentence(Message::WrongType, &["featured", "boolean"]),
            "featured is not of type boolean."
        );
        assert_eq!(
            words.sentence(Message::Missing, &["title"]),
            "Missing parameter(s): title"
        );
    }

    #[test]
    fn inserts_values_where_the_language_needs_them() {
        let mut words = Words::english();
        let sentences = [
            (
                Message::Invalid,
                "Ungültige(r) Parameter: %s, 100 %%",
                "Ungültige(r) Parameter: a, 100 %",
            ),
            (Message::WrongType, "Kein %2$s: %1$s", "Kein b: a"),
            (Message::WrongType, "%s ist kein %s", "a ist kein b"),
            (Message::NoRoute, "Zu 100% keine Route", "Zu 100% keine Route"),
        ];
        for (message, text, said) in sentences {
            assert!(words.name(message, text), "{text}");
            assert_eq!(words.sentence(message, &["a", "b"]), said);
        }
    }

    #[test]
    fn refuses_sentences_that_lose_or_invent_a_value() {
        let mut words = Words::english();
        let sentences = [
            (Message::Missing, "Es fehlt etwas"),
            (Message::Missing, "Es fehlt %d"),
            (Message::Missing, "%s %s"),
            (Message::Missing, "%1$s %s"),
            (Message::WrongType, "%1$s %3$s"),
            (Message::WrongType, "nur %s"),
            (Message::Missing, "%"),
            (Message::Forbidden, ""),
            (Message::Forbidden, "Nein\n"),
            (Message::Forbidden, "<b>Nein</b>"),
        ];
        for (message, text) in sentences {
            assert!(!words.name(message, text), "{text}");
        }
        assert!(words.is_english());
    }

    proptest::proptest! {
        #[test]
        fn takes_any_text(text in ".{0,40}") {
            let mut words = Words::english();
            if words.name(Message::WrongType, &text) {
                let said = words.sentence(Message::WrongType, &["<one>", "<two>"]);
                proptest::prop_assert!(said.contains("<one>") && said.contains("<two>"));
            }
        }
    }
}
