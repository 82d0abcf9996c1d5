//! Tables with tabs, in every role. The first byte chooses.
#![no_main]

use libfuzzer_sys::fuzz_target;
use linknbed_fuzz::read_both_ways;

fuzz_target!(|bytes: &[u8]| {
    let Some((choice, bytes)) = bytes.split_first() else { return };
    let names = ["triples.tsv", "attributes.tsv", "types.tsv", "names.tsv", "attr_triples_1", "valid.tsv"];
    read_both_ways(names[usize::from(*choice) % names.len()], bytes, &Default::default());
});
