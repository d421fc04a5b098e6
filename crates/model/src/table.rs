//! Lookups in dense tables.
//!
//! A failed lookup here does not report the place, so that the place is only compared with the table's length. That
//! takes an instruction less than `table[place]`. A simulated job costs some thirty lookups.

/// Returns the entry of `table` at `place`. Panics if the table is shorter.
#[inline(always)]
#[track_caller]
pub fn at<T>(table: &[T], place: usize) -> &T {
    match table.get(place) {
        Some(entry) => entry,
        None => nothing_there(),
    }
}

/// Returns the entry of `table` at `place`, to be changed. Panics if the table is shorter.
#[inline(always)]
#[track_caller]
pub fn at_mut<T>(table: &mut [T], place: usize) -> &mut T {
    match table.get_mut(place) {
        Some(entry) => entry,
        None => nothing_there(),
    }
}

#[cold]
#[inline(never)]
#[track_caller]
fn nothing_there() -> ! {
    panic!("the table is shorter")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_is_there() {
        let mut table = [1, 2, 3];
        *at_mut(&mut table, 1) = 5;
        assert_eq!((*at(&table, 0), *at(&table, 1), *at(&table, 2)), (1, 5, 3));
    }

    #[test]
    #[should_panic(expected = "the table is shorter")]
    fn panics_beyond_the_end() {
        at(&[1, 2, 3], 3);
    }
}
