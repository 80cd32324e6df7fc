//! The count of a list's records, compared with the records that its pages have shown.

use std::collections::BTreeSet;

/// The records that the pages of one list have shown.
///
/// A list without an order among equal records, or one that changes while it is read, shows some records twice and
/// others never. A record that leaves and one that comes between two pages may stay unnoticed.
#[derive(Debug, Clone, Default)]
pub struct ListCount {
    ids: BTreeSet<u64>,
    /// The least and the greatest number of records that a page stated.
    totals: Option<(u64, u64)>,
}

// === impl ListCount ===

impl ListCount {
    /// Adds the records of a page, and the number of records of the whole list; none: the page does not state it.
    pub fn add_page(&mut self, ids: impl IntoIterator<Item = u64>, total: Option<u64>) {
        self.ids.extend(ids);
        if let Some(total) = total {
            let (least, most) = self.totals.unwrap_or((total, total));
            self.totals = Some((least.min(total), most.max(total)));
        }
    }

    /// The reason for which records of the list may be missing; none: all that it counts were shown.
    pub fn shortfall(&self) -> Option<String> {
        let (least, most) = self.totals.unwrap_or_default();
        let shown = u64::try_from(self.ids.len()).unwrap_or(u64::MAX);
        if least != most {
            return Some(format!(
                "the list had {least} to {most} records while it was read"
            ));
        }
        (shown != most).then(|| format!("{shown} of {most} records were shown"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shortfall(pages: &[(&[u64], Option<u64>)]) -> Option<String> {
        let mut count = ListCount::default();
        for (ids, total) in pages {
            count.add_page(ids.iter().copied(), *total);
        }
        count.shortfall()
    }

    #[test]
    fn a_list_is_whole_when_it_shows_what_it_counts() {
        assert_eq!(shortfall(&[]), None);
        assert_eq!(shortfall(&[(&[], Some(0))]), None);
        assert_eq!(
            shortfall(&[(&[3, 1], Some(3)), (&[2], Some(3)), (&[], None)]),
            None
        );
    }

    #[test]
    fn a_record_that_two_pages_show_takes_the_place_of_another() {
        let twice = shortfall(&[(&[1, 2], Some(4)), (&[2, 4], Some(4))]);
        assert_eq!(twice.as_deref(), Some("3 of 4 records were shown"));
        let uncounted = shortfall(&[(&[1], None)]);
        assert_eq!(uncounted.as_deref(), Some("1 of 0 records were shown"));
    }

    #[test]
    fn a_list_that_changes_while_it_is_read_may_lack_records() {
        let changed = shortfall(&[(&[1, 2], Some(4)), (&[4], Some(3))]);
        let expected = "the list had 3 to 4 records while it was read";
        assert_eq!(changed.as_deref(), Some(expected));
    }
}
