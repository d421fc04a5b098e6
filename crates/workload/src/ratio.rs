//! A non-negative rational number as a user writes it: `0.95`, `19/20`, `4`.

use core::fmt;
use core::str::FromStr;
use num_rational::BigRational;

/// A non-negative rational number, in lowest terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ratio(num_rational::Ratio<u64>);

impl Ratio {
    /// One.
    pub const ONE: Ratio = Ratio(num_rational::Ratio::new_raw(1, 1));

    /// `numerator / denominator`, or `None` if the denominator is zero.
    pub fn new(numerator: u64, denominator: u64) -> Option<Ratio> {
        (denominator > 0).then(|| Ratio(num_rational::Ratio::new(numerator, denominator)))
    }

    /// The whole number `value`.
    #[cfg(test)]
    pub(crate) fn whole(value: u64) -> Ratio {
        Ratio(value.into())
    }

    /// Returns the numerator.
    pub(crate) fn numerator(self) -> u64 {
        *self.0.numer()
    }

    /// Returns the denominator, which is positive.
    pub(crate) fn denominator(self) -> u64 {
        *self.0.denom()
    }

    /// The nearest floating-point number, for drawing and printing, not for deciding.
    pub(crate) fn to_f64(self) -> f64 {
        self.numerator() as f64 / self.denominator() as f64
    }

    pub(crate) fn exact(self) -> BigRational {
        BigRational::new(self.numerator().into(), self.denominator().into())
    }
}

impl FromStr for Ratio {
    type Err = ();

    fn from_str(text: &str) -> Result<Ratio, ()> {
        // `parse` alone would take a sign.
        let digits = |part: &str| match part.bytes().all(|byte| byte.is_ascii_digit()) {
            true => part.parse::<u64>().map_err(|_| ()),
            false => Err(()),
        };
        if let Some((above, below)) = text.split_once('/') {
            return Ratio::new(digits(above)?, digits(below)?).ok_or(());
        }
        let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
        let scale = 10u64.checked_pow(fraction.len().try_into().map_err(|_| ())?).ok_or(())?;
        let numerator =
            digits(whole)?.checked_mul(scale).ok_or(())?.checked_add(digits(fraction)?).ok_or(())?;
        Ratio::new(numerator, scale).ok_or(())
    }
}

impl fmt::Display for Ratio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_decimals_exactly() {
        let read = |text: &str| text.parse::<Ratio>().map(|r| r.exact());
        assert_eq!(read("0.95"), Ok(Ratio::new(19, 20).unwrap().exact()));
        assert_eq!(read("19/20"), read("0.95"));
        assert_eq!("4".parse(), Ok(Ratio::whole(4)));
        assert_eq!("0.950".parse::<Ratio>().unwrap().to_string(), "19/20");
        assert_eq!("0/7".parse(), Ok(Ratio::whole(0)));
        for wrong in ["", "-1", "+1", "1/0", "1.", ".5", "a", "1e3", "0x1", "1/2/3", "99999999999999999999"] {
            assert_eq!(read(wrong), Err(()), "{wrong}");
        }
    }
}
