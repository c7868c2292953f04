//! Compiles the packs of `packs/` into static data. A broken pack fails the build with its place.

#![expect(
    clippy::disallowed_macros,
    clippy::disallowed_methods,
    reason = "this runs when the crate is built, not in a judgement"
)]

use std::path::{Path, PathBuf};
use std::{env, error, fs};

fn main() {
    if let Err(error) = build() {
        println!("cargo::error=the built-in packs are broken: {error}");
    }
}

fn build() -> Result<(), Box<dyn error::Error>> {
    let packs = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("../../packs");
    println!("cargo::rerun-if-changed={}", packs.display());
    let mut files: Vec<PathBuf> = fs::read_dir(&packs)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()?;
    files.retain(|file| file.extension().is_some_and(|end| end == "toml"));
    files.sort();
    let mut read = Vec::new();
    let mut sources = String::new();
    for file in files {
        println!("cargo::rerun-if-changed={}", file.display());
        let name = format!("packs/{}", file.file_name().unwrap_or_default().display());
        let text = fs::read_to_string(&file)?;
        read.push(rules::read_pack(&text, &name)?.pack);
        sources.push_str(&format!("({name:?}, {text:?}),\n"));
    }
    let out = PathBuf::from(env::var("OUT_DIR")?);
    fs::write(out.join("packs.rs"), rules::rust_source(&read))?;
    // For who makes a rule of another, and tests of the examples, which are not compiled in.
    let sources = format!(
        "/// Each file with its text.\npub static SOURCES: &[(&str, &str)] = &[\n{sources}];\n"
    );
    fs::write(out.join("sources.rs"), sources)?;
    Ok(())
}
