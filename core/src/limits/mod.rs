//! How much clients may ask: request rates, and the queue for permits of the site.

pub mod queue;
pub mod rates;
