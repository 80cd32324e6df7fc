//! `a=1&b[]=2` as PHP fills its variables: mangled names, brackets, the last value wins.

use super::php::{Array, Key, Php, urldecoded};

/// PHP stops filling variables here (`max_input_vars`).
const MOST: usize = 1000;

/// PHP drops a variable with more brackets (`max_input_nesting_level`).
const DEEPEST: usize = 64;

/// The variables of a query or an urlencoded body.
pub(super) fn variables(text: &[u8]) -> Array {
    let mut filled = Array::default();
    let pairs = text.split(|&byte| byte == b'&').filter(|pair| !pair.is_empty());
    for pair in pairs.take(MOST) {
        let mut halves = pair.splitn(2, |&byte| byte == b'=');
        let name = urldecoded(halves.next().unwrap_or_default());
        let value = urldecoded(halves.next().unwrap_or_default());
        fill(&mut filled, &name, Php::Text(value));
    }
    filled
}

/// Sets one variable under a decoded name.
pub(super) fn fill(variables: &mut Array, name: &[u8], value: Php) {
    let name = name.split(|&byte| byte == 0).next().unwrap_or_default();
    let first = name.iter().position(|&byte| byte != b' ').unwrap_or(name.len());
    let name = &name[first..];
    let bracket = name.iter().position(|&byte| byte == b'[').unwrap_or(name.len());
    let base = Key::read(&underscored(&name[..bracket], b" ."));
    if bracket == 0 {
        return;
    }
    match steps(&name[bracket..]) {
        Steps::None => variables.set(base, value),
        Steps::Unclosed => variables.set(Key::read(&underscored(name, b" .[")), value),
        Steps::TooMany => variables.remove(&base),
        Steps::Into(steps) => {
            let mut place = variables.place(base);
            for step in steps {
                if !matches!(place, Php::Array(_)) {
                    *place = Php::Array(Array::default());
                }
                let Php::Array(inner) = place else { return };
                let Some(key) = step.or_else(|| inner.next_key()) else {
                    return;
                };
                place = inner.place(key);
            }
            *place = value;
        }
    }
}

fn underscored(name: &[u8], bytes: &[u8]) -> Vec<u8> {
    let replace = |byte: &u8| if bytes.contains(byte) { b'_' } else { *byte };
    name.iter().map(replace).collect()
}

/// The part of a name after its base.
enum Steps {
    None,
    /// The first bracket never closes: it belongs to a plain name.
    Unclosed,
    TooMany,
    /// A key for each bracket pair; none for an empty one.
    Into(Vec<Option<Key>>),
}

fn steps(brackets: &[u8]) -> Steps {
    let mut keys = Vec::new();
    let mut rest = brackets;
    while let Some(inside) = rest.strip_prefix(b"[") {
        if keys.len() == DEEPEST {
            return Steps::TooMany;
        }
        let blank = inside
            .first()
            .is_some_and(|byte| byte.is_ascii_whitespace() || *byte == 0x0b);
        let after_blank = &inside[usize::from(blank)..];
        if let Some(after) = after_blank.strip_prefix(b"]") {
            keys.push(None);
            rest = after;
            continue;
        }
        let Some(end) = inside.iter().position(|&byte| byte == b']') else {
            break;
        };
        keys.push(Some(Key::read(&inside[..end])));
        rest = &inside[end + 1..];
    }
    match (brackets, keys.is_empty()) {
        ([], _) => Steps::None,
        (_, true) => Steps::Unclosed,
        (_, false) => Steps::Into(keys),
    }
}

/// The fields of a plain multipart body; files are none.
pub(super) fn multipart(body: &[u8], boundary: &str) -> Array {
    let text = String::from_utf8_lossy(body).into_owned();
    let mut filled = Array::default();
    for part in text.split(&format!("--{boundary}")) {
        let Some((head, value)) = part.split_once("\r\n\r\n") else {
            continue;
        };
        let parameters = head.split(';').filter_map(|parameter| parameter.split_once('='));
        let (mut name, mut is_file) = (None, false);
        for (key, text) in parameters {
            match key.trim().to_ascii_lowercase().as_str() {
                "name" => name = Some(unquoted(text)),
                "filename" => is_file = true,
                _ => {}
            }
        }
        if let (Some(name), false) = (name, is_file) {
            let value = value.strip_suffix("\r\n").unwrap_or(value);
            fill(&mut filled, name.as_bytes(), Php::Text(value.as_bytes().to_vec()));
        }
    }
    filled
}

/// The text in quotes, or else up to a space.
fn unquoted(text: &str) -> &str {
    let quoted = text.strip_prefix('"').and_then(|rest| rest.split('"').next());
    quoted.unwrap_or_else(|| text.split_whitespace().next().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Asserted against `parse_str` of PHP 8.2.
    #[test]
    fn fills_what_php_fills() {
        let text = |text: &str| Php::Text(text.as_bytes().to_vec());
        let list = |texts: &[&str]| Php::Array(Array::of(texts.iter().map(|t| text(t))));
        let cases: [(&str, &[(&str, Php)]); 19] = [
            ("a=1&a=2", &[("a", text("2"))]),
            ("a[]=1&a=2", &[("a", text("2"))]),
            ("a=1&a[]=2", &[("a", list(&["2"]))]),
            ("per.page=1", &[("per_page", text("1"))]),
            ("%20per page=1", &[("per_page", text("1"))]),
            ("per[page=1", &[("per_page", text("1"))]),
            ("per[pa[ge.x=1", &[("per_pa_ge_x", text("1"))]),
            ("a[b][c=1", &[("a", Php::Array(keyed("b", text("1"))))]),
            ("id%00=30", &[("id", text("30"))]),
            ("..a=1", &[("__a", text("1"))]),
            ("[a]=1", &[]),
            ("=1&&a", &[("a", text(""))]),
            ("a[ ]=1", &[("a", list(&["1"]))]),
            ("a[0]=x&a[]=y", &[("a", list(&["x", "y"]))]),
            ("a[k]x=1", &[("a", Php::Array(keyed("k", text("1"))))]),
            ("a[[b]=1", &[("a", Php::Array(keyed("[b", text("1"))))]),
            ("a[ k]=1", &[("a", Php::Array(keyed(" k", text("1"))))]),
            ("a]=1", &[("a]", text("1"))]),
            ("a=%2&b=%zz+", &[("a", text("%2")), ("b", text("%zz "))]),
        ];
        for (query, expected) in cases {
            let mut array = Array::default();
            for (name, value) in expected {
                array.set(Key::read(name.as_bytes()), value.clone());
            }
            assert_eq!(variables(query.as_bytes()), array, "{query}");
        }
    }

    fn keyed(key: &str, value: Php) -> Array {
        let mut array = Array::default();
        array.set(Key::read(key.as_bytes()), value);
        array
    }
}
