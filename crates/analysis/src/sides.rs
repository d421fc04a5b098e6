//! The two sides of a condition as numbers that a reader can compare: exact, and evaluated only where they are read.
//!
//! A test that decides a million systems pays for keeping its terms, not for their decimals. Decimals are rounded to
//! the nearest, with as many digits as it takes for the printed numbers to compare as the exact ones do.

use crate::exact::{Fraction, Pair};
use crate::sentences::{Names, Say};
use num_bigint::{BigInt, BigUint};
use num_traits::{One, ToPrimitive, Zero};
use std::cmp::Ordering;
use std::fmt::{self, Formatter};

/// An exact number.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Quantity {
    /// A fraction.
    Fraction(Fraction),
    /// A fraction of whole numbers; the second is positive.
    Quotient(u128, u64),
    /// m - (m - 1) times a fraction.
    Rest {
        /// The number of processors, m.
        processors: u32,
        /// The fraction.
        of: Pair,
    },
    /// The sum of fractions.
    Sum(Vec<Pair>),
    /// The product of 1 + each fraction.
    ProductOfSuccessors(Vec<Pair>),
    /// n (2^(1/n) - 1), the bound of Liu and Layland for this number of tasks.
    LiuLayland(usize),
}

/// Unit in which numbers are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Unit {
    /// Percent.
    Percent,
    /// No unit.
    Plain,
}

/// Two sides that a test compares: `left` with the most that it may be. Prints "80%, at most 100%" or "120%, above
/// 100%".
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Sides(Box<Compared>);

/// Contents of [`Sides`], boxed so that reasons stay small.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Compared {
    left: Quantity,
    right: Quantity,
    holds: bool,
    unit: Unit,
}

/// One number, printed in percent.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Share(pub Quantity);

impl Sides {
    /// Utilizations or densities, in percent; `holds` is what the test found: whether `left` is at most `right`.
    pub fn percent(left: Quantity, right: Quantity, holds: bool) -> Sides {
        Sides(Box::new(Compared { left, right, holds, unit: Unit::Percent }))
    }

    /// The utilizations of tasks beside the number of processors.
    pub fn of_processors(terms: Vec<Pair>, processors: u32, holds: bool) -> Sides {
        Sides::percent(Quantity::Sum(terms), Quantity::whole(processors), holds)
    }

    /// The number that is compared.
    pub fn left(&self) -> &Quantity {
        &self.0.left
    }

    /// The most that it may be.
    pub fn right(&self) -> &Quantity {
        &self.0.right
    }

    /// True if the left number is at most the right one.
    pub fn holds(&self) -> bool {
        self.0.holds
    }

    /// Returns both numbers as text, with as many digits as it takes for the texts to compare as the numbers do.
    pub fn texts(&self) -> (String, String) {
        self.0.printed()
    }

    /// Numbers without a unit.
    pub(crate) fn plain(left: Quantity, right: Quantity, holds: bool) -> Sides {
        Sides(Box::new(Compared { left, right, holds, unit: Unit::Plain }))
    }
}

impl Quantity {
    /// A whole number, as a quantity.
    pub fn whole(number: u32) -> Quantity {
        Quantity::Quotient(number.into(), 1)
    }

    /// A fraction, as a quantity.
    pub fn quotient((numerator, denominator): Pair) -> Quantity {
        Quantity::Quotient(numerator.into(), denominator)
    }

    /// The fraction in lowest terms as text, such as "3/4"; `None` for an irrational number.
    pub fn exact(&self) -> Option<String> {
        match self.value() {
            Value::Rational(value) => Some(value.to_string()),
            Value::LiuLayland(_) => None,
        }
    }

    /// The number, rounded.
    pub fn rounded(&self) -> f64 {
        const DIGITS: u32 = 17;
        let units = self.value().rounded(DIGITS).units;
        units.to_f64().unwrap_or(f64::INFINITY) / 10f64.powi(DIGITS as i32)
    }

