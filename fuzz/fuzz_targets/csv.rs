//! Tables with commas and quotes, in every role, long and wide. The first byte chooses.
#![no_main]

use libfuzzer_sys::fuzz_target;
use linknbed_fuzz::read_both_ways;

fuzz_target!(|bytes: &[u8]| {
    let Some((choice, bytes)) = bytes.split_first() else { return };
    let ways = [
        ("triples.csv", ""),
        ("attributes.csv", ""),
        ("types.csv", ""),
        ("names.csv", ""),
        ("wide.csv", "entity=id"),
        ("wide.csv", "entity=id,type=kind"),
        ("mapped.csv", "subject=a,relation=b,object=c"),
    ];
    let (name, columns) = ways[usize::from(*choice) % ways.len()];
    read_both_ways(name, bytes, &columns.parse().expect("a mapping"));
});
