//! calendar-edge: a hardened edge for the calendar REST API of a WordPress site.

pub mod call;
pub mod config;
pub mod contract;
pub mod describe;
pub mod payload;
pub mod problem;
pub mod relay;
pub mod target;
pub mod value;
