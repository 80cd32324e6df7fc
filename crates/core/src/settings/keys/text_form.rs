//! The form of a text: how it is named, described and read.

use std::borrow::Cow;

/// The form of a text.
#[derive(Debug, Clone, Copy)]
pub struct TextSyntax {
    /// The type in the reference: `URL`.
    pub name: &'static str,
    /// A description of the form with its article, for messages.
    described: &'static str,
    /// Texts of this form; messages and the reference show them.
    pub examples: &'static [&'static str],
}

/// A syntax whose texts are read as values of a type.
pub(crate) struct TypedSyntax<V> {
    pub(super) text: TextSyntax,
    read: ReadText<V>,
}

/// Reads a text of a form.
pub(super) type ReadText<V> = fn(&str) -> Result<V, TextError>;

/// The reason why a text was rejected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TextError {
    /// It does not have the form.
    #[error("the text has another form")]
    Malformed,
    /// A user name or password in a URL would appear in logs.
    #[error("a URL must not contain a user name or a password")]
    Credentials,
    /// It has the form, and the setting cannot have the value for this reason.
    #[error("{0}")]
    Impossible(Cow<'static, str>),
}

// === impl TextSyntax ===

impl TextSyntax {
    /// The form in words and examples, for messages.
    pub fn described(&self) -> String {
        format!("{}, like {}", self.described, quoted(self.examples))
    }
}

// === impl TypedSyntax ===

impl<V> TypedSyntax<V> {
    /// A form by its name, its description with an article, and examples of it.
    pub(crate) const fn new(
        name: &'static str,
        described: &'static str,
        examples: &'static [&'static str],
        read: ReadText<V>,
    ) -> Self {
        let text = TextSyntax {
            name,
            described,
            examples,
        };
        Self { text, read }
    }

    /// The form and its reader.
    pub(super) fn into_parts(self) -> (TextSyntax, ReadText<V>) {
        (self.text, self.read)
    }

    /// The same form, read as another type.
    pub(super) const fn read_by<W>(&self, read: ReadText<W>) -> TypedSyntax<W> {
        let text = self.text;
        TypedSyntax { text, read }
    }
}

/// Words between quotation marks, as a sentence lists them.
pub(super) fn quoted(words: &[&str]) -> String {
    let words: Vec<_> = words.iter().map(|word| format!("\"{word}\"")).collect();
    match words.split_last() {
        Some((last, before)) if !before.is_empty() => format!("{} or {last}", before.join(", ")),
        _ => words.concat(),
    }
}
