//! The arguments of a REST endpoint, checked in the order of `WP_REST_Request`.

use super::combine::COMBINATIONS;
use super::keywords::SchemaView;
use super::objection::{SchemaObjection, SchemaResult};
use super::phrases::{INVALID, INVALID_JSON, MISSING, SiteWords};
use super::schema_judge::SchemaJudge;
use crate::wordpress::payload::Parameters;
use crate::wordpress::value::{KeyRef, Value};

/// An argument of a REST endpoint, as the site has registered it.
#[derive(Debug, Clone, PartialEq)]
pub struct SiteArgument {
    /// Its name.
    pub name: Box<str>,
    /// Whether a request without it is refused.
    pub required: bool,
    /// The value that it has when it is not sent; none and null are the same.
    pub default: Option<Value>,
    /// Its schema: the keywords that WordPress reads.
    pub schema: Value,
    /// Who checks the value that counts, before all sanitizing.
    pub validation: ArgumentCheck,
    /// Who sanitizes each value that was sent.
    pub sanitizing: ArgumentCheck,
}

/// Who checks or sanitizes a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ArgumentCheck {
    /// No function that could refuse a value.
    None,
    /// WordPress, by the schema (`rest_validate_request_arg`, `rest_sanitize_request_arg`).
    Schema,
    /// WordPress, which checks by the schema once more before it sanitizes (`rest_parse_request_arg`).
    SchemaTwice,
    /// A function of the site.
    Site,
}

/// What WordPress would do about the arguments of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ArgumentsVerdict {
    /// All arguments pass.
    Admit,
    /// It would answer 400.
    Reject(SiteRefusal),
    /// Only the site knows.
    Defer,
}

/// A refusal by the site: an answer of status 400.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SiteRefusal {
    /// The error's code: `rest_missing_callback_param`, `rest_invalid_param` or `rest_invalid_json`.
    pub code: &'static str,
    /// The error's words.
    pub message: String,
    /// The arguments it names; with its reason if the argument is invalid rather than missing.
    pub params: Vec<(Box<str>, Option<String>)>,
}

/// Checks the arguments of a request with these parameters, those of its path included.
///
/// A function of the site is taken to accept the default that the site has registered. Work and depth are bounded; beyond
/// the bounds the verdict is left to the site.
pub fn judge_arguments(arguments: &[SiteArgument], sent: &Parameters, words: &SiteWords) -> ArgumentsVerdict {
    let request = ArgumentsSent {
        arguments,
        sent,
        judge: SchemaJudge::new(words),
    };
    match request.check() {
        Ok(()) => ArgumentsVerdict::Admit,
        Err(Some(refusal)) => ArgumentsVerdict::Reject(refusal),
        Err(None) => ArgumentsVerdict::Defer,
    }
}

/// Arguments, and what was sent for them.
struct ArgumentsSent<'a> {
    arguments: &'a [SiteArgument],
    sent: &'a Parameters,
    judge: SchemaJudge<'a>,
}

/// What several checks have found so far.
#[derive(Default)]
struct ArgumentErrors {
    invalid: Vec<(Box<str>, Option<String>)>,
    is_unsure: bool,
}

// === impl SiteRefusal ===

impl SiteRefusal {
    /// The refusal of a body that is no JSON though its type says so.
    pub fn invalid_json(words: &SiteWords) -> Self {
        refusal("rest_invalid_json", INVALID_JSON, Vec::new(), words)
    }
}

// === impl ArgumentsSent ===

