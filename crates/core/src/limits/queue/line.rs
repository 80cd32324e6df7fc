//! The line itself: places in two ranks, first come first served in each.

use std::collections::VecDeque;
use std::time::Duration;

use super::overload::Overload;

/// A line of tickets before a few permits.
#[derive(Debug)]
pub struct WaitingLine {
    places: usize,
    protected: VecDeque<Waiter>,
    anonymous: VecDeque<Waiter>,
    overload: Overload,
    last_number: u64,
    /// Permits for protected requests in a row while anonymous ones waited.
    row: u32,
}

/// The priority of a request while there are more than the site can respond to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Rank {
    /// Writes, and requests with credentials.
    Protected,
    /// Reads without credentials, which clients can repeat.
    Anonymous,
}

/// The mark of one request in the line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Ticket {
    number: u64,
    pub(super) rank: Rank,
}

/// The reason why a request does not wait, or waits no longer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Shed {
    /// All places are taken.
    Full,
    /// An anonymous read comes while the site cannot respond to all requests.
    Overload,
    /// The place of an anonymous read was given to a protected request.
    Displaced,
    /// It has waited for as long as any request may.
    Overdue,
}

#[derive(Debug, Clone, Copy)]
struct Waiter {
    number: u64,
    entered: Duration,
    /// The number of those ahead in its rank when it came.
    ahead: usize,
}

/// Permits for protected requests before an anonymous read gets one, if both wait. The edge cannot check credentials:
/// a flood that only claims to have some must not stop all other clients.
const ROW: u32 = 3;

/// One place in so many is not for protected requests, for the same reason.
pub(super) const RESERVE: usize = 8;

/// The wait that remains while overload lasts: one in so many of the longest wait of a request.
const TARGET: u32 = 5;

/// The time after which longer waits count as lasting overload, in the same measure.
const INTERVAL: u32 = 5;

// === impl WaitingLine ===

impl WaitingLine {
    /// An empty line of at most so many tickets. The target of overload follows from `patience`, the longest wait of a
    /// request, which the caller enforces.
    pub fn new(places: usize, patience: Duration) -> Self {
        Self {
            places,
            protected: VecDeque::new(),
            anonymous: VecDeque::new(),
            overload: Overload::new(patience / TARGET, patience / INTERVAL),
            last_number: 0,
            row: 0,
        }
    }

    /// The number of tickets that wait.
    pub fn len(&self) -> usize {
        self.protected.len() + self.anonymous.len()
    }

    /// Returns true if no ticket waits.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Takes a place at the end of a rank. A full line gives a protected request the place of the newest anonymous
    /// read, down to the eighth of the places that anonymous reads keep. Returns the mark of the request, and that of the
    /// read which has lost its place to it.
    ///
    /// # Errors
    ///
    /// [`Shed::Full`], and [`Shed::Overload`] for an anonymous read.
    pub fn enter(&mut self, rank: Rank, now: Duration) -> Result<(Ticket, Option<Ticket>), Shed> {
        let displaced = self.room(rank, now)?;
        self.last_number += 1;
        let number = self.last_number;
        let waiters = self.rank(rank);
        waiters.push_back(Waiter {
            number,
            entered: now,
            ahead: waiters.len(),
        });
        Ok((Ticket { number, rank }, displaced))
    }

    /// Gives up a place. Nothing happens if the ticket has none any more.
    pub fn leave(&mut self, ticket: Ticket, now: Duration) {
        let waiters = self.rank(ticket.rank);
        // Numbers ascend.
        let position = waiters.binary_search_by_key(&ticket.number, |waiter| waiter.number);
        let Some(left) = position.ok().and_then(|position| waiters.remove(position)) else {
            return;
        };
        if ticket.rank == Rank::Anonymous {
            let waited = now.saturating_sub(left.entered);
            self.overload.waits(waited, now);
        }
    }

    /// The ticket that gets a permit that is free now, and leaves the line with it.
    pub fn next(&mut self, now: Duration) -> Option<Ticket> {
        let Some(rank) = self.turn() else {
            self.overload.ended();
            return None;
        };
        let first = self.rank(rank).pop_front()?;
        if rank == Rank::Anonymous {
            self.row = 0;
            let waited = now.saturating_sub(first.entered);
            self.overload.granted(waited, first.ahead, now);
        } else if self.anonymous.is_empty() {
            self.row = 0;
        } else {
            self.row += 1;
        }
        let number = first.number;
        Some(Ticket { number, rank })
    }

