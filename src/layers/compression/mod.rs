//! Content codings of responses: made while a response passes, or once for a response that is stored.

mod encoded_body;
mod encoder;
mod shared_bodies;
mod stored_codings;

pub(crate) use encoded_body::Encoders;
pub(crate) use shared_bodies::SharedBodies;
pub(crate) use stored_codings::StoredCodings;
