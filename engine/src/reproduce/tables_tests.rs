use super::*;
use crate::reproduce::result::{Figures, Outcome, Ranked, Sides};

/// A result whose only figures are these.
fn result(row: Row, seed: u64, hits_10: f64, auprc: [f64; 2]) -> RowResult {
    let training = |learning: Learning| {
        let at = usize::from(learning == Learning::Unsupervised);
        // Without links LinkNBed is a little worse; baselines have no other training.
        let less = if row.is_baseline() { 0.0 } else { 0.1 * at as f64 };
        let tail = Ranked { hits_10: hits_10 - less, mrr: hits_10 / 2.0, ..Ranked::default() };
        let figures = Figures {
            facts: [("films".to_owned(), Sides { tail, ..Sides::default() })].into(),
            auprc: [("films-books".to_owned(), Some(auprc[at]))].into(),
        };
        Training { learning, runs: Vec::new(), outcome: Outcome::Judged(figures) }
    };
    let trainings = row.learnings().iter().map(|&learning| training(learning)).collect();
    RowResult { row, seed, trainings }
}

fn column(of: &str, figure: Figure) -> Column {
    Column { of: of.to_owned(), figure }
}

fn cells(figure: Figure, seeds: &[u64], results: &[RowResult]) -> Vec<Cell> {
    let of = match figure {
        Figure::SupervisedAuprc | Figure::UnsupervisedAuprc => "films-books",
        _ => "films",
    };
    let table = Table::new(String::new(), &Row::ALL, vec![column(of, figure)], seeds, results);
    table.rows.iter().map(|row| row.cells[0]).collect()
}

fn figure(cell: Cell) -> Summary {
    match cell {
        Cell::Figure(summary) => summary,
        other => panic!("{other:?}"),
    }
}

fn at(row: Row) -> usize {
    Row::ALL.iter().position(|other| *other == row).unwrap()
}

#[track_caller]
fn near(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-12, "{found} is not {expected}");
}

#[test]
fn mean_and_spread_are_those_worked_out_by_hand() {
    // Mean 5; squares 9 1 1 1 0 0 4 16, which are 32; 32 / 7 below the root.
    let summary = Summary::of(&[2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]).unwrap();
    near(summary.mean, 5.0);
    near(summary.spread.unwrap(), (32.0f64 / 7.0).sqrt());
    let single = Summary::of(&[0.25]).unwrap();
    assert_eq!((single.mean, single.spread), (0.25, None));
    assert_eq!(Summary::of(&[]), None);
}

#[test]
fn the_best_of_a_column_is_marked_and_equals_with_it() {
    let results = [
        result(Row::Rescal, 0, 0.5, [0.0; 2]),
        result(Row::Gake, 0, 0.25, [0.0; 2]),
        result(Row::EmbedAll, 0, 0.5, [0.0; 2]),
    ];
    let cells = cells(Figure::Hits10, &[0], &results);
    assert_eq!(figure(cells[at(Row::Rescal)]).standing, Standing::Best);
    assert_eq!(figure(cells[at(Row::Gake)]).standing, Standing::Behind);
    assert_eq!(figure(cells[at(Row::EmbedAll)]).standing, Standing::Best);
    assert_eq!(cells[at(Row::DistMult)], Cell::NotYet);
}

#[test]
fn gains_are_over_the_best_baseline_alone() {
    let results = [
        result(Row::Rescal, 0, 0.4, [0.0; 2]),
        result(Row::Gake, 0, 0.5, [0.0; 2]),
        result(Row::EmbedAll, 0, 0.6, [0.0; 2]),
        result(Row::EmbedOnly, 0, 0.45, [0.0; 2]),
    ];
    let cells = cells(Figure::Hits10, &[0], &results);
    near(figure(cells[at(Row::EmbedAll)]).gain.unwrap(), 0.2);
    near(figure(cells[at(Row::EmbedOnly)]).gain.unwrap(), -0.1);
    assert_eq!(figure(cells[at(Row::Gake)]).gain, None);
}

