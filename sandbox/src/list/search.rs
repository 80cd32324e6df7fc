//! Text search as WordPress does it: every word somewhere, in any case.

/// The words of a `search` parameter.
#[derive(Debug)]
pub(super) struct Search {
    words: Vec<String>,
}

// === impl Search ===

impl Search {
    /// Reads a parameter; quotes hold a phrase together, a lone backslash looks for nothing.
    pub(super) fn new(text: &str) -> Self {
        let text = text.to_lowercase().replace('\\', "");
        let words: Vec<String> = match text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
            Some(phrase) => vec![phrase.to_owned()],
            None => text.split_whitespace().map(str::to_owned).collect(),
        };
        let blank = words.is_empty() && !text.is_empty();
        Self {
            words: if blank { vec![text] } else { words },
        }
    }

    /// Whether every word is in one of the texts.
    pub(super) fn finds(&self, texts: &[&str]) -> bool {
        let texts: Vec<String> = texts.iter().map(|text| text.to_lowercase()).collect();
        let found = |word: &String| texts.iter().any(|text| text.contains(word.as_str()));
        self.words.iter().all(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn needs_every_word_in_any_case() {
        let texts = ["Weekly Jam 1", "bring your own instrument"];
        for (search, found) in [
            ("weekly", true),
            ("JAM own", true),
            ("jam drums", false),
            ("\"weekly jam\"", true),
            ("\"jam weekly\"", false),
            (" ", true),
            ("\\", true),
        ] {
            assert_eq!(Search::new(search).finds(&texts), found, "{search}");
        }
        assert!(!Search::new(" ").finds(&["Leap"]));
    }
}
