//! The built-in calendar over its real socket: it behaves as the recorded site does.

mod bodies;
mod calendar;
mod lists;
mod merging;
mod refusals;
mod socket;
mod through_edge;
mod writes;
