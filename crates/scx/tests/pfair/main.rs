//! Pfair in the kernel, in C, and in the engine, in Rust: the same windows, and the same choices.

mod choice;
#[path = "../in_c.rs"]
mod in_c;
mod system;
mod windows;