    fn value(&self) -> Value {
        match self {
            Quantity::Fraction(value) => Value::Rational(value.clone()),
            Quantity::Quotient(numerator, denominator) => {
                Value::Rational(Fraction::new(*numerator, *denominator))
            }
            Quantity::Rest { processors, of } => {
                let others = Fraction::integer(processors.saturating_sub(1));
                let taken = Fraction::new(of.0, of.1).times(&others);
                Value::Rational(Fraction::integer(*processors).minus(&taken))
            }
            Quantity::Sum(terms) => Value::Rational(Fraction::sum(terms)),
            Quantity::ProductOfSuccessors(terms) => Value::Rational(Fraction::product_of_successors(terms)),
            // Of one task it is 1, and of none as well.
            Quantity::LiuLayland(0 | 1) => Value::Rational(Fraction::integer(1)),
            Quantity::LiuLayland(tasks) => Value::LiuLayland(*tasks),
        }
    }
}

/// A quantity after its evaluation.
enum Value {
    Rational(Fraction),
    /// Liu and Layland's bound for n > 1 tasks, which is irrational.
    LiuLayland(usize),
}

/// A number times a power of ten, rounded.
struct Decimal {
    units: BigInt,
    is_exact: bool,
}

impl Value {
    /// Rounded to the nearest, with `digits` digits behind the point.
    fn rounded(&self, digits: u32) -> Decimal {
        let scale = BigInt::from(10u8).pow(digits);
        let value = match self {
            Value::Rational(value) => value.times(&Fraction::integer(scale)),
            Value::LiuLayland(tasks) => liu_layland(*tasks, digits).times(&Fraction::integer(scale)),
        };
        let units = value.plus(&Fraction::new(1, 2)).floor();
        let is_exact =
            matches!(self, Value::Rational(_)) && value.compare(&Fraction::integer(units.clone())).is_eq();
        Decimal { units, is_exact }
    }
}

/// n (2^(1/n) - 1) from below, off by far less than a unit of the last digit.
fn liu_layland(tasks: usize, digits: u32) -> Fraction {
    let bits = 4 * u64::from(digits) + 64 + u64::from(tasks.ilog2());
    let two = BigUint::from(2u8) << bits;
    let mut root = BigUint::one() << bits;
    for bit in (0..bits).rev() {
        let more = &root + (BigUint::one() << bit);
        if power(&more, tasks, bits) <= two {
            root = more;
        }
    }
    let above_one = BigInt::from(root) - (BigInt::one() << bits);
    Fraction::new(above_one * tasks, BigInt::one() << bits)
}

/// base^exponent with `bits` binary digits behind the point, rounded up at each step.
fn power(base: &BigUint, exponent: usize, bits: u64) -> BigUint {
    let round_up = (BigUint::one() << bits) - 1u8;
    let (mut power, mut square, mut left) = (BigUint::one() << bits, base.clone(), exponent);
    while left > 0 {
        if left % 2 == 1 {
            power = (power * &square + &round_up) >> bits;
        }
        square = (&square * &square + &round_up) >> bits;
        left /= 2;
    }
    power
}

impl Unit {
    /// Least number of digits behind the point of a number in this unit.
    const LEAST: u32 = 2;
    /// Most digits to which a number is rounded. Numbers that are even closer are rounded towards the side on which
    /// they are.
    const MOST: u32 = 30;

    /// Returns by how many digits a number in this unit is larger than without.
    fn shift(self) -> u32 {
        match self {
            Unit::Percent => 2,
            Unit::Plain => 0,
        }
    }

    fn least(self) -> u32 {
        // As many digits in all.
        Unit::LEAST + 2 - self.shift()
    }

    /// The number in this unit, with no more zeros at the end than show that it was rounded.
    fn text(self, decimal: &Decimal, digits: u32) -> String {
        let sign = if decimal.units < BigInt::zero() { "-" } else { "" };
        let width = digits as usize + 1;
        let all = format!("{:0>width$}", decimal.units.magnitude().to_string());
        let (whole, behind) = all.split_at(all.len() - digits as usize);
        let behind = if decimal.is_exact { behind.trim_end_matches('0') } else { behind };
        let point = if behind.is_empty() { "" } else { "." };
        let unit = match self {
            Unit::Percent => "%",
            Unit::Plain => "",
        };
        format!("{sign}{whole}{point}{behind}{unit}")
    }
}

