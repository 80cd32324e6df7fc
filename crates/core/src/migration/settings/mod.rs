//! The tables of other backends, and of copies to them.

mod candidate;
mod shadow;

pub use candidate::{CandidateSettings, CredentialsPolicy};
pub use shadow::ShadowRule;
