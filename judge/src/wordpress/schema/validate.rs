//! The check of a value by a schema, as `rest_validate_value_from_schema` makes it.

use std::cmp::Ordering;

use super::keywords::{SchemaView, name_of};
use super::objection::{SchemaObjection, SchemaResult};
use super::pcre::surely;
use super::php_text::{compare, number_of, text_of};
use super::phrases::{
    AT_LEAST, AT_MOST, BETWEEN, BETWEEN_LEFT_OPEN, BETWEEN_OPEN, BETWEEN_RIGHT_OPEN, DUPLICATES,
    FEWEST_ITEMS, GREATER, LESS, LONGEST, MOST_ITEMS, NO_PATTERN, NOT_IN_ENUM, NOT_MULTIPLE, NOT_THE_ONE,
    Plural, SHORTEST,
};
use super::sanitize::{are_equal, as_list, has_duplicates};
use super::schema_judge::{SchemaJudge, TYPES, best_kind, fits};
use crate::wordpress::value::Value;
use crate::wordpress::value::numeric::Numeric;

/// The longest text that is matched with a regular expression, in bytes.
const LONGEST_MATCHED: usize = 4096;

/// A bound on how many there may be of something: its keyword, the error beyond it, and on which side it is.
pub(super) type Bound = (&'static str, &'static str, Plural, Ordering);

const ITEM_BOUNDS: [Bound; 2] = [
    ("minItems", "rest_too_few_items", FEWEST_ITEMS, Ordering::Less),
    ("maxItems", "rest_too_many_items", MOST_ITEMS, Ordering::Greater),
];

const LENGTH_BOUNDS: [Bound; 2] = [
    ("minLength", "rest_too_short", SHORTEST, Ordering::Less),
    ("maxLength", "rest_too_long", LONGEST, Ordering::Greater),
];

// === impl SchemaJudge ===

