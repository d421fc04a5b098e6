//! Which m - 1 tasks begin a busy interval with a job left over: those where it costs most.

/// The sum of the `count` largest of `values`, which are reordered.
pub(super) fn sum_of_largest(values: &mut [u64], count: usize) -> u64 {
    if count == 0 {
        return 0;
    }
    if count < values.len() {
        values.select_nth_unstable_by(count - 1, |a, b| b.cmp(a));
    }
    values.iter().take(count).sum()
}

#[cfg(test)]
mod tests {
    use super::sum_of_largest;

    #[test]
    fn takes_the_largest_few() {
        let of = |count| sum_of_largest(&mut [3, 9, 1, 9, 4], count);
        assert_eq!([of(0), of(1), of(2), of(3), of(5), of(9)], [0, 9, 18, 22, 26, 26]);
        assert_eq!(sum_of_largest(&mut [], 3), 0);
    }
}
