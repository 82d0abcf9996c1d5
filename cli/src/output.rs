//! How do results and failures reach the user?

use std::io::{self, Write};
use std::process::ExitCode;

use linknbed::Error;

/// Writes to standard output; a reader that has gone away is no failure.
pub(crate) fn print(text: &str) -> anyhow::Result<()> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => Ok(other?),
    }
}

/// Says what went wrong in one line, and how it went wrong in the exit code.
pub(crate) fn fail(error: &anyhow::Error) -> ExitCode {
    // The library's errors tell their cause themselves.
    let (message, code) = match error.downcast_ref::<Error>() {
        Some(own @ Error::Usage(_)) => (own.to_string(), 2),
        Some(own) => (own.to_string(), 1),
        None => (format!("{error:#}"), 1),
    };
    let _ = writeln!(io::stderr(), "error: {}", one_line(&message));
    ExitCode::from(code)
}

/// Names come from files and may hold anything; a message stays one line.
pub(crate) fn one_line(text: &str) -> String {
    let shown = |c: char| if c.is_control() { c.escape_default().to_string() } else { c.to_string() };
    text.chars().map(shown).collect()
}

/// A table with aligned columns: the first to the left, the others to the right.
pub(crate) fn table(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |at: usize| rows.iter().filter_map(|row| row.get(at)).map(|cell| cell.chars().count()).max();
    let widths: Vec<usize> = (0..columns).map(|at| width(at).unwrap_or(0)).collect();
    let mut text = String::new();
    for row in rows {
        let cells = row.iter().zip(&widths).enumerate().map(|(at, (cell, &width))| {
            let padding = " ".repeat(width - cell.chars().count());
            if at == 0 { format!("{cell}{padding}") } else { format!("{padding}{cell}") }
        });
        text.push_str(cells.collect::<Vec<_>>().join("  ").trim_end());
        text.push('\n');
    }
    text
}

/// `1 line`, `2,000 lines`.
pub(crate) fn counted(number: u64, thing: &str) -> String {
    format!("{} {thing}{}", grouped(number), if number == 1 { "" } else { "s" })
}

/// 1234567 as 1,234,567.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// 1500000 as 1.5 MB.
pub(crate) fn bytes(number: u64) -> String {
    const UNITS: [&str; 4] = ["kB", "MB", "GB", "TB"];
    if number < 1000 {
        return format!("{number} bytes");
    }
    let mut amount = number as f64 / 1e3;
    let mut units = UNITS.iter();
    let mut unit = units.next();
    while amount >= 999.95
        && let Some(next) = units.next()
    {
        (amount, unit) = (amount / 1e3, Some(next));
    }
    format!("{amount:.1} {}", unit.unwrap_or(&""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_have_a_unit_that_fits() {
        assert_eq!([0, 999, 1000, 999_940].map(bytes), ["0 bytes", "999 bytes", "1.0 kB", "999.9 kB"]);
        let large = [999_950, 1_500_000, 2_000_000_000_000, 3_000_000_000_000_000];
        assert_eq!(large.map(bytes), ["1.0 MB", "1.5 MB", "2.0 TB", "3000.0 TB"]);
    }

    #[test]
    fn numbers_are_grouped_by_thousands() {
        assert_eq!([0, 999, 1000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
    }

    #[test]
    fn tables_are_aligned() {
        let rows = [vec!["".to_owned(), "n".to_owned()], vec!["é".to_owned(), "10".to_owned()]];
        assert_eq!(table(&rows), "    n\né  10\n");
    }
}
