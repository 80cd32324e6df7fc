//! The five lists: which records they have, in which order, and their pages.

mod events;
mod linked;
mod terms;
mod window;

use calendar_edge_judge::contract::Kind;
use serde_json::{Value, json};
use url::form_urlencoded::byte_serialize;

use crate::call::Call;
use crate::print::{Detail, Printer};
use crate::record::{Members, text};
use crate::refused::Refused;
use crate::reply::Reply;
use crate::slug::folded_name;
use crate::store::Store;
use crate::write::STATUSES;

pub(crate) use window::{default_end, default_start};

/// The arguments that lists of posts repeat, in this order.
const REPEATED: &str = "per_page start_date end_date search event has_events status post_parent include starts_before \
                        starts_after ends_before ends_after venue organizer featured";

/// The largest page; more is cut down to it.
const LARGEST: u64 = 50;

/// The page of a list that a call selects.
pub(crate) fn list(call: &Call, kind: Kind, by: &Printer<'_>) -> Result<Reply, Refused> {
    let mut repeated = call.repeated();
    let found = match kind {
        Kind::Event => events::found(call, by, &mut repeated)?,
        Kind::Venue | Kind::Organizer => linked::found(call, kind, by)?,
        Kind::Category | Kind::Tag => terms::found(call, kind, by)?,
    };
    let number = call.number("page").unwrap_or(1);
    let size = call.number("per_page").unwrap_or(10).min(LARGEST);
    let (skip, take) = (whole(size.saturating_mul(number - 1)), whole(size));
    let (total, pages) = (found.len(), found.len().div_ceil(take));
    let page = found.into_iter().skip(skip).take(take);
    let items: Vec<Value> = page.map(|id| by.record(kind, id, Detail::Listed)).collect();
    if items.is_empty() && number > 1 && !kind.is_term() {
        return Err(Refused::no_such_page(kind));
    }
    let base = format!("{}/{}/", by.api, kind.collection());
    // Lists of terms repeat nothing.
    let repeated = if kind.is_term() {
        Vec::new()
    } else {
        repeat(repeated, call, size)
    };
    let address = |number: u64| address(&base, &repeated, number);
    let own = own_address(&base, &repeated, number);
    let mut document = json!({(kind.collection()): items, "rest_url": own});
    if whole(number) < pages {
        document["next_rest_url"] = address(number + 1).into();
    }
    if number > 1 {
        document["previous_rest_url"] = address(number - 1).into();
    }
    document["total"] = total.into();
    document["total_pages"] = pages.into();
    Ok(Reply {
        counts: Some((total, pages)),
        ..Reply::ok(document)
    })
}

fn whole(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

/// The arguments that a list of posts repeats, in the plugin's order, with those that were not sent.
fn repeat(mut repeated: Vec<(String, String)>, call: &Call, size: u64) -> Vec<(String, String)> {
    let status = if call.caller.may_write() { "any" } else { "publish" };
    let status = call.text("status").unwrap_or_else(|| status.to_owned());
    let is_of_events = call.operation.id.kind() == Some(Kind::Event);
    repeated.retain(|(name, _)| {
        !matches!(name.as_str(), "per_page" | "status") && (is_of_events || name != "search")
    });
    repeated.extend([
        ("per_page".to_owned(), size.to_string()),
        ("status".to_owned(), status),
    ]);
    let place = |name: &str| REPEATED.split(' ').position(|known| known == name);
    repeated.retain(|(name, _)| place(name).is_some());
    repeated.sort_by_key(|(name, _)| place(name));
    repeated
}

/// The address of a list itself, which the plugin does not encode.
fn own_address(base: &str, repeated: &[(String, String)], number: u64) -> String {
    let pairs = repeated
        .iter()
        .map(|(name, value)| ["&", name, "=", value].concat());
    let pairs: String = pairs.collect();
    if pairs.is_empty() {
        base.to_owned()
    } else {
        format!("{base}?page={number}{pairs}")
    }
}

/// The address of another page; the first one has no number.
fn address(base: &str, repeated: &[(String, String)], number: u64) -> String {
    let pair = |(name, value): &(String, String)| {
        format!("{name}={}", byte_serialize(value.as_bytes()).collect::<String>())
    };
    let mut pairs: Vec<String> = repeated.iter().map(pair).collect();
    if number > 1 {
        pairs.push(format!("page={number}"));
    }
    if pairs.is_empty() {
        return base.to_owned();
    }
    format!("{base}?{}", pairs.join("&"))
}

/// True if a list shows a post: those of the statuses that the call names, or all that its caller may see.
fn shows(call: &Call, record: &Members) -> bool {
    let status = text(record, "status");
    match call.items("status") {
        Some(asked) if asked.iter().any(|asked| asked != "0") => asked.iter().any(|asked| asked == status),
        _ if call.caller.may_write() => !matches!(status, "trash" | "auto-draft" | "inherit"),
        _ => status == "publish",
    }
}

/// Accounts that may write may name any status that WordPress has, others published records only.
fn check_status(call: &Call) -> Result<(), Refused> {
    let Some(asked) = call.items("status") else {
        return Ok(());
    };
    let is_known = |status: &String| {
        let is_internal = ["request-", "tribe-"]
            .iter()
            .any(|start| status.starts_with(start));
        status == "0" || is_internal || STATUSES.contains(&status.as_str())
    };
    let may_ask = if call.caller.may_write() {
        asked.iter().all(is_known)
    } else {
        asked == ["publish"]
    };
    may_ask.then_some(()).ok_or_else(|| Refused::invalid("status"))
}

/// True if every word of a search is in one of the texts, in any case, with and without accents; quotes hold a phrase
/// together.
fn mentions(search: &str, texts: &[&str]) -> bool {
    let search = folded_name(search);
    let texts: Vec<String> = texts.iter().map(|text| folded_name(text)).collect();
    let is_found = |word: &str| texts.iter().any(|text| text.contains(word));
    match search.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        Some(phrase) => is_found(phrase),
        None => search.split_whitespace().all(is_found),
    }
}

/// The numbers of a list argument; other texts name nothing.
fn numbers(call: &Call, name: &str) -> Option<Vec<u64>> {
    let items = call.items(name)?;
    Some(items.iter().filter_map(|item| item.parse().ok()).collect())
}

/// The records of a kind that an argument names by number.
fn named(call: &Call, store: &Store, kind: Kind, name: &'static str) -> Result<Option<Vec<u64>>, Refused> {
    let Some(ids) = numbers(call, name) else {
        return Ok(None);
    };
    if ids.iter().any(|id| store.get(kind, *id).is_none()) {
        return Err(Refused::invalid(name));
    }
    Ok(Some(ids))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_needs_every_word_in_any_case() {
        let texts = ["Weekly Jam 1", "bring your own instrument"];
        for (search, found) in [
            ("weekly", true),
            ("JÄM own", true),
            ("jam drums", false),
            ("\"weekly jam\"", true),
            ("\"jam weekly\"", false),
        ] {
            assert_eq!(mentions(search, &texts), found, "{search}");
        }
    }

    #[test]
    fn addresses_repeat_the_arguments() {
        let repeated = [("search".to_owned(), "a b".to_owned())];
        assert_eq!(address("@/", &repeated, 2), "@/?search=a+b&page=2");
        assert_eq!(address("@/", &[], 1), "@/");
        assert_eq!(own_address("@/", &repeated, 1), "@/?page=1&search=a b");
    }
}
