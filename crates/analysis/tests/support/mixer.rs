//! A generator of which nothing but speed and reproducibility is asked: xorshift.

pub struct Mixer(pub u64);

impl Mixer {
    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        // The lowest bits are the poorest.
        (self.0 >> 11) % limit
    }
}
