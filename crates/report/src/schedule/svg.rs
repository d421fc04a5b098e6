//! A schedule as SVG: one file, no script, no font to load, fit for a paper and for a web page.

use super::axis;
use super::letters;
use super::palette::{colour, RED};
use super::picture::{Arrow, ArrowKind, Block, Fill, Link, Picture, Sign, Slope, Strip};
use super::svg_shapes::{
    arrow_path, link_path, mark, paints, sign_path, slope_path, strip_path, DEFINITIONS, INK,
};
use super::{Lanes, Schedule};
use crate::context::Context;
use core::fmt::Write;
use schedlab_model::Instant;

/// Measures in pixels.
const WIDTH: f64 = 960.0;
const TOP: f64 = 14.0;
const RIGHT: f64 = 22.0;
const FONT: f64 = 12.0;
/// Greatest width of a lane's label.
const LABEL: f64 = 220.0;
const AXIS: f64 = 26.0;
const LEGEND_ROW: f64 = 20.0;

/// The vertical measures of a lane: its height, and of its boxes and arrows, which stand on its line.
pub(super) struct Measures {
    lane: f64,
    block: f64,
    arrow: f64,
}

/// Measures of lanes without arrows.
pub(super) const NARROW: Measures = Measures { lane: 24.0, block: 16.0, arrow: 16.0 };

struct Svg<'a> {
    picture: &'a Picture,
    measures: &'a Measures,
    left: f64,
    out: String,
}

impl Schedule {
    /// The schedule as a standalone SVG document.
    pub fn svg(&self, context: &Context, lanes: Lanes) -> String {
        let picture = self.picture(context, lanes);
        let measures = match lanes {
            Lanes::Processors => Measures { lane: 34.0, block: 24.0, arrow: 24.0 },
            Lanes::Tasks => Measures { lane: 44.0, block: 20.0, arrow: 33.0 },
        };
        document(&picture, &measures)
    }
}

/// A drawing as a standalone SVG document.
pub(super) fn document(picture: &Picture, measures: &Measures) -> String {
    let widths = picture.labels.iter().map(|label| letters::width(label, FONT));
    let left = widths.fold(0.0, f64::max).min(LABEL).ceil() + 22.0;
    Svg { picture, measures, left, out: String::new() }.draw()
}

