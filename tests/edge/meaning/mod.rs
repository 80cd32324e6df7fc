//! Meaning preserved: WordPress reads the same from the forwarded request as from the client's.
//!
//! How PHP and WordPress read a request is written here once more, for the tests alone, from what was
//! measured (backend.md sections 2, 4 and 6); nothing of the edge's own reading is used. Every difference
//! between the two readings has a name in [`change::Change`], or the test fails.

mod change;
mod json;
mod php;
mod random;
mod reading;
mod recorded;
mod variables;
mod wire;
