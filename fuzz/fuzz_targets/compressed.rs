//! Compressed files: the first byte chooses how the file is named, the bytes say how it is compressed.
#![no_main]

use libfuzzer_sys::fuzz_target;
use linknbed_fuzz::read_both_ways;

fuzz_target!(|bytes: &[u8]| {
    let Some((choice, bytes)) = bytes.split_first() else { return };
    let names = ["x.nt.gz", "x.nt.bz2", "x.nt.zst", "x.nt.xz", "x.nt", "x.rdf", "x.csv"];
    let name = names[usize::from(*choice) % names.len()];
    let magic: &[u8] = match name {
        "x.nt.gz" => b"\x1f\x8b",
        "x.nt.bz2" => b"BZh",
        "x.nt.zst" => b"\x28\xb5\x2f\xfd",
        "x.nt.xz" => b"\xfd7zXZ\0",
        _ => b"",
    };
    read_both_ways(name, &[magic, bytes].concat(), &Default::default());
});
