//! Members of objects: which must be there, which may, and by which schema each is judged.

use std::cmp::Ordering;

use super::keywords::{SchemaView, lookup, name_of};
use super::objection::{SchemaObjection, SchemaResult};
use super::phrases::{FEWEST_PROPERTIES, FORBIDDEN, MOST_PROPERTIES, REQUIRED};
use super::sanitize::as_object;
use super::schema_judge::SchemaJudge;
use super::validate::{Bound, matches};
use crate::wordpress::value::{Key, KeyRef, PhpArray, Value};

const PROPERTY_BOUNDS: [Bound; 2] = [
    (
        "minProperties",
        "rest_too_few_properties",
        FEWEST_PROPERTIES,
        Ordering::Less,
    ),
    (
        "maxProperties",
        "rest_too_many_properties",
        MOST_PROPERTIES,
        Ordering::Greater,
    ),
];

/// What a schema says about one member of an object.
pub(super) enum MemberSchema<'s> {
    /// It has a schema.
    Described(SchemaView<'s>),
    /// It may be anything.
    Free,
    /// It must not be there.
    Forbidden,
}

// === impl SchemaJudge ===

impl SchemaJudge<'_> {
    /// Checks an object and its members.
    pub(super) fn validate_object(
        &self,
        value: &Value,
        schema: &SchemaView<'_>,
        param: &str,
    ) -> SchemaResult {
        let Some(members) = as_object(value) else {
            return Err(self.not_of_type(param, "object"));
        };
        self.spend(members.len())?;
        self.check_required(&members, schema, param)?;
        for (key, member) in members.entries() {
            self.validate_member(key, member, schema, param)?;
        }
        self.check_bounds(&PROPERTY_BOUNDS, schema, members.len(), param)
    }

    /// The members that must be there: a list of their names (draft 4), or a mark in their schemas (draft 3).
    fn check_required(&self, members: &PhpArray, schema: &SchemaView<'_>, param: &str) -> SchemaResult {
        let mut required = Vec::new();
        if let Some(Value::Array(names)) = schema.set("required") {
            required.extend(
                names
                    .values()
                    .map(name_of)
                    .collect::<SchemaResult<Vec<_>>>()?
                    .into_iter()
                    .map(str::to_owned),
            );
        } else if let Some(properties) = schema.array("properties")? {
            for (name, property) in properties.entries() {
                if SchemaView::of(property)?.set("required") == Some(&Value::Bool(true)) {
                    required.push(key_text(name)?);
                }
            }
        }
        self.spend(required.len())?;
        for name in required {
            if !has_key(members, &name) {
                let message = self.words.say(REQUIRED, &[&name, param]);
                return Err(SchemaObjection::refused("rest_property_required", message));
            }
        }
        Ok(())
    }

    fn validate_member(
        &self,
        key: KeyRef<'_>,
        member: &Value,
        schema: &SchemaView<'_>,
        param: &str,
    ) -> SchemaResult {
        let name = key_text(key)?;
        let inner = match self.schema_of_member(key, &name, schema)? {
            MemberSchema::Described(inner) => inner,
            MemberSchema::Free => return Ok(()),
            MemberSchema::Forbidden => {
                let message = self.words.say(FORBIDDEN, &[&name]);
                return Err(SchemaObjection::refused(
                    "rest_additional_properties_forbidden",
                    message,
                ));
            }
        };
        self.validate(member, inner, &format!("{param}[{name}]"))
    }

    /// What a schema says about a member.
    pub(super) fn schema_of_member<'s>(
        &self,
        key: KeyRef<'_>,
        name: &str,
        schema: &SchemaView<'s>,
    ) -> SchemaResult<MemberSchema<'s>> {
        let described = schema
            .array("properties")?
            .and_then(|properties| lookup(properties, key));
        if let Some(inner) = described.filter(|inner| **inner != Value::Null) {
            return Ok(MemberSchema::Described(SchemaView::of(inner)?));
        }
        for (pattern, inner) in schema
            .array("patternProperties")?
            .iter()
            .flat_map(|all| all.entries())
        {
            self.spend(1)?;
            if matches(&key_text(pattern)?, name.as_bytes())? {
                return Ok(if *inner == Value::Null {
                    self.additional(schema)?
                } else {
                    MemberSchema::Described(SchemaView::of(inner)?)
                });
            }
        }
        self.additional(schema)
    }

    #[expect(
        clippy::unused_self,
        reason = "one of the readings of a schema, beside the others"
    )]
    fn additional<'s>(&self, schema: &SchemaView<'s>) -> SchemaResult<MemberSchema<'s>> {
        Ok(match schema.set("additionalProperties") {
            Some(Value::Bool(false)) => MemberSchema::Forbidden,
            Some(inner @ Value::Array(_)) => MemberSchema::Described(SchemaView::of(inner)?),
            _ => MemberSchema::Free,
        })
    }
}

fn key_text(key: KeyRef<'_>) -> SchemaResult<String> {
    String::from_utf8(key.to_bytes()).map_err(|_| SchemaObjection::Unsure)
}

fn has_key(members: &PhpArray, name: &str) -> bool {
    lookup(members, Key::from_bytes(name).as_ref()).is_some()
}
