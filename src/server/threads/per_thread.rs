//! Values of which each thread uses its own.

use std::cell::Cell;

thread_local! {
    /// The number of this thread among those that serve, from 1; 0 for every other thread.
    static NUMBER: Cell<usize> = const { Cell::new(0) };
}

/// One value for each serving thread, and one for all other threads.
///
/// The value that a request uses stays with the request's thread: no other processor touches it.
#[derive(Debug)]
pub(crate) struct PerThread<T> {
    /// In the order of the threads' numbers.
    serving: Box<[T]>,
    others: T,
}

/// Makes this thread the serving thread of a number from 1 on.
pub(super) fn become_serving(number: usize) {
    NUMBER.set(number);
}

/// The place of this thread among those that serve, from 0 on; `None` for every other thread.
pub(super) fn index() -> Option<usize> {
    NUMBER.get().checked_sub(1)
}

// === impl PerThread ===

impl<T> PerThread<T> {
    /// One value more than there are serving threads.
    pub(crate) fn new(serving: usize, mut make: impl FnMut() -> T) -> Self {
        let others = make();
        let serving = std::iter::repeat_with(make).take(serving).collect();
        Self { serving, others }
    }

    /// The same of values that cannot always be made.
    ///
    /// # Errors
    ///
    /// The first error of `make`.
    pub(crate) fn try_new<E>(serving: usize, mut make: impl FnMut() -> Result<T, E>) -> Result<Self, E> {
        let others = make()?;
        let values = std::iter::repeat_with(make).take(serving);
        let serving = values.collect::<Result<_, _>>()?;
        Ok(Self { serving, others })
    }

    /// The value of the current thread. A serving thread beyond the number that this was made for is one of the others.
    pub(crate) fn own(&self) -> &T {
        index()
            .and_then(|index| self.serving.get(index))
            .unwrap_or(&self.others)
    }

    /// The values of all threads.
    pub(crate) fn all(&self) -> impl Iterator<Item = &T> {
        self.serving.iter().chain(std::iter::once(&self.others))
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;

    #[test]
    fn each_serving_thread_has_its_own_value() {
        let mut next = 0..;
        let values = PerThread::new(2, || next.next().unwrap());
        let seen = |number| {
            std::thread::scope(|scope| {
                let thread = scope.spawn(|| {
                    become_serving(number);
                    *values.own()
                });
                thread.join().unwrap()
            })
        };
        assert_eq!([0, 1, 2, 3].map(seen), [0, 1, 2, 0]);
        assert!(values.all().eq(&[1, 2, 0]));
    }

    #[test]
    fn a_value_that_cannot_be_made_ends_it() {
        assert!(PerThread::<()>::try_new(2, || Err("no memory")).is_err());
        assert!(PerThread::try_new(0, || Ok::<_, Infallible>(())).is_ok());
    }
}
