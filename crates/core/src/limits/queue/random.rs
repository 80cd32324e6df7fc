//! Random lives of a line.

use std::time::Duration;

use proptest::prelude::*;

use super::line::RESERVE;
use super::*;

/// One step of a random life of a line.
#[derive(Debug, Clone, Copy)]
enum LineStep {
    Enter(Rank),
    Leave(prop::sample::Index),
    Next,
}

fn step() -> impl Strategy<Value = LineStep> {
    prop_oneof![
        2 => Just(LineStep::Enter(Rank::Protected)),
        4 => Just(LineStep::Enter(Rank::Anonymous)),
        1 => any::<prop::sample::Index>().prop_map(LineStep::Leave),
        3 => Just(LineStep::Next),
    ]
}

/// The tickets of one rank, in order.
fn of(waiting: &[Ticket], rank: Rank) -> Vec<Ticket> {
    waiting
        .iter()
        .copied()
        .filter(|ticket| ticket.rank == rank)
        .collect()
}

proptest! {
    #[test]
    fn nobody_is_lost_and_each_rank_is_served_in_order(
        places in 0_usize..12, steps in prop::collection::vec((step(), 0_u64..700), 0..200),
    ) {
        let mut line = WaitingLine::new(places, Duration::from_secs(5));
        let (mut now, mut waiting) = (Duration::ZERO, Vec::new());
        for (step, millis) in steps {
            now += Duration::from_millis(millis);
            match step {
                LineStep::Enter(rank) => {
                    let anonymous = of(&waiting, Rank::Anonymous);
                    match line.enter(rank, now) {
                        Ok((ticket, displaced)) => {
                            if let Some(displaced) = displaced {
                                prop_assert_eq!(rank, Rank::Protected);
                                prop_assert_eq!(waiting.len(), places);
                                prop_assert_eq!(Some(&displaced), anonymous.last());
                                waiting.retain(|other| *other != displaced);
                            }
                            waiting.push(ticket);
                        }
                        Err(shed) if rank == Rank::Protected => {
                            prop_assert_eq!(shed, Shed::Full);
                            prop_assert!(waiting.len() == places && anonymous.len() <= places / RESERVE);
                        }
                        Err(shed) => prop_assert!(shed != Shed::Full || waiting.len() == places),
                    }
                }
                LineStep::Leave(index) if !waiting.is_empty() => {
                    let ticket = waiting.remove(index.index(waiting.len()));
                    line.leave(ticket, now);
                    line.leave(ticket, now);
                }
                LineStep::Leave(_) => {}
                LineStep::Next => {
                    let first = waiting.iter().copied().find(|ticket| line.is_first(*ticket));
                    let next = line.next(now);
                    prop_assert_eq!(first, next);
                    prop_assert_eq!(next.is_none(), waiting.is_empty());
                    if let Some(next) = next {
                        prop_assert_eq!(of(&waiting, next.rank)[0], next);
                        waiting.retain(|other| *other != next);
                    }
                }
            }
            prop_assert_eq!(line.len(), waiting.len());
            prop_assert!(line.len() <= places);
        }
    }
}
