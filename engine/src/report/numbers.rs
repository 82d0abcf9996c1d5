//! How are numbers shown?
//!
//! As people read them: thousands in groups, shares with three digits, and a dash where there is no number.

/// Stands where there is no number.
pub(super) const NONE: &str = "–";

/// A thin space that does not break.
const GAP: char = '\u{202f}';

/// From here on digits say nothing any more.
const HUGE: f64 = 1e15;

/// A count, in groups of three digits.
pub(super) fn count(count: u64) -> String {
    let digits = count.to_string();
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3 * GAP.len_utf8());
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(GAP);
        }
        grouped.push(digit);
    }
    grouped
}

/// A figure between 0 and 1.
pub(super) fn share(share: f64) -> String {
    if !share.is_finite() {
        NONE.to_owned()
    } else if share.abs() >= 1000.0 {
        amount(share)
    } else {
        format!("{share:.3}")
    }
}

/// A figure of any size, such as a mean rank.
pub(super) fn amount(amount: f64) -> String {
    if !amount.is_finite() {
        NONE.to_owned()
    } else if amount.abs() >= HUGE {
        format!("{amount:.1e}")
    } else if amount.abs() >= 1000.0 {
        let sign = if amount < 0.0 { "−" } else { "" };
        format!("{sign}{}", count(amount.abs().round() as u64))
    } else {
        format!("{amount:.1}")
    }
}

/// A number beside an axis, as short as it can be.
pub(super) fn tick(value: f64) -> String {
    let (scaled, unit) = match value.abs() {
        size if !size.is_finite() => return NONE.to_owned(),
        size if size >= HUGE => return format!("{value:.0e}"),
        size if size >= 1e9 => (value / 1e9, "G"),
        size if size >= 1e6 => (value / 1e6, "M"),
        size if size >= 1e4 => (value / 1e3, "k"),
        size if size > 0.0 && size < 1e-3 => return format!("{value:.0e}"),
        _ => (value, ""),
    };
    let text = format!("{scaled:.3}");
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    format!("{text}{unit}")
}

/// A time, in the two units that matter.
pub(super) fn duration(seconds: f64) -> String {
    if !seconds.is_finite() || !(0.0..HUGE).contains(&seconds) {
        return NONE.to_owned();
    }
    let whole = seconds.round() as u64;
    match whole {
        0..60 => format!("{seconds:.1} s"),
        60..3600 => format!("{} min {} s", whole / 60, whole % 60),
        _ => format!("{} h {} min", count(whole / 3600), whole % 3600 / 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_grouped() {
        assert_eq!(count(0), "0");
        assert_eq!(count(999), "999");
        assert_eq!(count(1000), "1\u{202f}000");
        assert_eq!(count(1_234_567), "1\u{202f}234\u{202f}567");
        assert_eq!(count(u64::MAX).chars().filter(|&c| c == GAP).count(), 6);
    }

    #[test]
    fn what_is_no_number_is_a_dash() {
        for none in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert_eq!([share(none), amount(none), tick(none), duration(none)], [NONE; 4]);
        }
        assert_eq!(duration(-1.0), NONE);
    }

    #[test]
    fn figures_have_the_digits_that_matter() {
        assert_eq!(share(0.41249), "0.412");
        assert_eq!(share(1.0), "1.000");
        assert_eq!(amount(12.34), "12.3");
        assert_eq!(amount(-4321.6), "−4\u{202f}322");
        assert_eq!(amount(1.0e300), "1.0e300");
        assert_eq!(
            [tick(0.0), tick(0.25), tick(1500.0), tick(20_000.0), tick(3e6), tick(2e9)].join(" "),
            "0 0.25 1500 20k 3M 2G"
        );
        assert_eq!([tick(1e-5), tick(1e18), tick(-0.5)].join(" "), "1e-5 1e18 -0.5");
        assert_eq!(
            [duration(4.24), duration(75.0), duration(7260.0)].join(", "),
            "4.2 s, 1 min 15 s, 2 h 1 min"
        );
    }
}
