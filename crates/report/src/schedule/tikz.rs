//! A schedule as TikZ, in the manner of `rtsched`, for papers. Needs nothing but `\usepackage{tikz}`.

use super::palette::{colour, RED};
use super::picture::{ArrowKind, Fill, Picture, StripKind};
use super::ticks;
use super::{Lanes, Schedule};
use crate::context::Context;
use core::fmt::Write;
use schedlab_model::Instant;
use std::collections::BTreeSet;

/// Measures in centimetres.
const WIDTH: f64 = 14.0;
const LANE: f64 = 1.0;
const BLOCK: f64 = 0.45;
const ARROW: f64 = 0.75;

impl Schedule {
    /// The schedule as a `tikzpicture`.
    pub fn tikz(&self, context: &Context, lanes: Lanes) -> String {
        let picture = self.picture(context, lanes);
        let mut out = format!("% {}\n% needs \\usepackage{{tikz}}\n", picture.title);
        out += "\\begin{tikzpicture}[x=1cm,y=1cm,font=\\footnotesize]\n";
        definitions(&picture, &mut out);
        axis(&picture, &mut out);
        blocks(&picture, &mut out);
        strips(&picture, &mut out);
        arrows(&picture, &mut out);
        out += "\\end{tikzpicture}\n";
        out
    }
}

fn x(picture: &Picture, at: Instant) -> f64 {
    let window = picture.window;
    at.saturating_since(window.from).as_ns() as f64 / window.length().as_ns().max(1) as f64 * WIDTH
}

fn y(lane: usize) -> f64 {
    0.0 - lane as f64 * LANE
}

fn definitions(picture: &Picture, out: &mut String) {
    let used: BTreeSet<usize> = picture
        .blocks
        .iter()
        .filter_map(|block| match block.fill {
            Fill::Colour(index) | Fill::Spinning(index) => Some(index),
            Fill::Overhead | Fill::Wasted => None,
        })
        .collect();
    for index in used {
        let _ = writeln!(out, "\\definecolor{{schedlab{index}}}{{HTML}}{{{}}}", colour(index).to_uppercase());
    }
    let _ = writeln!(out, "\\definecolor{{schedlabmiss}}{{HTML}}{{{}}}", RED.to_uppercase());
}

fn axis(picture: &Picture, out: &mut String) {
    let ticks = ticks::ticks(picture.window, 14);
    let (unit, size) = ticks::unit(&ticks);
    let bottom = y(picture.labels.len().max(1) - 1);
    for tick in &ticks {
        let (at, label) = (x(picture, *tick), tick.as_ns() / size);
        let _ = writeln!(
            out,
            "\\draw[black!12] ({at:.4},{:.4}) -- ({at:.4},{:.4}) node[below,black!70,font=\\scriptsize] {{{label}}};",
            ARROW + 0.1,
            bottom - 0.08
        );
    }
    let unit = if unit == "us" { "$\\mu$s" } else { unit };
    let _ =
        writeln!(out, "\\node[left,black!70,font=\\scriptsize] at (-0.1,{:.4}) {{{unit}}};", bottom - 0.28);
    for (lane, label) in picture.labels.iter().enumerate() {
        let at = y(lane);
        let _ = writeln!(
            out,
            "\\draw[black!50] (0,{at:.4}) -- ({:.4},{at:.4});\n\\node[left] at (-0.1,{:.4}) {{{}}};",
            WIDTH + 0.15,
            at + BLOCK / 2.0,
            escape(label)
        );
    }
}

fn blocks(picture: &Picture, out: &mut String) {
    for block in &picture.blocks {
        let (left, right, base) = (x(picture, block.from), x(picture, block.to), y(block.lane));
        let rectangle = format!("({left:.4},{base:.4}) rectangle ({right:.4},{:.4})", base + BLOCK);
        let _ = match block.fill {
            Fill::Colour(index) => writeln!(out, "\\draw[very thin,fill=schedlab{index}] {rectangle};"),
            Fill::Spinning(index) => {
                writeln!(out, "\\draw[very thin,fill=schedlab{index}!35,densely dotted] {rectangle};")
            }
            Fill::Overhead => writeln!(out, "\\draw[very thin,fill=black!45] {rectangle};"),
            Fill::Wasted => writeln!(out, "\\draw[very thin,fill=black!10] {rectangle};"),
        };
        if right - left > 0.17 * block.label.len() as f64 {
            let (middle, height) = ((left + right) / 2.0, base + BLOCK / 2.0);
            let label = escape(&block.label);
            let _ =
                writeln!(out, "\\node[font=\\tiny,inner sep=0pt] at ({middle:.4},{height:.4}) {{{label}}};");
        }
    }
}

fn strips(picture: &Picture, out: &mut String) {
    for strip in &picture.strips {
        let (left, right, base) = (x(picture, strip.from), x(picture, strip.to), y(strip.lane));
        let middle = base + BLOCK / 2.0;
        let _ = match strip.kind {
            StripKind::CriticalSection => {
                writeln!(out, "\\fill ({left:.4},{base:.4}) rectangle ({right:.4},{:.4});", base + 0.08)
            }
            StripKind::Blocked => {
                writeln!(
                    out,
                    "\\draw[schedlabmiss,thick,dashed] ({left:.4},{middle:.4}) -- ({right:.4},{middle:.4});"
                )
            }
            StripKind::Window(second) => {
                let level = base - if second { 0.16 } else { 0.08 };
                writeln!(out, "\\draw[|-|,thin] ({left:.4},{level:.4}) -- ({right:.4},{level:.4});")
            }
            StripKind::Suspended => {
                writeln!(
                    out,
                    "\\draw[black!60,thick,dotted] ({left:.4},{middle:.4}) -- ({right:.4},{middle:.4});"
                )
            }
        };
    }
}

fn arrows(picture: &Picture, out: &mut String) {
    for arrow in &picture.arrows {
        let (at, base) = (x(picture, arrow.at), y(arrow.lane));
        let top = base + ARROW;
        let _ = match arrow.kind {
            ArrowKind::Arrival => writeln!(out, "\\draw[->,>=latex] ({at:.4},{base:.4}) -- ({at:.4},{top:.4});"),
            ArrowKind::Deadline => writeln!(out, "\\draw[->,>=latex] ({at:.4},{top:.4}) -- ({at:.4},{base:.4});"),
            ArrowKind::Miss => writeln!(
                out,
                "\\draw[->,>=latex,thick,schedlabmiss] ({at:.4},{top:.4}) node[inner sep=0pt] {{$\\times$}} -- ({at:.4},{base:.4});"
            ),
            ArrowKind::Completion => {
                writeln!(out, "\\draw[fill=white,very thin] ({at:.4},{:.4}) circle (0.06);", base + BLOCK)
            }
            ArrowKind::Abort => writeln!(out, "\\node[inner sep=0pt] at ({at:.4},{:.4}) {{$\\times$}};", base + BLOCK),
        };
    }
}

/// Text without meaning to TeX. What fonts of old cannot show is left to the engine.
fn escape(text: &str) -> String {
    let mut out = String::new();
    for character in text.chars() {
        match character {
            '\\' => out += "\\textbackslash{}",
            '~' => out += "\\textasciitilde{}",
            '^' => out += "\\textasciicircum{}",
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => out.extend(['\\', character]),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}
