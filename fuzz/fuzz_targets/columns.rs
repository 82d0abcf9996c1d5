//! Mappings of columns, shares of parts, and tables whose header has to fit a mapping. Up to the first line's end
//! stands the mapping, then the table.
#![no_main]

use libfuzzer_sys::fuzz_target;
use linknbed::dataset::Shares;
use linknbed::io::Columns;
use linknbed_fuzz::read_both_ways;

fuzz_target!(|text: &str| {
    let (mapping, table) = text.split_once('\n').unwrap_or((text, ""));
    if let Ok(Shares { train, valid, test }) = mapping.parse() {
        assert!((train + valid + test - 1.0).abs() < 1e-6 && train > 0.0 && valid >= 0.0 && test >= 0.0);
    }
    if let Ok(columns) = mapping.parse::<Columns>() {
        for name in ["x.tsv", "x.csv", "attributes.csv", "types.tsv"] {
            read_both_ways(name, table.as_bytes(), &columns);
        }
    }
});
