//! The text of a value as a number and as a date, with every kind of qualifier.
#![no_main]

use libfuzzer_sys::fuzz_target;
use linknbed::graph::{Date, Kind, Value, is_name_key};

fuzz_target!(|text: &str| {
    let xsd = "^^http://www.w3.org/2001/XMLSchema#";
    let (before, after) = text.split_once('\u{0}').unwrap_or((text, ""));
    let qualifiers =
        ["", "@en", "date", "dateTime", "gYear", "gYearMonth", "integer", "double", "string", "unsigned"];
    let typed = qualifiers
        .map(|q| if q.is_empty() || q.starts_with('@') { q.to_owned() } else { format!("{xsd}{q}") });
    for qualifier in typed.iter().map(String::as_str).chain([after]) {
        let value = Value { text: before, qualifier };
        match value.kind() {
            Kind::Text => {
                assert!(value.language().is_some() || value.number().is_none() && value.date().is_none())
            }
            Kind::Number => assert!(value.number().is_some_and(f64::is_finite)),
            Kind::Date => assert!(value.date().is_some()),
        }
    }
    if let Some(date) = Date::parse(before) {
        assert!(date.month.is_none_or(|month| (1..=12).contains(&month)));
        assert!(date.day.is_none_or(|day| (1..=31).contains(&day)));
        assert!(date.day.is_none() || date.month.is_some());
    }
    let _ = is_name_key(text);
});
