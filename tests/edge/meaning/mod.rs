//! Meaning preserved: WordPress reads the same from the forwarded request as from the client's.
//!
//! The rules of PHP and WordPress are implemented here a second time, for the tests alone, from measurements
//! (backend.md sections 2, 4 and 6), without the edge's own parsers. Every difference between the two readings
//! has a name in [`change::Change`], or the test fails.

mod change;
mod json;
mod php;
mod random;
mod reading;
mod recorded;
mod variables;
mod wire;