    /// Returns true if a permit that became free now would go to this ticket.
    #[cfg(test)]
    pub(super) fn is_first(&self, ticket: Ticket) -> bool {
        let first = match self.turn() {
            Some(Rank::Protected) => self.protected.front(),
            Some(Rank::Anonymous) => self.anonymous.front(),
            None => None,
        };
        first.is_some_and(|waiter| waiter.number == ticket.number)
    }

    /// The rank whose turn it is.
    fn turn(&self) -> Option<Rank> {
        match (self.protected.is_empty(), self.anonymous.is_empty()) {
            (true, true) => None,
            (true, false) => Some(Rank::Anonymous),
            (false, false) if self.row >= ROW => Some(Rank::Anonymous),
            (false, _) => Some(Rank::Protected),
        }
    }

    /// Makes room for one more of a rank; the ticket that loses its place, if one does.
    fn room(&mut self, rank: Rank, now: Duration) -> Result<Option<Ticket>, Shed> {
        let is_full = self.len() >= self.places;
        match rank {
            Rank::Anonymous if is_full => Err(Shed::Full),
            Rank::Anonymous if self.admits(now) => Ok(None),
            Rank::Anonymous => Err(Shed::Overload),
            Rank::Protected if !is_full => Ok(None),
            Rank::Protected if self.anonymous.len() > self.places / RESERVE => {
                let newest = self.anonymous.pop_back();
                Ok(newest.map(|waiter| Ticket {
                    number: waiter.number,
                    rank: Rank::Anonymous,
                }))
            }
            Rank::Protected => Err(Shed::Full),
        }
    }

    /// Returns true if one more anonymous read may wait.
    fn admits(&mut self, now: Duration) -> bool {
        if let Some(oldest) = self.anonymous.front() {
            let waited = now.saturating_sub(oldest.entered);
            self.overload.waits(waited, now);
        }
        self.overload.admits(self.anonymous.len(), now)
    }

    const fn rank(&mut self, rank: Rank) -> &mut VecDeque<Waiter> {
        match rank {
            Rank::Protected => &mut self.protected,
            Rank::Anonymous => &mut self.anonymous,
        }
    }
}

// === impl Shed ===

impl Shed {
    /// All reasons.
    pub const ALL: [Self; 4] = [Self::Full, Self::Overload, Self::Displaced, Self::Overdue];

    /// The name in metrics.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn line(places: usize) -> WaitingLine {
        WaitingLine::new(places, 5 * SECOND)
    }

    fn ticket(line: &mut WaitingLine, rank: Rank) -> Ticket {
        line.enter(rank, Duration::ZERO).expect("a place").0
    }

    #[test]
    fn a_full_line_refuses_those_who_cannot_displace() {
        let mut line = line(2);
        let older = ticket(&mut line, Rank::Anonymous);
        let newer = ticket(&mut line, Rank::Anonymous);
        assert_eq!(line.enter(Rank::Anonymous, Duration::ZERO), Err(Shed::Full));
        for displaced in [newer, older] {
            let (_, loser) = line.enter(Rank::Protected, Duration::ZERO).expect("a place");
            assert_eq!(loser, Some(displaced));
        }
        assert_eq!(line.enter(Rank::Protected, Duration::ZERO), Err(Shed::Full));
    }

    #[test]
    fn anonymous_reads_keep_an_eighth_of_the_places() {
        let mut line = line(16);
        for _ in 0..16 {
            ticket(&mut line, Rank::Anonymous);
        }
        for _ in 0..14 {
            ticket(&mut line, Rank::Protected);
        }
        assert_eq!(line.enter(Rank::Protected, SECOND), Err(Shed::Full));
        assert_eq!(line.len(), 16);
    }

    #[test]
    fn every_fourth_permit_is_for_an_anonymous_read() {
        let mut line = line(20);
        for rank in [Rank::Anonymous, Rank::Protected] {
            for _ in 0..8 {
                ticket(&mut line, rank);
            }
        }
        let ranks = std::iter::from_fn(|| line.next(SECOND)).map(|ticket| match ticket.rank {
            Rank::Protected => 'p',
            Rank::Anonymous => 'a',
        });
        assert_eq!(ranks.collect::<String>(), "pppapppappaaaaaa");
    }

    #[test]
    fn lasting_overload_refuses_the_newest_anonymous_reads_only() {
        let mut line = line(100);
        for _ in 0..50 {
            ticket(&mut line, Rank::Anonymous);
        }
        for tenth in 15..=30 {
            line.next(tenth * SECOND / 10);
        }
        let now = 3 * SECOND;
        assert_eq!(line.enter(Rank::Anonymous, now), Err(Shed::Overload));
        assert!(line.enter(Rank::Protected, now).is_ok());
        while line.next(now).is_some() {}
        assert!(line.enter(Rank::Anonymous, now).is_ok());
    }
}
