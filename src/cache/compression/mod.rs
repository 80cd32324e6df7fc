//! Compressed forms of answers: made while an answer passes, or once for an answer that is kept.

mod body;
mod encoder;
mod kept;

pub(crate) use body::Encoders;
pub(crate) use kept::{FormOwner, KeptForms};
