//! PHP's rules for variable names such as `per.page`, `%20id` and `a[k][]` (backend.md section 4).

use crate::wordpress::value::numeric::is_blank;
use crate::wordpress::value::{Key, PhpArray, Value, split_once, split_while};

/// Number of variables that PHP reads; it silently drops all others (`max_input_vars`).
pub const PHP_VARIABLE_LIMIT: usize = 1000;

/// PHP discards a variable nested deeper than this (`max_input_nesting_level`).
const MAX_NESTING: usize = 64;

/// A long name counts for several elements, because each name is compared with those before it.
const BYTES_PER_ELEMENT: usize = 64;

/// A decoded variable name: its mangled base and the path of its brackets.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct VariableName {
    base: Vec<u8>,
    /// The brackets after the base; `None` for too many: PHP then also discards the previous value of the base.
    path: Option<Vec<NameStep>>,
}

/// One pair of brackets.
#[derive(Debug, PartialEq, Eq)]
enum NameStep {
    /// `[]`: the next free index.
    Append,
    /// `[key]`.
    Key(Vec<u8>),
}

// === impl VariableName ===

impl VariableName {
    /// Reads a name that is already percent-decoded; `None` if PHP registers nothing for it.
    pub(super) fn read(decoded: &[u8]) -> Option<Self> {
        let name = decoded.split(|&byte| byte == 0).next().unwrap_or_default();
        let (_, name) = split_while(name, |byte| byte == b' ');
        let (base, mut rest) = split_while(name, |byte| byte != b'[');
        let mut base: Vec<u8> = base.iter().map(|&byte| mangle(byte)).collect();
        if base.is_empty() {
            return None;
        }
        let mut steps = Vec::new();
        while let [b'[', inner @ ..] = rest {
            if steps.len() >= MAX_NESTING {
                return Some(Self { base, path: None });
            }
            let Some((step, after)) = bracket(inner) else {
                // An unpaired bracket belongs to the name of a plain variable, and ends the name of a nested
                // one.
                if steps.is_empty() {
                    base.push(b'_');
                    base.extend(inner.iter().map(|&byte| mangle_all(byte)));
                }
                break;
            };
            steps.push(step);
            rest = after;
        }
        Some(Self {
            base,
            path: Some(steps),
        })
    }

    /// Returns true if this is the variable of that name, or an element of it.
    pub(super) fn is_of(&self, name: &[u8]) -> bool {
        self.base == name
    }

    /// Returns true if it has no brackets.
    pub(super) fn is_plain(&self) -> bool {
        self.path.as_ref().is_some_and(Vec::is_empty)
    }

    /// The number of elements it counts for: the variable, each pair of brackets, and each 64 bytes of the name.
    pub(super) fn element_count(&self) -> usize {
        let steps = self.path.as_deref().unwrap_or_default();
        let keys = steps.iter().map(|step| match step {
            NameStep::Append => 0,
            NameStep::Key(key) => key.len(),
        });
        let bytes = self.base.len() + keys.sum::<usize>();
        1 + steps.len() + bytes / BYTES_PER_ELEMENT
    }

    /// Sets the variable: the last value wins, arrays grow.
    pub(super) fn register(self, variables: &mut PhpArray, value: Value) {
        let base = Key::from_bytes(self.base);
        let Some(steps) = self.path else {
            variables.remove(&base);
            return;
        };
        let Some((last, inner)) = steps.split_last() else {
            variables.insert(base, value);
            return;
        };
        let mut array = as_array(variables.entry(base, empty_array));
        for step in inner {
            let Some(key) = step.key(array) else { return };
            array = as_array(array.entry(key, empty_array));
        }
        if let Some(key) = last.key(array) {
            array.insert(key, value);
        }
    }
}

impl NameStep {
    /// The key; `None` if an array has used up all integers.
    fn key(&self, array: &PhpArray) -> Option<Key> {
        match self {
            Self::Append => array.next_index().map(Key::Int),
            Self::Key(text) => Some(Key::from_bytes(text.as_slice())),
        }
    }
}

