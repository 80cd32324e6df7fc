//! TLS toward clients: a certificate that can be replaced while connections run.

mod acceptor;
mod pair;
mod validity;

pub(crate) use acceptor::TlsAcceptor;
pub use pair::{Pair, PairError};
