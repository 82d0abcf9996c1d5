//! Writes an N-Triples file in the shape of a DBpedia dump, for timing readers: `write_dump LINES PATH`.
//!
//! Seven of ten lines are facts between 700,000 entities, the others types, labels, dates and texts with escapes.

#![allow(missing_docs)]

use std::fs::File;
use std::io::{BufWriter, Write};

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const ENTITIES: u32 = 700_000;
const WORDS: [&str; 12] = [
    "Harbour",
    "Night",
    "River",
    "Émile",
    "Committee",
    "Championship",
    "Saint",
    "Northern",
    "Railway",
    "University",
    "Film",
    "Województwo",
];

fn entity(number: u32) -> String {
    let word = |salt: u32| WORDS[(number.wrapping_mul(2_654_435_761) >> salt) as usize % WORDS.len()];
    format!("{}_{}_{number}", word(3), word(11))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let usage = "usage: write_dump LINES PATH";
    let lines: u64 = arguments.next().ok_or(usage)?.parse()?;
    let mut out = BufWriter::with_capacity(1 << 20, File::create(arguments.next().ok_or(usage)?)?);
    let mut dice = ChaCha8Rng::seed_from_u64(1);
    let (resource, ontology) = ("http://dbpedia.org/resource", "http://dbpedia.org/ontology");
    let (mut subject, mut left) = (0, 0);
    for _ in 0..lines {
        if left == 0 {
            subject = (subject + 1) % ENTITIES;
            left = dice.random_range(3..=11);
        }
        left -= 1;
        let name = entity(subject);
        write!(out, "<{resource}/{name}> ")?;
        match dice.random_range(0..100) {
            0..70 => {
                // The square makes some entities far better known than others.
                let share: f64 = dice.random();
                let object = entity((f64::from(ENTITIES) * share * share) as u32);
                writeln!(out, "<{ontology}/relation{}> <{resource}/{object}> .", dice.random_range(0..1300))?;
            }
            70..78 => {
                let class = dice.random_range(0..300);
                writeln!(
                    out,
                    "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <{ontology}/Type{class}> ."
                )?;
            }
            78..86 => {
                let label = name.replace('_', " ");
                writeln!(out, "<http://www.w3.org/2000/01/rdf-schema#label> \"{label}\"@en .")?;
            }
            86..93 => {
                let (year, month) = (dice.random_range(1800..2000), dice.random_range(1..=12));
                let date = "http://www.w3.org/2001/XMLSchema#date";
                writeln!(out, "<{ontology}/birthDate> \"{year}-{month:02}-17\"^^<{date}> .")?;
            }
            _ => {
                let number: u32 = dice.random();
                writeln!(
                    out,
                    "<{ontology}/abstract> \"A short \\\"abstract\\\" about {name}, {number}\"@en ."
                )?;
            }
        }
    }
    out.flush()?;
    Ok(())
}