impl ArgumentsSent<'_> {
    /// None as an error: only the site knows.
    fn check(&self) -> Result<(), Option<SiteRefusal>> {
        self.missing()?;
        self.validated().end(self.judge.words)?;
        self.sanitized().end(self.judge.words)
    }

    fn missing(&self) -> Result<(), Option<SiteRefusal>> {
        let missing = self
            .arguments
            .iter()
            .filter(|argument| argument.required && self.value(argument).is_none());
        let missing: Vec<_> = missing.map(|argument| (argument.name.clone(), None)).collect();
        if missing.is_empty() {
            return Ok(());
        }
        Err(Some(refusal(
            "rest_missing_callback_param",
            MISSING,
            missing,
            self.judge.words,
        )))
    }

    /// The value that counts: the strongest that is not null.
    fn value<'s>(&'s self, argument: &'s SiteArgument) -> Option<&'s Value> {
        let sent = self.sent.get(&argument.name).map(|(_, value)| value);
        sent.or_else(|| argument.default())
    }

    fn validated(&self) -> ArgumentErrors {
        let mut found = ArgumentErrors::default();
        for argument in self.arguments {
            let Some(value) = self.value(argument) else {
                continue;
            };
            let outcome = match argument.validation {
                ArgumentCheck::None => Ok(()),
                ArgumentCheck::Schema | ArgumentCheck::SchemaTwice => self.validate(argument, value),
                ArgumentCheck::Site if self.sent.get(&argument.name).is_none() => Ok(()),
                ArgumentCheck::Site => Err(SchemaObjection::Unsure),
            };
            found.note(argument, outcome);
        }
        found
    }

    /// Every value that was sent, also those that do not count, and the defaults.
    fn sanitized(&self) -> ArgumentErrors {
        let mut found = ArgumentErrors::default();
        for source in self.sent.in_order() {
            for (key, value) in source.parameters.entries() {
                let named = |argument: &&SiteArgument| matches!(key, KeyRef::Text(name) if name == argument.name.as_bytes());
                if let Some(argument) = self.arguments.iter().find(named) {
                    found.note(argument, self.sanitize(argument, value));
                }
            }
        }
        for argument in self.arguments {
            if argument.sanitizing != ArgumentCheck::Site
                && let Some(default) = argument.default()
            {
                found.note(argument, self.sanitize(argument, default));
            }
        }
        found
    }

    fn validate(&self, argument: &SiteArgument, value: &Value) -> SchemaResult {
        self.judge
            .validate(value, SchemaView::of(&argument.schema)?, &argument.name)
    }

    fn sanitize(&self, argument: &SiteArgument, value: &Value) -> SchemaResult {
        match argument.sanitizing {
            ArgumentCheck::None => return Ok(()),
            ArgumentCheck::Site => return Err(SchemaObjection::Unsure),
            ArgumentCheck::SchemaTwice => self.validate(argument, value)?,
            ArgumentCheck::Schema => {}
        }
        let schema = SchemaView::of(&argument.schema)?;
        let can_fail = COMBINATIONS.iter().any(|keyword| schema.set(keyword).is_some())
            || schema.filled("uniqueItems").is_some();
        if can_fail {
            self.judge.sanitize(value, schema, &argument.name)?;
        }
        Ok(())
    }
}

// === impl SiteArgument ===

impl SiteArgument {
    /// The default, unless it is null.
    fn default(&self) -> Option<&Value> {
        self.default.as_ref().filter(|value| **value != Value::Null)
    }
}

// === impl ArgumentErrors ===

impl ArgumentErrors {
    /// A later error about the same argument takes the place of the earlier one.
    fn note(&mut self, argument: &SiteArgument, outcome: SchemaResult) {
        match outcome {
            Ok(()) => {}
            Err(SchemaObjection::Unsure) => self.is_unsure = true,
            Err(SchemaObjection::Refused(error)) => {
                match self.invalid.iter_mut().find(|(name, _)| *name == argument.name) {
                    Some((_, message)) => *message = Some(error.message),
                    None => self.invalid.push((argument.name.clone(), Some(error.message))),
                }
            }
        }
    }

    fn end(self, words: &SiteWords) -> Result<(), Option<SiteRefusal>> {
        if self.is_unsure {
            return Err(None);
        }
        if self.invalid.is_empty() {
            return Ok(());
        }
        Err(Some(refusal("rest_invalid_param", INVALID, self.invalid, words)))
    }
}

fn refusal(
    code: &'static str,
    sentence: &'static str,
    params: Vec<(Box<str>, Option<String>)>,
    words: &SiteWords,
) -> SiteRefusal {
    let names: Vec<&str> = params.iter().map(|(name, _)| &**name).collect();
    SiteRefusal {
        code,
        message: words.say(sentence, &[&names.join(", ")]),
        params,
    }
}

#[cfg(test)]
mod tests {
    use std::str::FromStr;

    use super::*;
    use crate::wordpress::payload::{Source, parse_form};
    use crate::wordpress::schema::value_of_json;

    /// `per_page` is judged by its schema, `status` by the site, which has a default for it.
    fn arguments() -> [SiteArgument; 2] {
        let json = |text| value_of_json(&serde_json::Value::from_str(text).unwrap());
        [
            SiteArgument {
                name: "per_page".into(),
                required: false,
                default: None,
                schema: json(r#"{"type":"integer","maximum":100}"#),
                validation: ArgumentCheck::Schema,
                sanitizing: ArgumentCheck::None,
            },
            SiteArgument {
                name: "status".into(),
                required: false,
                default: Some(json(r#""publish""#)),
                schema: json("{}"),
                validation: ArgumentCheck::None,
                sanitizing: ArgumentCheck::Site,
            },
        ]
    }

    fn verdict(query: &str) -> ArgumentsVerdict {
        let mut sent = Parameters::default();
        sent.add(Source::Query, parse_form(query.as_bytes()));
        judge_arguments(&arguments(), &sent, &SiteWords::default())
    }

    #[test]
    fn functions_of_the_site_matter_where_a_value_is_sent_and_nothing_is_refused_before() {
        assert_eq!(verdict("per_page=5"), ArgumentsVerdict::Admit);
        assert_eq!(verdict("per_page=5&status=draft"), ArgumentsVerdict::Defer);
        // WordPress checks all values before it sanitizes the first.
        let ArgumentsVerdict::Reject(refusal) = verdict("per_page=500&status=draft") else {
            panic!("a refusal");
        };
        assert_eq!(refusal.message, "Invalid parameter(s): per_page");
        assert_eq!(
            refusal.params,
            [(
                "per_page".into(),
                Some("per_page must be less than or equal to 100".to_owned())
            )]
        );
    }
}