impl Compared {
    /// Prints both numbers, such that the printed ones are in the order of the exact ones.
    fn printed(&self) -> (String, String) {
        let (left, right) = (self.left.value(), self.right.value());
        let order = match (&left, &right) {
            (Value::Rational(left), Value::Rational(right)) => left.compare(right),
            // One is rational and the other is not, so that they differ.
            _ if self.holds => Ordering::Less,
            _ => Ordering::Greater,
        };
        debug_assert_eq!(order.is_le(), self.holds, "a test and its reason compare alike");
        let at = |digits: u32| {
            let all = digits + self.unit.shift();
            (left.rounded(all), right.rounded(all))
        };
        let mut digits = self.unit.least();
        let (mut first, mut second) = at(digits);
        while first.units.cmp(&second.units) != order && digits < Unit::MOST {
            digits += 1;
            (first, second) = at(digits);
        }
        match (order, first.units.cmp(&second.units)) {
            (Ordering::Greater, Ordering::Equal) => first.units += 1,
            (Ordering::Less, Ordering::Equal) => second.units += 1,
            _ => {}
        }
        (self.unit.text(&first, digits), self.unit.text(&second, digits))
    }
}

impl Say for Sides {
    fn say(&self, _: &dyn Names, f: &mut Formatter<'_>) -> fmt::Result {
        let (left, right) = self.0.printed();
        let compared = if self.0.holds { "at most" } else { "above" };
        write!(f, "{left}, {compared} {right}")
    }
}

impl Say for Share {
    fn say(&self, _: &dyn Names, f: &mut Formatter<'_>) -> fmt::Result {
        let digits = Unit::Percent.least();
        let decimal = self.0.value().rounded(digits + Unit::Percent.shift());
        f.write_str(&Unit::Percent.text(&decimal, digits))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sentences::{Ids, Said};

    fn said(what: &dyn Say) -> String {
        Said::new(what, &Ids).to_string()
    }

    fn of_sum(terms: &[Pair], right: Quantity, holds: bool) -> String {
        said(&Sides::percent(Quantity::Sum(terms.to_vec()), right, holds))
    }

    /// The bounds of Liu and Layland's table, and their limit ln 2 = 0.693147...
    #[test]
    fn the_published_bounds() {
        let bound = |tasks| said(&Share(Quantity::LiuLayland(tasks)));
        let found = [1, 2, 3, 4, 10, 100_000].map(bound);
        assert_eq!(found, ["100%", "82.84%", "77.98%", "75.68%", "71.77%", "69.31%"]);
        let to_20 = Value::LiuLayland(2).rounded(20).units;
        assert_eq!(to_20.to_string(), "82842712474619009760");
    }

    #[test]
    fn digits_tell_the_sides_apart() {
        // 2 (sqrt 2 - 1) = 0.828427124746..., and a millionth on either side.
        let two = |millionths| vec![(millionths, 2_000_000); 2];
        let bound = Quantity::LiuLayland(2);
        assert_eq!(of_sum(&two(828_427), bound.clone(), true), "82.8427%, at most 82.84271%");
        assert_eq!(of_sum(&two(828_428), bound, false), "82.8428%, above 82.8427%");
        assert_eq!(of_sum(&[(1, 2)], Quantity::LiuLayland(3), true), "50%, at most 77.98%");
    }

    #[test]
    fn equal_sides_are_said_alike() {
        assert_eq!(of_sum(&[(1, 2), (1, 2)], Quantity::whole(1), true), "100%, at most 100%");
        assert_eq!(of_sum(&[(1, 6), (1, 6)], Quantity::quotient((1, 3)), true), "33.33%, at most 33.33%");
        let product = Quantity::ProductOfSuccessors(vec![(1, 2), (1, 3)]);
        assert_eq!(said(&Sides::plain(product, Quantity::whole(2), true)), "2, at most 2");
    }

    #[test]
    fn what_no_digits_tell_apart_is_said_from_its_side() {
        let tiny = Fraction::new(1, BigInt::from(10u8).pow(60));
        let above = Quantity::Fraction(Fraction::integer(1).plus(&tiny));
        let said = said(&Sides::plain(above, Quantity::whole(1), false));
        assert_eq!(said, format!("1.{}1, above 1", "0".repeat(29)));
    }

    #[test]
    fn a_rounded_number_keeps_its_zeros() {
        assert_eq!(said(&Share(Quantity::quotient((800_004, 1_000_000)))), "80.00%");
        assert_eq!(said(&Share(Quantity::quotient((4, 5)))), "80%");
        assert_eq!(said(&Share(Quantity::quotient((1, 3000)))), "0.03%");
        assert_eq!(said(&Share(Quantity::whole(12))), "1200%");
    }
}
