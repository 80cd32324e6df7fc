//! Where the specification and the measured backend disagree, and what the edge does about it.
//!
//! The list is complete: a test compares the table with the backend's published index and fails on any
//! difference that is not a row here.