/// The text inside a bracket pair and the text after it; `None` if the bracket never closes.
fn bracket(inner: &[u8]) -> Option<(NameStep, &[u8])> {
    // PHP skips one blank before it looks for an empty pair.
    let unblanked = match inner {
        [blank, tail @ ..] if is_blank(*blank) => tail,
        _ => inner,
    };
    if let [b']', after @ ..] = unblanked {
        return Some((NameStep::Append, after));
    }
    let (_, after) = split_once(unblanked, b']')?;
    // The key keeps the skipped blank.
    let (key, _) = inner.split_at(inner.len() - after.len() - 1);
    Some((NameStep::Key(key.to_vec()), after))
}

fn mangle(byte: u8) -> u8 {
    if matches!(byte, b' ' | b'.') { b'_' } else { byte }
}

/// After an unpaired bracket, further ones are mangled too.
fn mangle_all(byte: u8) -> u8 {
    if byte == b'[' { b'_' } else { mangle(byte) }
}

fn empty_array() -> Value {
    Value::Array(PhpArray::default())
}

/// The array in this slot; it replaces a scalar.
fn as_array(slot: &mut Value) -> &mut PhpArray {
    if !matches!(slot, Value::Array(_)) {
        *slot = empty_array();
    }
    match slot {
        Value::Array(array) => array,
        _ => unreachable!("an array was just put here"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::form::parse_form;

    /// Each expectation was printed by PHP's `parse_str`.
    #[test]
    fn follows_parse_str() {
        let cases = [
            ("per[page=1", r#"{"per_page":"1"}"#),
            ("per.page=1", r#"{"per_page":"1"}"#),
            ("%20per_page=1", r#"{"per_page":"1"}"#),
            ("per_page%00x=1", r#"{"per_page":"1"}"#),
            ("a[b][c=0", r#"{"a":{"b":"0"}}"#),
            ("a[b]c=1", r#"{"a":{"b":"1"}}"#),
            ("a[ ]=1", r#"{"a":["1"]}"#),
            ("a[ x]=1", r#"{"a":{" x":"1"}}"#),
            ("a[=1", r#"{"a_":"1"}"#),
            ("x[a.b]=1", r#"{"x":{"a.b":"1"}}"#),
            ("a.b[c.d]=1", r#"{"a_b":{"c.d":"1"}}"#),
            ("[x]=1", "[]"),
            ("=1", "[]"),
            ("a[[]=1", r#"{"a":{"[":"1"}}"#),
            ("a[b[c]=1", r#"{"a":{"b[c":"1"}}"#),
            ("per[pa ge[x=1", r#"{"per_pa_ge_x":"1"}"#),
            ("a=1&a[]=2", r#"{"a":["2"]}"#),
            ("a[]=1&a=2", r#"{"a":"2"}"#),
            (
                "a[x]=1&a[]=2&a[7]=1&a[]=5",
                r#"{"a":{"x":"1","0":"2","7":"1","8":"5"}}"#,
            ),
            ("a[%00]=1", r#"{"a_":"1"}"#),
            ("a[01]=1", r#"{"a":{"01":"1"}}"#),
            (
                "a[9223372036854775807]=1&a[]=2",
                r#"{"a":{"9223372036854775807":"1"}}"#,
            ),
            ("a[-5]=1&a[]=2", r#"{"a":{"-5":"1","-4":"2"}}"#),
            ("a&b&&c=", r#"{"a":"","b":"","c":""}"#),
        ];
        for (text, expected) in cases {
            let read = crate::wordpress::value::Value::Array(parse_form(text.as_bytes()));
            assert_eq!(
                crate::wordpress::value::to_json(&read).expect("UTF-8"),
                expected.as_bytes(),
                "{text}"
            );
        }
    }

    /// PHP's `parse_str` discards such a variable.
    #[test]
    fn forgets_a_variable_that_nests_too_deep() {
        let brackets = |count: usize| "[x]".repeat(count);
        let deep = parse_form(format!("a=1&b{}=1&a{}=2", brackets(64), brackets(65)).as_bytes());
        assert_eq!((deep.get("a"), deep.len()), (None, 1));
    }
}
