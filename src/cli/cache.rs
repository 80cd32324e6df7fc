//! `calendar-edge cache`: what a running edge keeps.

use std::io::{self, Write};

use anyhow::Context as _;
use clap::Args;
use serde_json::Value;

use super::admin_client::AdminClient;
use super::args::{EdgeArgs, OutputArgs};

/// The flags of `cache`.
#[derive(Debug, Args)]
pub(super) struct CacheArgs {
    #[command(flatten)]
    pub(super) edge: EdgeArgs,
    #[command(flatten)]
    pub(super) output: OutputArgs,
}

/// Asks the admin listener of a running edge, and prints what its cache holds.
pub(super) fn run(args: &CacheArgs, out: &mut dyn Write) -> anyhow::Result<()> {
    let client = AdminClient::new(&args.edge)?;
    let page = client.get("/cache")?;
    if args.output.json {
        writeln!(out, "{page:#}")
    } else {
        write(&page, out)
    }
    .context("standard output")
}

fn write(page: &Value, out: &mut dyn Write) -> io::Result<()> {
    let number = |name: &str| page[name].as_u64().unwrap_or_default();
    if page["enabled"] == false {
        writeln!(out, "the cache is off")?;
    }
    writeln!(
        out,
        "{} answers in {} of {} bytes",
        number("entries"),
        number("bytes"),
        number("memory")
    )?;
    if let Some(oldest) = page["oldest"].as_u64() {
        writeln!(out, "the oldest was asked for {oldest} s ago")?;
    }
    let companion = page["companion"].as_str().unwrap_or_default();
    writeln!(
        out,
        "companion plugin: {companion}; removals: {}",
        number("generation")
    )?;
    for operation in page["operations"].as_array().into_iter().flatten() {
        let number = |name: &str| operation[name].as_u64().unwrap_or_default();
        let (lookups, hits) = (number("lookups"), number("hits"));
        writeln!(
            out,
            "  {:<24} {hits} of {lookups} lookups answered ({} %), {} passed by",
            operation["operation"].as_str().unwrap_or_default(),
            (hits * 100).checked_div(lookups).unwrap_or_default(),
            number("bypassed")
        )?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_is_told_in_lines() {
        let page = serde_json::json!({
            "enabled": true, "entries": 2, "bytes": 4000, "memory": 67_108_864, "oldest": 7, "generation": 1,
            "companion": "unseen",
            "operations": [{"operation": "events.list", "lookups": 3, "hits": 2, "bypassed": 1}],
        });
        let mut out = Vec::new();
        write(&page, &mut out).unwrap();
        let expected = "2 answers in 4000 of 67108864 bytes\n\
                        the oldest was asked for 7 s ago\n\
                        companion plugin: unseen; removals: 1\n  \
                        events.list              2 of 3 lookups answered (66 %), 1 passed by\n";
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }
}