#[test]
fn without_a_baseline_there_is_no_gain() {
    let alone = cells(Figure::Hits10, &[0], &[result(Row::EmbedAll, 0, 0.6, [0.0; 2])]);
    assert_eq!(figure(alone[at(Row::EmbedAll)]).gain, None);
    let none = [result(Row::Gake, 0, 0.0, [0.0; 2]), result(Row::EmbedAll, 0, 0.6, [0.0; 2])];
    assert_eq!(figure(cells(Figure::Hits10, &[0], &none)[at(Row::EmbedAll)]).gain, None);
}

/// As the paper has it: 0.691 of LinkNBed with links against 0.457 of GAKE without.
#[test]
fn learning_from_links_is_compared_with_baselines_that_cannot() {
    let results =
        [result(Row::Gake, 0, 0.5, [0.0, 0.457]), result(Row::EmbedAllAttention, 0, 0.5, [0.691, 0.553])];
    let supervised = cells(Figure::SupervisedAuprc, &[0], &results);
    assert_eq!(supervised[at(Row::Gake)], Cell::None);
    near(figure(supervised[at(Row::EmbedAllAttention)]).gain.unwrap(), 0.691 / 0.457 - 1.0);
    let unsupervised = cells(Figure::UnsupervisedAuprc, &[0], &results);
    near(figure(unsupervised[at(Row::Gake)]).mean, 0.457);
    near(figure(unsupervised[at(Row::EmbedAllAttention)]).gain.unwrap(), 0.553 / 0.457 - 1.0);
}

#[test]
fn facts_are_of_the_training_with_links_unless_asked_otherwise() {
    let results = [result(Row::EmbedAll, 0, 0.6, [0.0; 2])];
    near(figure(cells(Figure::Hits10, &[0], &results)[at(Row::EmbedAll)]).mean, 0.6);
    near(figure(cells(Figure::UnsupervisedHits10, &[0], &results)[at(Row::EmbedAll)]).mean, 0.5);
    near(figure(cells(Figure::Mrr, &[0], &results)[at(Row::EmbedAll)]).mean, 0.3);
}

#[test]
fn a_row_counts_once_every_seed_is_done() {
    let results = [
        result(Row::Rescal, 3, 0.4, [0.0; 2]),
        result(Row::Rescal, 4, 0.6, [0.0; 2]),
        result(Row::Gake, 4, 0.9, [0.0; 2]),
    ];
    let cells = cells(Figure::Hits10, &[3, 4], &results);
    let rescal = figure(cells[at(Row::Rescal)]);
    near(rescal.mean, 0.5);
    // Twice 0.1² over 1.
    near(rescal.spread.unwrap(), 0.02f64.sqrt());
    assert_eq!(cells[at(Row::Gake)], Cell::NotYet);
}

#[test]
fn what_diverged_once_has_no_figure() {
    let mut results = [result(Row::Gake, 0, 0.4, [0.0; 2]), result(Row::Gake, 1, 0.4, [0.0; 2])];
    results[1].trainings[0].outcome = Outcome::Diverged("at step 7 z is no longer finite".to_owned());
    assert_eq!(cells(Figure::Hits10, &[0, 1], &results)[at(Row::Gake)], Cell::Diverged);
    assert_eq!(results[0].problem(), None);
    assert_eq!(results[1].problem(), Some("at step 7 z is no longer finite"));
}

#[test]
fn what_is_not_asked_about_has_no_figure() {
    let mut result = result(Row::Gake, 0, 0.4, [0.0; 2]);
    if let Outcome::Judged(figures) = &mut result.trainings[0].outcome {
        figures.auprc = [("films-books".to_owned(), None)].into();
    }
    assert_eq!(
        cells(Figure::UnsupervisedAuprc, &[0], std::slice::from_ref(&result))[at(Row::Gake)],
        Cell::None
    );
    let other = Table::new(String::new(), &Row::ALL, vec![column("books", Figure::Mrr)], &[0], &[result]);
    assert_eq!(other.rows[at(Row::Gake)].cells, [Cell::None]);
}
