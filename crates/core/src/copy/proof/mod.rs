//! For which shapes of reads the copy answers: those that were compared with the site often enough, without a difference.

mod shape_book;
mod shape_proof;

pub use shape_book::ShapeBook;
pub use shape_proof::{ShapeProof, Standing};
