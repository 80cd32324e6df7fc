//! The cost of an event, read as numbers as the plugin does (backend.md section 9).

use super::slug::strip_tags;

/// A cost as it was read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Cost {
    /// The text that is shown; empty without a cost.
    pub(super) shown: String,
    /// The currency symbol in front of a single amount.
    pub(super) symbol: String,
    /// The amounts in ascending order, as text; or the whole text when it holds none.
    pub(super) values: Vec<String>,
}

// === impl Cost ===

impl Cost {
    /// Reads a cost that a client sent.
    pub(super) fn read(sent: &str) -> Self {
        let text = strip_tags(sent).trim().to_owned();
        if text.is_empty() || text == "0" {
            return Self::default();
        }
        let mut values = amounts(&text);
        values.sort_by(|a, b| number(a).total_cmp(&number(b)));
        values.dedup();
        match values.as_slice() {
            [] => Self {
                shown: text.clone(),
                symbol: String::new(),
                values: vec![text],
            },
            [only] => {
                let symbol = symbol_before(&text);
                let shown = format!("{}{only}", if symbol.is_empty() { "$" } else { &symbol });
                Self {
                    shown,
                    symbol,
                    values,
                }
            }
            // A thousands separator splits one amount in two, of which only the smaller is shown.
            [least, ..] if text.contains(',') => Self {
                shown: format!("${least}"),
                symbol: String::new(),
                values,
            },
            [least, .., most] => Self {
                shown: format!("${least} – ${most}"),
                symbol: String::new(),
                values,
            },
        }
    }
}

/// `5-15` holds two amounts, `1,250.50` the two halves `1250` and `.50`.
fn amounts(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut amount = String::new();
    let mut thousands = false;
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let digit_follows = characters.peek().is_some_and(char::is_ascii_digit);
        match character {
            '0'..='9' => amount.push(character),
            ',' if !amount.is_empty() && digit_follows => thousands = true,
            '.' if digit_follows => {
                if thousands {
                    found.push(std::mem::take(&mut amount));
                }
                amount.push('.');
            }
            _ => {
                found.push(std::mem::take(&mut amount));
                thousands = false;
            }
        }
    }
    found.push(amount);
    found.retain(|amount| !amount.is_empty());
    found
}

fn symbol_before(text: &str) -> String {
    let symbol: String = text
        .chars()
        .take_while(|c| !c.is_ascii_digit() && *c != '.')
        .collect();
    let symbol = symbol.trim();
    if symbol.chars().count() > 3 || symbol.contains(char::is_alphanumeric) {
        return String::new();
    }
    symbol.to_owned()
}

fn number(amount: &str) -> f64 {
    amount.parse().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_recorded_costs() {
        let cases: [(&str, &str, &str, &[&str]); 11] = [
            ("10", "$10", "", &["10"]),
            ("$ 12.50", "$12.50", "$", &["12.50"]),
            ("€25", "€25", "€", &["25"]),
            ("5-15", "$5 – $15", "", &["5", "15"]),
            ("10 - 20 USD", "$10 – $20", "", &["10", "20"]),
            ("free", "free", "", &["free"]),
            ("-5", "-5", "-", &["5"]),
            ("1,234.56", "$.56", "", &[".56", "1234"]),
            ("$1,250.50", "$.50", "", &[".50", "1250"]),
            ("<b>5</b>", "$5", "", &["5"]),
            ("0", "", "", &[]),
        ];
        for (sent, shown, symbol, values) in cases {
            let cost = Cost::read(sent);
            assert_eq!(
                (cost.shown.as_str(), cost.symbol.as_str()),
                (shown, symbol),
                "{sent}"
            );
            assert_eq!(cost.values, values, "{sent}");
        }
    }
}
