//! The words in which WordPress refuses arguments, in English and in the language of a site.

use std::collections::HashMap;

pub(super) const NOT_OF_TYPE: &str = "%1$s is not of type %2$s.";
pub(super) const REASON_TITLED: &str = "%1$s is not a valid %2$s. Reason: %3$s";
pub(super) const REASON: &str = "%1$s does not match the expected format. Reason: %2$s";
pub(super) const NONE_OF_TITLES: &str = "%1$s is not a valid %2$l.";
pub(super) const NONE_MATCHES: &str = "%s does not match any of the expected formats.";
pub(super) const SEVERAL_TITLES: &str = "%1$s matches %2$l, but should match only one.";
pub(super) const SEVERAL_MATCH: &str = "%s matches more than one of the expected formats.";
pub(super) const NOT_THE_ONE: &str = "%1$s is not %2$s.";
pub(super) const NOT_IN_ENUM: &str = "%1$s is not one of %2$l.";
pub(super) const INVALID_COLOR: &str = "Invalid hex color.";
pub(super) const INVALID_DATE: &str = "Invalid date.";
pub(super) const INVALID_EMAIL: &str = "Invalid email address.";
pub(super) const INVALID_IP: &str = "%s is not a valid IP address.";
pub(super) const INVALID_UUID: &str = "%s is not a valid UUID.";
pub(super) const REQUIRED: &str = "%1$s is a required property of %2$s.";
pub(super) const FORBIDDEN: &str = "%1$s is not a valid property of Object.";
pub(super) const DUPLICATES: &str = "%s has duplicate items.";
pub(super) const NOT_MULTIPLE: &str = "%1$s must be a multiple of %2$s.";
pub(super) const GREATER: &str = "%1$s must be greater than %2$d";
pub(super) const AT_LEAST: &str = "%1$s must be greater than or equal to %2$d";
pub(super) const LESS: &str = "%1$s must be less than %2$d";
pub(super) const AT_MOST: &str = "%1$s must be less than or equal to %2$d";
pub(super) const BETWEEN_OPEN: &str = "%1$s must be between %2$d (exclusive) and %3$d (exclusive)";
pub(super) const BETWEEN_LEFT_OPEN: &str = "%1$s must be between %2$d (exclusive) and %3$d (inclusive)";
pub(super) const BETWEEN_RIGHT_OPEN: &str = "%1$s must be between %2$d (inclusive) and %3$d (exclusive)";
pub(super) const BETWEEN: &str = "%1$s must be between %2$d (inclusive) and %3$d (inclusive)";
pub(super) const NO_PATTERN: &str = "%1$s does not match pattern %2$s.";
pub(super) const MISSING: &str = "Missing parameter(s): %s";
pub(super) const INVALID: &str = "Invalid parameter(s): %s";
pub(super) const INVALID_JSON: &str = "Invalid JSON body passed.";

/// The sentences that a site translates.
pub const PHRASES: [&str; 30] = [
    NOT_OF_TYPE,
    REASON_TITLED,
    REASON,
    NONE_OF_TITLES,
    NONE_MATCHES,
    SEVERAL_TITLES,
    SEVERAL_MATCH,
    NOT_THE_ONE,
    NOT_IN_ENUM,
    INVALID_COLOR,
    INVALID_DATE,
    INVALID_EMAIL,
    INVALID_IP,
    INVALID_UUID,
    REQUIRED,
    FORBIDDEN,
    DUPLICATES,
    NOT_MULTIPLE,
    GREATER,
    AT_LEAST,
    LESS,
    AT_MOST,
    BETWEEN_OPEN,
    BETWEEN_LEFT_OPEN,
    BETWEEN_RIGHT_OPEN,
    BETWEEN,
    NO_PATTERN,
    MISSING,
    INVALID,
    INVALID_JSON,
];

/// A sentence that depends on a number: for one, and for others.
pub(super) type Plural = (&'static str, &'static str);

pub(super) const FEWEST_PROPERTIES: Plural = (
    "%1$s must contain at least %2$s property.",
    "%1$s must contain at least %2$s properties.",
);
pub(super) const MOST_PROPERTIES: Plural = (
    "%1$s must contain at most %2$s property.",
    "%1$s must contain at most %2$s properties.",
);
pub(super) const FEWEST_ITEMS: Plural = (
    "%1$s must contain at least %2$s item.",
    "%1$s must contain at least %2$s items.",
);
pub(super) const MOST_ITEMS: Plural = (
    "%1$s must contain at most %2$s item.",
    "%1$s must contain at most %2$s items.",
);
pub(super) const SHORTEST: Plural = (
    "%1$s must be at least %2$s character long.",
    "%1$s must be at least %2$s characters long.",
);
pub(super) const LONGEST: Plural = (
    "%1$s must be at most %2$s character long.",
    "%1$s must be at most %2$s characters long.",
);

