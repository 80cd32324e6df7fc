//! The edge before the calendar service, over real sockets.

mod calendar;
mod callers;
mod merging;
mod through_edge;
