//! Compressed forms of answers: made while an answer passes, or once for an answer that is stored.

mod encoded_body;
mod encoder;
mod stored_forms;

pub(crate) use encoded_body::Encoders;
pub(crate) use stored_forms::StoredForms;
