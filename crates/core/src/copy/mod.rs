//! Reads that the edge answers without the site, and which of them it may.

mod proof;

pub use proof::{ShapeBook, ShapeProof, Standing};