impl Svg<'_> {
    fn draw(mut self) -> String {
        let legend = self.legend();
        let lanes = self.bottom();
        let height = lanes + AXIS + legend.1;
        let title = escape(&self.picture.title);
        let _ = write!(
            self.out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{height}\" viewBox=\"0 0 {WIDTH} {height}\" \
             role=\"img\" aria-label=\"{title}\" font-family=\"Helvetica, Arial, sans-serif\" font-size=\"12\" fill=\"#{INK}\">\n\
             <title>{title}</title>\n{DEFINITIONS}<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
        );
        self.axis();
        for lane in 0..self.picture.labels.len() {
            self.lane(lane);
        }
        self.picture.slopes.iter().for_each(|slope| self.slope(slope));
        self.picture.blocks.iter().for_each(|block| self.block(block));
        self.picture.blocks.iter().for_each(|block| self.mark(block));
        self.picture.strips.iter().for_each(|strip| self.strip(strip));
        // What went wrong is drawn last, so that nothing hides it.
        let (bad, good): (Vec<&Arrow>, Vec<&Arrow>) =
            self.picture.arrows.iter().partition(|arrow| arrow.kind == ArrowKind::Miss);
        self.picture.links.iter().for_each(|link| self.link(link));
        good.into_iter().chain(bad).for_each(|arrow| self.arrow(arrow));
        self.out += &legend.0;
        self.out += "</svg>\n";
        self.out
    }

    fn x(&self, at: Instant) -> f64 {
        let window = self.picture.window;
        let share = at.saturating_since(window.from).as_ns() as f64 / window.length().as_ns().max(1) as f64;
        self.left + share * (WIDTH - RIGHT - self.left)
    }

    /// The line on which a lane's boxes stand.
    fn base(&self, lane: usize) -> f64 {
        TOP + (lane + 1) as f64 * self.measures.lane
    }

    fn bottom(&self) -> f64 {
        self.base(self.picture.labels.len().max(1) - 1)
    }

    fn axis(&mut self) {
        let times = axis::round_times(self.picture.window, 14);
        let (unit, size) = self.picture.unit.map_or_else(|| axis::unit(&times), |unit| (unit, 1));
        let bottom = self.bottom();
        for time in &times {
            let (x, label) = (self.x(*time), time.as_ns() / size);
            let y = bottom + 17.0;
            let _ = writeln!(
                self.out,
                "<path d=\"M{x:.2} {TOP}V{:.2}\" stroke=\"#e3e6ea\"/><text x=\"{x:.2}\" y=\"{y}\" text-anchor=\"middle\" \
                 font-size=\"11\" fill=\"#57606a\">{label}</text>",
                bottom + 4.0
            );
        }
        let (x, y) = (self.left - 10.0, bottom + 17.0);
        let _ = writeln!(
            self.out,
            "<text x=\"{x:.2}\" y=\"{y}\" text-anchor=\"end\" font-size=\"11\" fill=\"#57606a\">{unit}</text>"
        );
    }

    fn lane(&mut self, lane: usize) {
        let (y, right) = (self.base(lane), WIDTH - RIGHT + 8.0);
        let name = escape(&letters::fitted(&self.picture.labels[lane], FONT, LABEL));
        let (label_x, label_y) = (self.left - 10.0, y - self.measures.block / 2.0 + 4.0);
        let _ = writeln!(
            self.out,
            "<path d=\"M{:.2} {y}H{right}\" stroke=\"#8c959f\"/><text x=\"{label_x:.2}\" y=\"{label_y}\" \
             text-anchor=\"end\">{name}</text>",
            self.left
        );
    }

    fn block(&mut self, block: &Block) {
        let (x, width, height) =
            (self.x(block.from), self.x(block.to) - self.x(block.from), self.measures.block);
        let y = self.base(block.lane) - height;
        // An outline would drown what is thinner than itself.
        let stroke = if width >= 2.0 { " stroke=\"#1f2328\" stroke-width=\".6\"" } else { "" };
        let _ = write!(self.out, "<g><title>{}</title>", escape(&block.tip));
        let width = width.max(0.35);
        for paint in paints(block.fill) {
            let _ = write!(
                self.out,
                "<rect x=\"{x:.2}\" y=\"{y}\" width=\"{width:.2}\" height=\"{height}\" fill=\"{paint}\"{stroke}/>"
            );
        }
        let legible = !matches!(block.fill, Fill::Spinning(_));
        if legible && width > letters::width(&block.label, 10.5) + 4.0 {
            // Above the bar of a section, and legible on its stripes.
            let (up, halo) = match block.fill {
                Fill::Section(index) => {
                    (2.0, format!(" paint-order=\"stroke\" stroke=\"#{}\" stroke-width=\"3\"", colour(index)))
                }
                Fill::Colour(_) | Fill::Spinning(_) | Fill::Overhead | Fill::Wasted | Fill::Budget => {
                    (0.0, String::new())
                }
            };
            let (x, y) = (x + width / 2.0, y + height / 2.0 + 3.6 - up);
            let label = escape(&block.label);
            let _ = write!(
                self.out,
                "<text x=\"{x:.2}\" y=\"{y}\" text-anchor=\"middle\" font-size=\"10.5\"{halo}>{label}</text>"
            );
        }
        self.out += "</g>\n";
    }

    /// Draws a server's budget over a stretch of time: a line, and its filling below.
    fn slope(&mut self, slope: &Slope) {
        let (from, to, base) = (self.x(slope.from), self.x(slope.to), self.base(slope.lane));
        let height = |share: f64| base - share * self.measures.block;
        let path = slope_path((from, height(slope.begins)), (to, height(slope.ends)), base);
        let _ = writeln!(self.out, "<g><title>{}</title>{path}</g>", escape(&slope.tip));
    }

    /// Draws a mark over the boxes beside it, so that it is seen however short a section is, or the time that a job
    /// spins.
    fn mark(&mut self, block: &Block) {
        let (from, to, y) = (self.x(block.from), self.x(block.to), self.base(block.lane));
        if let Some(mark) = mark(block.fill, from, to, y) {
            let _ = writeln!(self.out, "<g><title>{}</title>{mark}</g>", escape(&block.tip));
        }
    }

    fn strip(&mut self, strip: &Strip) {
        let (from, to, y) = (self.x(strip.from), self.x(strip.to), self.base(strip.lane));
        let tip = escape(&strip.tip);
        let height = self.measures.block / 2.0;
        let path = strip_path(strip.kind, from, to, y, height);
        let _ = write!(self.out, "<g><title>{tip}</title>{path}");
        if !strip.label.is_empty() && to - from > letters::width(&strip.label, 9.5) + 8.0 {
            let (x, y, label) = ((from + to) / 2.0, y - height - 3.0, escape(&strip.label));
            let _ = write!(
                self.out,
                "<text x=\"{x:.2}\" y=\"{y}\" text-anchor=\"middle\" font-size=\"9.5\" fill=\"#{RED}\">{label}</text>"
            );
        }
        self.out += "</g>\n";
    }

    /// Draws a link from the middle of the waiter's lane to the bar of the job for which it waits.
    fn link(&mut self, link: &Link) {
        if link.from == link.to {
            return; // An earlier job of the same task.
        }
        let x = self.x(link.at);
        let from = self.base(link.from) - self.measures.block / 2.0;
        let to =
            if link.to > link.from { self.base(link.to) - self.measures.block } else { self.base(link.to) };
        let _ = writeln!(self.out, "<g><title>{}</title>{}</g>", escape(&link.tip), link_path(x, from, to));
    }

    fn arrow(&mut self, arrow: &Arrow) {
        let (x, y) = (self.x(arrow.at), self.base(arrow.lane));
        let path = arrow_path(arrow.kind, x, y, self.measures.arrow, self.measures.block);
        let _ = writeln!(self.out, "<g><title>{}</title>{path}</g>", escape(&arrow.tip));
    }

    /// The legend, below the axis, and its height.
    fn legend(&self) -> (String, f64) {
        let (mut out, mut x, mut row) = (String::new(), self.left, 0);
        for sign in &self.picture.legend {
            let name = match sign {
                Sign::Fill(_, name) => letters::fitted(name, 11.0, 150.0),
                Sign::Strip(..) | Sign::Arrow(..) | Sign::Link(_) => sign.name().to_owned(),
            };
            let width = 24.0 + letters::width(&name, 11.0) + 10.0;
            if x + width > WIDTH - RIGHT && x > self.left {
                (x, row) = (self.left, row + 1);
            }
            let y = self.bottom() + AXIS + 14.0 + f64::from(row) * LEGEND_ROW;
            out += &sign_path(sign, x, y);
            let _ = writeln!(
                out,
                "<text x=\"{:.2}\" y=\"{y}\" font-size=\"11\">{}</text>",
                x + 22.0,
                escape(&name)
            );
            x += width;
        }
        let height = if self.picture.legend.is_empty() { 4.0 } else { f64::from(row + 1) * LEGEND_ROW + 6.0 };
        (out, height)
    }
}

fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            // XML knows no other control characters.
            c if c.is_control() && !matches!(c, '\n' | '\t') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}
