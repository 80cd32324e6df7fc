//! Behaviour of the whole edge, and guards of the files that must agree with it.

mod contract;
mod openapi;
mod recorded;
mod relayed;
mod round_trip;
mod schema_values;
