//! The credentials of recorded accounts.

use std::collections::HashMap;

use anyhow::Context as _;
use http::HeaderMap;

use super::super::explain::header_lines;
use super::super::status::Misuse;
use super::compare_args::ReplayArgs;

/// What is sent in place of the credentials that a recording does not have.
#[derive(Debug)]
pub(super) struct Accounts {
    by_name: HashMap<String, HeaderMap>,
    /// For all other accounts.
    others: HeaderMap,
}

// === impl Accounts ===

impl Accounts {
    /// Those of the command line: `--account` for single accounts, `-H` for all others.
    pub(super) fn of(args: &ReplayArgs) -> anyhow::Result<Self> {
        let named = args.account.iter().map(|text| named(text));
        Ok(Self {
            by_name: named.collect::<anyhow::Result<_>>()?,
            others: header_lines(&args.judged.header)?,
        })
    }

    /// The headers of an account; none if the command line has none for it.
    pub(super) fn headers(&self, account: &str) -> Option<&HeaderMap> {
        let headers = self.by_name.get(account).unwrap_or(&self.others);
        Some(headers).filter(|headers| !headers.is_empty())
    }
}

fn named(text: &str) -> anyhow::Result<(String, HeaderMap)> {
    let (name, value) = text
        .split_once('=')
        .context(Misuse("--account is NAME=HEADER or NAME=@FILE"))?;
    Ok((name.to_owned(), header_lines(&[value.to_owned()])?))
}