impl SchemaJudge<'_> {
    /// Checks a value. `param` is what errors call it.
    pub(super) fn validate(&self, value: &Value, schema: SchemaView<'_>, param: &str) -> SchemaResult {
        self.deeper(|| self.validate_here(value, schema, param))
    }

    fn validate_here(&self, value: &Value, schema: SchemaView<'_>, param: &str) -> SchemaResult {
        let schema = self.combined(value, schema, param)?;
        let kind = best_kind(value, &schema)?;
        if kind.is_none() && schema.kind.is_some() {
            return Err(self.not_of_type(param, &kinds_of(&schema)?));
        }
        let schema = schema.of_kind(kind);
        let name = schema.kind_name()?;
        match name {
            Some("object") => self.validate_object(value, &schema, param)?,
            Some("array") => self.validate_array(value, &schema, param)?,
            Some("number" | "integer") => self.validate_number(value, &schema, param)?,
            Some("string") => self.validate_text(value, &schema, param)?,
            Some(simple @ ("null" | "boolean")) if !fits(value, simple) => {
                return Err(self.not_of_type(param, simple));
            }
            _ => {}
        }
        if let Some(choices) = schema.filled("enum") {
            self.validate_enum(value, &schema, choices, param)?;
        }
        match schema.set("format") {
            Some(format) if name.is_none_or(|name| name == "string" || !TYPES.contains(&name)) => {
                self.check_format(value, name_of(format)?, param)
            }
            _ => Ok(()),
        }
    }

    fn validate_array(&self, value: &Value, schema: &SchemaView<'_>, param: &str) -> SchemaResult {
        if !fits(value, "array") {
            return Err(self.not_of_type(param, "array"));
        }
        let items = as_list(value)?;
        self.spend(items.len())?;
        if let Some(inner) = schema.set("items") {
            let inner = SchemaView::of(inner)?;
            for (index, item) in items.iter().enumerate() {
                self.validate(item, inner, &format!("{param}[{index}]"))?;
            }
        }
        self.check_bounds(&ITEM_BOUNDS, schema, items.len(), param)?;
        if schema.filled("uniqueItems").is_some() && has_duplicates(&items) {
            return Err(self.duplicates(param));
        }
        Ok(())
    }

    pub(super) fn duplicates(&self, param: &str) -> SchemaObjection {
        SchemaObjection::refused("rest_duplicate_items", self.words.say(DUPLICATES, &[param]))
    }

    pub(super) fn check_bounds(
        &self,
        bounds: &[Bound],
        schema: &SchemaView<'_>,
        count: usize,
        param: &str,
    ) -> SchemaResult {
        let count = Numeric::Int(i64::try_from(count).unwrap_or(i64::MAX));
        for (keyword, code, sentence, side) in bounds {
            let Some(bound) = schema.set(keyword) else {
                continue;
            };
            let Some(number @ Numeric::Int(bound)) = number_of(bound) else {
                return Err(SchemaObjection::Unsure);
            };
            if compare(count, number) == *side {
                return Err(SchemaObjection::refused(
                    code,
                    self.words.count(*sentence, param, bound),
                ));
            }
        }
        Ok(())
    }

    fn validate_number(&self, value: &Value, schema: &SchemaView<'_>, param: &str) -> SchemaResult {
        let kind = schema.kind_name()?.unwrap_or_default();
        let number = number_of(value).ok_or_else(|| self.not_of_type(param, kind))?;
        if let Some(unit) = schema.set("multipleOf") {
            let divisor = number_of(unit).ok_or(SchemaObjection::Unsure)?;
            if number.as_float() % divisor.as_float() != 0.0 {
                let unit = text_of(unit).unwrap_or_default();
                let message = self
                    .words
                    .say(NOT_MULTIPLE, &[param, &String::from_utf8_lossy(&unit)]);
                return Err(SchemaObjection::refused("rest_invalid_multiple", message));
            }
        }
        self.check_range(number, schema, param)?;
        if kind == "integer" && !fits(value, "integer") {
            return Err(self.not_of_type(param, "integer"));
        }
        Ok(())
    }

    fn check_range(&self, number: Numeric, schema: &SchemaView<'_>, param: &str) -> SchemaResult {
        let bound = |keyword| {
            schema
                .set(keyword)
                .map(|bound| number_of(bound).ok_or(SchemaObjection::Unsure))
                .transpose()
        };
        let (least, most) = (bound("minimum")?, bound("maximum")?);
        let excludes = |keyword| schema.filled(keyword).is_some();
        let (after, before) = (excludes("exclusiveMinimum"), excludes("exclusiveMaximum"));
        let is_below = least.is_some_and(|least| is_beyond(compare(number, least), Ordering::Less, after));
        let is_above = most.is_some_and(|most| is_beyond(compare(number, most), Ordering::Greater, before));
        if !is_below && !is_above {
            return Ok(());
        }
        let sentence = match (least, most, after, before) {
            (Some(_), None, true, _) => GREATER,
            (Some(_), None, false, _) => AT_LEAST,
            (None, _, _, true) => LESS,
            (None, _, _, false) => AT_MOST,
            (_, _, true, true) => BETWEEN_OPEN,
            (_, _, true, false) => BETWEEN_LEFT_OPEN,
            (_, _, false, true) => BETWEEN_RIGHT_OPEN,
            (_, _, false, false) => BETWEEN,
        };
        let mut arguments = vec![param.to_owned()];
        for bound in [least, most].into_iter().flatten() {
            arguments.push(whole_part(bound)?);
        }
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        Err(SchemaObjection::refused(
            "rest_out_of_bounds",
            self.words.say(sentence, &arguments),
        ))
    }

    fn validate_text(&self, value: &Value, schema: &SchemaView<'_>, param: &str) -> SchemaResult {
        let text = value.as_text().ok_or_else(|| self.not_of_type(param, "string"))?;
        if LENGTH_BOUNDS
            .iter()
            .any(|(keyword, ..)| schema.set(keyword).is_some())
        {
            // Builds of PHP differ in how they count bytes that are no characters.
            let characters = std::str::from_utf8(text).map_err(|_| SchemaObjection::Unsure)?;
            self.check_bounds(&LENGTH_BOUNDS, schema, characters.chars().count(), param)?;
        }
        if let Some(pattern) = schema.set("pattern") {
            let pattern = name_of(pattern)?;
            if !matches(pattern, text)? {
                let message = self.words.say(NO_PATTERN, &[param, pattern]);
                return Err(SchemaObjection::refused("rest_invalid_pattern", message));
            }
        }
        Ok(())
    }

    fn validate_enum(
        &self,
        value: &Value,
        schema: &SchemaView<'_>,
        choices: &Value,
        param: &str,
    ) -> SchemaResult {
        let Value::Array(choices) = choices else {
            return Err(SchemaObjection::Unsure);
        };
        self.spend(choices.len())?;
        let sanitized = self.sanitize(value, *schema, param)?;
        if choices.values().any(|choice| are_equal(&sanitized, choice)) {
            return Ok(());
        }
        let shown = choices.values().map(|choice| {
            let text = if *choice == Value::Null {
                Some(b"null".to_vec())
            } else {
                text_of(choice)
            };
            text.and_then(|text| String::from_utf8(text).ok())
                .ok_or(SchemaObjection::Unsure)
        });
        let shown = shown.collect::<SchemaResult<Vec<_>>>()?;
        let message = match shown.as_slice() {
            [one] => self.words.say(NOT_THE_ONE, &[param, one]),
            all => self.words.say(NOT_IN_ENUM, &[param, &self.words.list(all)]),
        };
        Err(SchemaObjection::refused("rest_not_in_enum", message))
    }
}

/// Returns true for a number on this side of its bound, or on the bound itself where that is excluded.
fn is_beyond(found: Ordering, side: Ordering, excluded: bool) -> bool {
    found == side || excluded && found == Ordering::Equal
}

/// PHP's `%d`.
#[expect(clippy::cast_possible_truncation, reason = "the range is checked")]
fn whole_part(number: Numeric) -> SchemaResult<String> {
    match number {
        Numeric::Int(int) => Ok(int.to_string()),
        Numeric::Float(float) if float.abs() < 9e18 => Ok((float as i64).to_string()),
        Numeric::Float(_) => Err(SchemaObjection::Unsure),
    }
}

/// Whether WordPress finds the pattern in a text, which PCRE takes for UTF-8.
pub(super) fn matches(pattern: &str, text: &[u8]) -> SchemaResult<bool> {
    if !text.is_ascii() || text.len() > LONGEST_MATCHED || text.ends_with(b"\n") {
        return Err(SchemaObjection::Unsure);
    }
    let regex = surely(pattern, false).ok_or(SchemaObjection::Unsure)?;
    let text = std::str::from_utf8(text).map_err(|_| SchemaObjection::Unsure)?;
    Ok(regex.is_match(text))
}

/// The types of a schema as an error names them.
fn kinds_of(schema: &SchemaView<'_>) -> SchemaResult<String> {
    match schema.kind {
        Some(Value::Array(kinds)) => Ok(kinds
            .values()
            .map(name_of)
            .collect::<SchemaResult<Vec<_>>>()?
            .join(",")),
        Some(kind) => name_of(kind).map(str::to_owned),
        None => Ok(String::new()),
    }
}
