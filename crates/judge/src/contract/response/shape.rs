//! The words in which responses are described: shapes of values, members of objects, models.

/// The values that stand at one place of a response.
#[derive(Debug, Clone, Copy)]
pub enum Shape {
    /// Any value.
    Any,
    /// Null.
    Null,
    /// The boolean that PHP prints for nothing.
    False,
    /// True or false.
    Boolean,
    /// A whole number.
    Integer,
    /// A whole number from 0.
    Count,
    /// A number.
    Number,
    /// A text.
    Text,
    /// A date with its time, as WordPress writes both; empty where there is none.
    DateTime,
    /// This text and no other.
    Exactly(&'static str),
    /// The list without entries that PHP prints for an empty map.
    EmptyList,
    /// A list whose entries have this shape.
    List(&'static Shape),
    /// An object with any names, whose values have this shape.
    Map(&'static Shape),
    /// An object with the members of a model.
    Model(&'static ResponseModel),
    /// One of several shapes.
    Either(&'static [Shape]),
}

/// A member of an object.
#[derive(Debug, Clone, Copy)]
pub struct ResponseMember {
    /// Its name.
    pub name: &'static str,
    /// The shape of its value.
    pub shape: Shape,
    /// True if every object has it.
    pub is_required: bool,
    /// The meaning of its value, in English.
    pub meaning: &'static str,
}

/// An object with known members. It may have others, which nothing is known of.
#[derive(Debug)]
pub struct ResponseModel {
    /// Its name in documents and generated clients.
    pub name: &'static str,
    /// Its meaning, in English.
    pub meaning: &'static str,
    /// True if plugins are known to add members.
    pub is_extended: bool,
    parts: &'static [&'static [ResponseMember]],
}

// === impl Shape ===

impl Shape {
    /// True, false, or null where WordPress blanks a record.
    pub(super) const BLANKED_FLAG: Self = Self::Either(&[Self::Boolean, Self::Null]);
    /// A date with its time, or null where there is none.
    pub(super) const DATE_OR_NULL: Self = Self::Either(&[Self::DateTime, Self::Null]);
    /// A list of texts.
    pub(super) const TEXTS: Self = Self::List(&Self::Text);
    /// An object of any members.
    pub(super) const OBJECT: Self = Self::Map(&Self::Any);

    /// Adds the models that this shape names, with those that they name, unless they are there.
    pub(super) fn collect(self, found: &mut Vec<&'static ResponseModel>) {
        match self {
            Self::Model(model) if !found.iter().any(|known| known.name == model.name) => {
                found.push(model);
                model.members().for_each(|member| member.shape.collect(found));
            }
            Self::List(inner) | Self::Map(inner) => inner.collect(found),
            Self::Either(shapes) => shapes.iter().for_each(|shape| shape.collect(found)),
            _ => {}
        }
    }
}

// === impl ResponseMember ===

impl ResponseMember {
    /// A member that every object has.
    pub(super) const fn new(name: &'static str, shape: Shape, meaning: &'static str) -> Self {
        Self {
            name,
            shape,
            is_required: true,
            meaning,
        }
    }

    /// A text that every object has.
    pub(super) const fn text(name: &'static str, meaning: &'static str) -> Self {
        Self::new(name, Shape::Text, meaning)
    }

    /// A date with its time that every object has.
    pub(super) const fn date(name: &'static str, meaning: &'static str) -> Self {
        Self::new(name, Shape::DateTime, meaning)
    }

    /// The same member, which some objects do not have.
    pub(super) const fn optional(self) -> Self {
        Self {
            is_required: false,
            ..self
        }
    }
}

// === impl ResponseModel ===

impl ResponseModel {
    /// A model of these members.
    pub(super) const fn new(
        name: &'static str,
        meaning: &'static str,
        parts: &'static [&'static [ResponseMember]],
    ) -> Self {
        Self {
            name,
            meaning,
            is_extended: false,
            parts,
        }
    }

    /// The same model, to which plugins add members.
    pub(super) const fn extended(self) -> Self {
        Self {
            is_extended: true,
            ..self
        }
    }

    /// Its members.
    pub fn members(&self) -> impl Iterator<Item = &'static ResponseMember> + use<> {
        self.parts.iter().copied().flatten()
    }
}
