//! Colours that people with any colour vision tell apart: those of Okabe and Ito, "Color Universal
//! Design", 2008, lightened so that black letters are legible on them, in three shades.

const BASE: [(u8, u8, u8); 7] = [
    (86, 180, 233),
    (230, 159, 0),
    (0, 158, 115),
    (240, 228, 66),
    (204, 121, 167),
    (0, 114, 178),
    (213, 94, 0),
];

/// Percentage of white that is mixed in, for each further round of the colours.
const SHADES: [u16; 3] = [30, 62, 0];

/// The red of misses and other faults.
pub(super) const RED: &str = "c1121f";

/// Returns the `index`-th colour as six hexadecimal digits. Colours repeat after 21.
pub(super) fn colour(index: usize) -> String {
    let (r, g, b) = BASE[index % BASE.len()];
    let white = SHADES[index / BASE.len() % SHADES.len()];
    let mix = |part: u8| (u16::from(part) * (100 - white) + 255 * white) / 100;
    format!("{:02x}{:02x}{:02x}", mix(r), mix(g), mix(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_colours_differ() {
        let mut colours: Vec<String> = (0..21).map(colour).collect();
        assert_eq!(colours[5], "4c9cc9");
        colours.sort();
        colours.dedup();
        assert_eq!(colours.len(), 21);
    }
}
