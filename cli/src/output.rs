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

#[cfg(test)]
mod tests {
    use super::*;

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
