//! A call that the judge admitted: its operation, its caller, and the values of its arguments.

use calendar_edge_judge::call::CanonicalRequest;
use calendar_edge_judge::contract::Operation;
use calendar_edge_judge::wordpress::value::numeric;
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use serde_json::Value;
use url::form_urlencoded;

use crate::caller::Caller;
use crate::dates;
use crate::record::Members;

/// A call that the judge admitted.
#[derive(Debug)]
pub(crate) struct Call {
    pub(crate) operation: &'static Operation,
    /// The number or the slug in the path.
    pub(crate) target: Option<String>,
    /// The arguments as the judge encoded them: those of the query as texts and lists, those of a body as JSON.
    arguments: Members,
    pub(crate) caller: Caller,
    pub(crate) now: Timestamp,
    pub(crate) zone: TimeZone,
    /// The address of the site whose pages records name.
    pub(crate) pages: String,
}

// === impl Call ===

impl Call {
    /// A call at this moment, to a site of this time zone and with pages at this address.
    pub(crate) fn new(
        operation: &'static Operation,
        request: &CanonicalRequest,
        caller: Caller,
        now: Timestamp,
        (zone, pages): (TimeZone, String),
    ) -> Self {
        let path = request.path("");
        let target = operation.id.route.path_parameter();
        let target = target.and_then(|_| path.rsplit_once('/').map(|(_, last)| last.to_owned()));
        let mut arguments = of_query(&request.pairs);
        if let Some(body) = &request.body
            && let Ok(Value::Object(members)) = serde_json::from_slice(body)
        {
            arguments.extend(members);
        }
        Self {
            operation,
            target,
            arguments,
            caller,
            now,
            zone,
            pages,
        }
    }

    /// The value of an argument, unless it is null.
    pub(crate) fn value(&self, name: &str) -> Option<&Value> {
        self.arguments.get(name).filter(|value| !value.is_null())
    }

    /// An argument as text.
    pub(crate) fn text(&self, name: &str) -> Option<String> {
        self.value(name).and_then(text_of)
    }

    /// An argument as text, unless PHP calls it empty.
    pub(crate) fn filled(&self, name: &str) -> Option<String> {
        self.text(name).filter(|text| !matches!(text.as_str(), "" | "0"))
    }

    /// An argument as a number above zero.
    pub(crate) fn number(&self, name: &str) -> Option<u64> {
        self.value(name).and_then(number_of)
    }

    /// An argument as true or false.
    pub(crate) fn flag(&self, name: &str) -> Option<bool> {
        let text = self.text(name)?.to_ascii_lowercase();
        Some(!matches!(text.as_str(), "" | "0" | "false" | "no" | "off"))
    }

    /// An argument that the plugin does not check: some words mean true, as a list does, and every other text false.
    pub(crate) fn truth(&self, name: &str) -> Option<bool> {
        const TRUE: [&str; 7] = ["1", "enable", "enabled", "on", "y", "yes", "true"];
        let value = self.value(name)?;
        Some(text_of(value).is_none_or(|text| TRUE.iter().any(|word| text.eq_ignore_ascii_case(word))))
    }

    /// The entries of a list: an array, or a text with commas.
    pub(crate) fn items(&self, name: &str) -> Option<Vec<String>> {
        self.value(name).map(items_of)
    }

    /// The arguments of the query as an address repeats them, without the number of the page.
    pub(crate) fn repeated(&self) -> Vec<(String, String)> {
        let repeated = self.arguments.iter().filter(|(name, _)| *name != "page");
        let spelled = |value: &Value| text_of(value).unwrap_or_else(|| items_of(value).join(","));
        repeated
            .map(|(name, value)| (name.clone(), spelled(value)))
            .collect()
    }

    /// An argument as a date.
    pub(crate) fn date(&self, name: &str) -> Option<DateTime> {
        dates::read(&self.filled(name)?, self.wall())
    }

    /// The wall clock at the site.
    pub(crate) fn wall(&self) -> DateTime {
        self.zone.to_datetime(self.now)
    }

    /// The UTC clock.
    pub(crate) fn utc(&self) -> DateTime {
        TimeZone::UTC.to_datetime(self.now)
    }
}

/// The pairs of a query. Those of one name with brackets are a list.
fn of_query(pairs: &str) -> Members {
    let mut arguments = Members::new();
    for (name, value) in form_urlencoded::parse(pairs.as_bytes()) {
        let value = Value::from(value.into_owned());
        match name.split_once('[') {
            None => drop(arguments.insert(name.into_owned(), value)),
            Some((name, _)) => match arguments.get_mut(name) {
                Some(Value::Array(list)) => list.push(value),
                _ => drop(arguments.insert(name.to_owned(), Value::Array(vec![value]))),
            },
        }
    }
    arguments
}

/// A scalar as PHP prints it.
pub(crate) fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::Null | Value::Bool(false) => Some(String::new()),
        Value::Bool(true) => Some("1".to_owned()),
        Value::Number(number) => Some(number.to_string()),
        Value::String(text) => Some(text.clone()),
        Value::Array(_) | Value::Object(_) => None,
    }
}

/// A scalar as a record's number; none for 0 and what is no number.
pub(crate) fn number_of(value: &Value) -> Option<u64> {
    let number = numeric::int_prefix(text_of(value)?.trim().as_bytes());
    u64::try_from(number).ok().filter(|number| *number > 0)
}

pub(crate) fn items_of(value: &Value) -> Vec<String> {
    let items: Vec<String> = match value {
        Value::Array(items) => items.iter().filter_map(text_of).collect(),
        Value::Object(items) => items.values().filter_map(text_of).collect(),
        scalar => {
            let text = text_of(scalar).unwrap_or_default();
            text.split(',').map(str::to_owned).collect()
        }
    };
    let items = items.iter().map(|item| item.trim().to_owned());
    items.filter(|item| !item.is_empty()).collect()
}
