//! How much clients may ask: request rates, and the queue for permits of the site.

#[cfg(test)]
mod dice;
pub mod queue;
pub mod rates;
