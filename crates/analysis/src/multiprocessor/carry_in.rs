//! Choice of the m - 1 tasks that begin a busy interval with a job left over: those where it costs most.

/// Most values that are kept in order during one pass over all values.
const FEW: usize = 16;

/// The sum of the `count` largest of `values`, which may be reordered.
pub(super) fn sum_of_largest(values: &mut [u64], count: usize) -> u64 {
    if count == 0 || values.len() <= count {
        return if count == 0 { 0 } else { values.iter().sum() };
    }
    if count > FEW {
        return largest(values, count).iter().sum();
    }
    let mut kept = [0; FEW];
    let kept = &mut kept[..count];
    for &value in &*values {
        if value > kept[0] {
            let mut index = 0;
            while index + 1 < count && kept[index + 1] < value {
                kept[index] = kept[index + 1];
                index += 1;
            }
            kept[index] = value;
        }
    }
    kept.iter().sum()
}

/// The `count` largest of `values`, which may be reordered, the largest first.
pub(super) fn largest<T: Ord>(values: &mut [T], count: usize) -> &[T] {
    let count = count.min(values.len());
    if 0 < count && count < values.len() {
        values.select_nth_unstable_by(count - 1, |a, b| b.cmp(a));
    }
    values[..count].sort_unstable_by(|a, b| b.cmp(a));
    &values[..count]
}

#[cfg(test)]
mod tests {
    use super::{largest, sum_of_largest};

    #[test]
    fn takes_the_largest_in_order() {
        let of = |count| largest(&mut [3, 9, 1, 9, 4], count).to_vec();
        assert_eq!([of(0), of(1), of(3), of(9)], [vec![], vec![9], vec![9, 9, 4], vec![9, 9, 4, 3, 1]]);
    }

    #[test]
    fn takes_the_largest_few() {
        let of = |count| sum_of_largest(&mut [3, 9, 1, 9, 4], count);
        assert_eq!([of(0), of(1), of(2), of(3), of(5), of(9)], [0, 9, 18, 22, 26, 26]);
        assert_eq!(sum_of_largest(&mut [], 3), 0);
        // Many of many, where they are selected.
        let mut values: Vec<u64> = (0..100).map(|value| value * 37 % 100).collect();
        assert_eq!(sum_of_largest(&mut values, 16), (84..100).sum());
        assert_eq!(sum_of_largest(&mut values, 17), (83..100).sum());
    }
}
