//! The members of a JSON object: each key once, however often it is sent.

use crate::wordpress::value::{Key, Value};

/// Merges repeated keys as PHP does: they have their first place and their last value. True if there are any.
///
/// Sorts places instead of hashing keys: that takes two bytes for each member, and no copy of a key.
pub(super) fn merge(mut sent: Vec<(Key, Value)>) -> (Vec<(Key, Value)>, bool) {
    let repeats = repeats(&sent);
    if repeats.is_empty() {
        return (sent, false);
    }
    let mut is_kept = vec![true; sent.len()];
    for (first, later) in repeats {
        let later = usize::from(later);
        let value = sent
            .get_mut(later)
            .map(|(_, value)| std::mem::replace(value, Value::Null));
        if let (Some((_, slot)), Some(value)) = (sent.get_mut(usize::from(first)), value) {
            *slot = value;
        }
        if let Some(is_kept) = is_kept.get_mut(later) {
            *is_kept = false;
        }
    }
    let mut is_kept = is_kept.into_iter();
    sent.retain(|_| is_kept.next().unwrap_or(true));
    (sent, true)
}

/// The first place of each repeated key, with each of its later places in order.
fn repeats(members: &[(Key, Value)]) -> Vec<(u16, u16)> {
    let key = |place: u16| members.get(usize::from(place)).map(|(key, _)| key);
    let mut places: Vec<u16> = (0..).take(members.len()).collect();
    places.sort_unstable_by(|&one, &other| key(one).cmp(&key(other)).then(one.cmp(&other)));
    let mut repeats = Vec::new();
    let mut first = None;
    for pair in places.windows(2) {
        let [one, other] = *pair else { continue };
        if key(one) == key(other) {
            repeats.push((*first.get_or_insert(one), other));
        } else {
            first = None;
        }
    }
    repeats
}
