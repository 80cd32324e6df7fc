//! `anyOf` and `oneOf`: the schema that fits, and WordPress's choice among the errors of those that do not.

use super::keywords::{SchemaView, lookup, name_of};
use super::objection::{SchemaError, SchemaObjection, SchemaResult};
use super::phrases::{NONE_MATCHES, NONE_OF_TITLES, REASON, REASON_TITLED, SEVERAL_MATCH, SEVERAL_TITLES};
use super::schema_judge::SchemaJudge;
use crate::wordpress::value::Value;

/// A schema that does not fit, with its error.
struct Misfit<'s> {
    schema: SchemaView<'s>,
    error: Box<SchemaError>,
}

/// The keywords that combine schemas, in WordPress's order.
pub(super) const COMBINATIONS: [&str; 2] = ["anyOf", "oneOf"];

// === impl SchemaJudge ===

impl SchemaJudge<'_> {
    /// Checks the combined schemas of a schema, and takes the type of the one that fits where it has none.
    pub(super) fn combined<'s>(
        &self,
        value: &Value,
        schema: SchemaView<'s>,
        param: &str,
    ) -> SchemaResult<SchemaView<'s>> {
        let mut schema = schema;
        for combination in COMBINATIONS {
            if schema.set(combination).is_some() {
                let fitting = self.fitting(value, &schema, combination, param)?;
                schema.kind = schema.kind.or(fitting.kind);
            }
        }
        Ok(schema)
    }

    /// The schema of a combination that fits.
    pub(super) fn fitting<'s>(
        &self,
        value: &Value,
        schema: &SchemaView<'s>,
        combination: &str,
        param: &str,
    ) -> SchemaResult<SchemaView<'s>> {
        let options = schema.array(combination)?.ok_or(SchemaObjection::Unsure)?;
        let (mut misfits, mut fitting) = (Vec::new(), Vec::new());
        for option in options.values() {
            let option = SchemaView::of(option)?;
            let option = option.of_kind(option.kind.or(schema.kind));
            match self.validate(value, option, param) {
                Ok(()) if combination == "anyOf" => return Ok(option),
                Ok(()) => fitting.push(option),
                Err(SchemaObjection::Refused(error)) => misfits.push(Misfit {
                    schema: option,
                    error,
                }),
                Err(SchemaObjection::Unsure) => return Err(SchemaObjection::Unsure),
            }
        }
        match fitting.as_slice() {
            [] => Err(self.none_fits(value, param, &misfits)?),
            [one] => Ok(*one),
            several => Err(self.several_fit(several, param)?),
        }
    }

    fn several_fit(&self, fitting: &[SchemaView<'_>], param: &str) -> SchemaResult<SchemaObjection> {
        let message = match titles(fitting.iter())? {
            Some(titles) => self
                .words
                .say(SEVERAL_TITLES, &[param, &self.words.list(&titles)]),
            None => self.words.say(SEVERAL_MATCH, &[param]),
        };
        Ok(SchemaObjection::refused("rest_one_of_multiple_matches", message))
    }

    /// The one error that is left without those about the type of the value itself, that of the most similar object, or
    /// one about all.
    fn none_fits(&self, value: &Value, param: &str, misfits: &[Misfit<'_>]) -> SchemaResult<SchemaObjection> {
        if let [one] = misfits {
            return self.because(param, one);
        }
        let is_other = |misfit: &&Misfit<'_>| {
            let error = &misfit.error;
            error.code != "rest_invalid_type" || error.param.as_deref().is_some_and(|named| named != param)
        };
        let others: Vec<&Misfit<'_>> = misfits.iter().filter(is_other).collect();
        match others.as_slice() {
            [one] => return self.because(param, one),
            [first, _, ..] if first.schema.kind.and_then(Value::as_text) == Some(b"object") => {
                if let Some(similar) = most_similar(value, &others)? {
                    return self.because(param, similar);
                }
            }
            _ => {}
        }
        let message = match titles(misfits.iter().map(|misfit| &misfit.schema))? {
            Some(titles) => self
                .words
                .say(NONE_OF_TITLES, &[param, &self.words.list(&titles)]),
            None => self.words.say(NONE_MATCHES, &[param]),
        };
        Ok(SchemaObjection::refused("rest_no_matching_schema", message))
    }

    fn because(&self, param: &str, misfit: &Misfit<'_>) -> SchemaResult<SchemaObjection> {
        let reason = &misfit.error.message;
        let message = match misfit.schema.set("title") {
            Some(title) => self.words.say(REASON_TITLED, &[param, name_of(title)?, reason]),
            None => self.words.say(REASON, &[param, reason]),
        };
        Ok(SchemaObjection::refused("rest_no_matching_schema", message))
    }
}

/// The misfit whose schema knows the most members of an object.
fn most_similar<'m, 's>(value: &Value, misfits: &[&'m Misfit<'s>]) -> SchemaResult<Option<&'m Misfit<'s>>> {
    let mut best = (0, None);
    for misfit in misfits {
        let Some(properties) = misfit.schema.array("properties")? else {
            continue;
        };
        // WordPress fails at anything but an array here.
        let Value::Array(members) = value else {
            return Err(SchemaObjection::Unsure);
        };
        let known = properties
            .entries()
            .filter(|(key, _)| lookup(members, *key).is_some())
            .count();
        if known > best.0 {
            best = (known, Some(*misfit));
        }
    }
    Ok(best.1)
}

/// The titles of all schemas; none if one has no title. No schema at all has all its titles.
fn titles<'s>(schemas: impl Iterator<Item = &'s SchemaView<'s>>) -> SchemaResult<Option<Vec<String>>> {
    let titled = schemas.map(|schema| schema.set("title").map(name_of).transpose());
    let titled = titled.collect::<SchemaResult<Option<Vec<_>>>>()?;
    Ok(titled.map(|titles| titles.into_iter().map(str::to_owned).collect()))
}
