//! Builds the measured programs, one for each protocol, and reads their symbols.

use object::{Object, ObjectSection, ObjectSymbol, SectionFlags, SymbolKind};
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What to build for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// Least size.
    Size,
    /// Most speed.
    Speed,
}

impl Goal {
    /// Its profile's name.
    pub fn name(self) -> &'static str {
        match self {
            Goal::Size => "size",
            Goal::Speed => "speed",
        }
    }
}

/// The bytes of one linked program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bytes {
    /// Of functions, by their symbols.
    pub code: u64,
    /// Of constants: texts, tables of methods.
    pub constants: u64,
    /// Of variables that exist once.
    pub statics: u64,
}

impl Bytes {
    /// What this program has more than `other`.
    pub fn beyond(self, other: Bytes) -> Bytes {
        Bytes {
            code: self.code.saturating_sub(other.code),
            constants: self.constants.saturating_sub(other.constants),
            statics: self.statics.saturating_sub(other.statics),
        }
    }

    /// All of them.
    pub fn sum(self) -> u64 {
        self.code + self.constants + self.statics
    }
}

/// A library with an entry point for each protocol.
#[derive(Clone, Debug)]
pub struct Library {
    file: PathBuf,
    folder: PathBuf,
}

/// Why a program could not be measured.
pub type Error = Box<dyn std::error::Error>;

/// Runs a command; its output is part of the error.
fn run(command: &mut Command) -> Result<(), Error> {
    let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!("{command:?} failed:\n{}", String::from_utf8_lossy(&output.stderr)).into())
}

/// Builds all entry points for this goal.
pub fn build(goal: Goal) -> Result<Library, Error> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = here.join("../../target/footprint");
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    run(Command::new(cargo)
        .args(["build", "--quiet", "--locked", "--profile", goal.name()])
        .env("CARGO_TARGET_DIR", &folder)
        .env_remove("RUSTFLAGS")
        .current_dir(here.join("program")))?;
    let folder = folder.join(goal.name());
    Ok(Library { file: folder.join("libschedlab_footprint_program.a"), folder })
}

impl Library {
    /// Links the program that begins at `entry`, with what it reaches and no more, and measures it.
    ///
    /// The functions of the system below (memory, copying of bytes) stay open: they are not part of the program.
    pub fn measure(&self, entry: &str) -> Result<Bytes, Error> {
        let program = self.folder.join(entry);
        run(Command::new("cc")
            .args(["-nostdlib", "-nostartfiles", "-static", "-Wl,--gc-sections"])
            .arg("-Wl,--unresolved-symbols=ignore-all")
            .args([format!("-Wl,-e,{entry}"), format!("-Wl,-u,{entry}")])
            .arg("-o")
            .args([&program, &self.file]))?;
        read(&fs::read(&program)?)
    }
}

/// Adds up a program's symbols and sections.
fn read(program: &[u8]) -> Result<Bytes, Error> {
    let file = object::File::parse(program)?;
    let code = file.symbols().filter(|symbol| symbol.kind() == SymbolKind::Text).map(|s| s.size()).sum();
    let mut bytes = Bytes { code, constants: 0, statics: 0 };
    for section in file.sections() {
        let SectionFlags::Elf { sh_flags } = section.flags() else { continue };
        let flag = |flag: u32| sh_flags & u64::from(flag) != 0;
        let name = section.name()?;
        // Tables for unwinding and debugging, and notes, are not needed to run.
        let needed = ![".eh_frame", ".eh_frame_hdr"].contains(&name) && !name.starts_with(".note");
        if !flag(object::elf::SHF_ALLOC) || flag(object::elf::SHF_EXECINSTR) || !needed {
            continue;
        }
        // The linker writes addresses into some constants' section once, at start.
        let constant =
            !flag(object::elf::SHF_WRITE) || name.starts_with(".data.rel.ro") || name.starts_with(".got");
        *(if constant { &mut bytes.constants } else { &mut bytes.statics }) += section.size();
    }
    Ok(bytes)
}