/// The sentences with a number that a site translates: for one, and for others.
pub const PLURALS: [(&str, &str); 6] = [
    FEWEST_PROPERTIES,
    MOST_PROPERTIES,
    FEWEST_ITEMS,
    MOST_ITEMS,
    SHORTEST,
    LONGEST,
];

/// The words of a site. What it has not translated is said in English.
#[derive(Debug, Clone, Default)]
pub struct SiteWords {
    /// Translations by the English sentence.
    pub sentences: HashMap<Box<str>, Box<str>>,
    /// Translations of sentences with a number, by the English one in the singular and the number, which is written in
    /// the translation.
    pub counted: HashMap<(Box<str>, i64), Box<str>>,
    /// Between the items of a list: usually, before the last one, and between two.
    pub between: Option<[Box<str>; 3]>,
}

// === impl SiteWords ===

impl SiteWords {
    /// A sentence with its arguments.
    pub(super) fn say(&self, sentence: &str, arguments: &[&str]) -> String {
        let translated = self.sentences.get(sentence).map_or(sentence, |text| &**text);
        fill_in(translated, arguments)
    }

    /// A sentence about a number.
    pub(super) fn count(&self, sentence: Plural, param: &str, number: i64) -> String {
        let key = (Box::from(sentence.0), number);
        match self.counted.get(&key) {
            Some(translated) => fill_in(translated, &[param]),
            None if number == 1 => fill_in(sentence.0, &[param, "1"]),
            None => fill_in(sentence.1, &[param, &with_commas(number)]),
        }
    }

    /// A list, such as `a, b, and c`.
    pub(super) fn list(&self, items: &[String]) -> String {
        let between = self.between.as_ref();
        let [usual, last_of_many, of_two] = between.map_or([", ", ", and ", " and "], |between| {
            between.each_ref().map(|text| &**text)
        });
        match items {
            [] => String::new(),
            [one] => one.clone(),
            [one, two] => format!("{one}{of_two}{two}"),
            [first @ .., last] => format!("{}{last_of_many}{last}", first.join(usual)),
        }
    }
}

/// Puts arguments in the places of a text for PHP's `sprintf`. All of them are texts already.
fn fill_in(text: &str, arguments: &[&str]) -> String {
    let mut pieces = text.split('%');
    let mut filled = pieces.next().unwrap_or_default().to_owned();
    let mut next = 0;
    while let Some(piece) = pieces.next() {
        if piece.is_empty() {
            // `%%`: the text goes on behind the second one.
            filled.push('%');
            filled.push_str(pieces.next().unwrap_or_default());
            continue;
        }
        let numbered = piece
            .split_once('$')
            .and_then(|(number, rest)| Some((number.parse::<usize>().ok()?, rest)));
        let (place, rest) = numbered.unwrap_or_else(|| {
            next += 1;
            (next, piece)
        });
        let mut rest = rest.chars();
        rest.next();
        filled.push_str(arguments.get(place.wrapping_sub(1)).copied().unwrap_or_default());
        filled.push_str(rest.as_str());
    }
    filled
}

/// A number as WordPress writes it in English.
fn with_commas(number: i64) -> String {
    let digits = number.unsigned_abs().to_string();
    let mut written = String::from(if number < 0 { "-" } else { "" });
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            written.push(',');
        }
        written.push(digit);
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_take_their_arguments_in_any_order() {
        assert_eq!(
            fill_in("%2$s: %1$d, 100 %% of %s", &["a", "b"]),
            "b: a, 100 % of a"
        );
    }

    #[test]
    fn a_site_says_what_it_has_translated() {
        let mut words = SiteWords::default();
        assert_eq!(
            words.say(NOT_OF_TYPE, &["page", "integer"]),
            "page is not of type integer."
        );
        assert_eq!(
            words.count(MOST_ITEMS, "include", 1500),
            "include must contain at most 1,500 items."
        );
        words
            .sentences
            .insert(NOT_OF_TYPE.into(), "%1$s ist nicht vom Typ %2$s.".into());
        words.counted.insert(
            (MOST_ITEMS.0.into(), 1500),
            "%1$s darf höchstens 1.500 Elemente enthalten.".into(),
        );
        assert_eq!(
            words.say(NOT_OF_TYPE, &["page", "integer"]),
            "page ist nicht vom Typ integer."
        );
        assert_eq!(
            words.count(MOST_ITEMS, "include", 1500),
            "include darf höchstens 1.500 Elemente enthalten."
        );
        assert_eq!(
            words.count(MOST_ITEMS, "include", 1),
            "include must contain at most 1 item."
        );
    }

    #[test]
    fn lists_are_joined_as_wordpress_does() {
        let list = |count: usize| SiteWords::default().list(&["a", "b", "c"].map(str::to_owned)[..count]);
        assert_eq!(
            [list(0), list(1), list(2), list(3)],
            ["", "a", "a and b", "a, b, and c"]
        );
    }
}
