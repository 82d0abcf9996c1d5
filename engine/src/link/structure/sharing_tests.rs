use super::super::nearest::{Offers, finished};
use super::*;
use crate::graph::{EntityId, Fact, RelationId};

const KEEP: Keep = Keep { count: 5, offers: Offers::Repeated };

fn edges(entities: usize, facts: &[(u32, u32)]) -> Edges {
    let fact =
        |&(s, o): &(u32, u32)| Fact { subject: EntityId(s), relation: RelationId(0), object: EntityId(o) };
    Edges::new(entities, 1, &facts.iter().map(fact).collect::<Vec<Fact>>())
}

/// Entity n carries label n, for the first few.
fn carriers(entities: u32, labels: u32) -> Gather<f32> {
    let starts = (0..=entities).map(|entity| entity.min(labels)).collect();
    Gather { starts, rows: (0..labels).collect(), weights: Vec::new() }
}

/// What is found from both sides, for open entities from `labels` on, given facts of both graphs.
fn found(entities: u32, labels: u32, facts: [&[(u32, u32)]; 2], table: &[f32]) -> [Vec<Vec<Near>>; 2] {
    let open: Vec<u32> = (labels..entities).collect();
    let carriers = carriers(entities, labels);
    let labelled =
        facts.map(|facts| Labelled::new(&edges(entities as usize, facts), &carriers, &open, labels as usize));
    let width = table.len() / entities as usize;
    let rows = Rows { table, chosen: &open, width };
    let mut lists = [0, 1].map(|_| vec![Best::default(); open.len()]);
    offer_by_sharing([rows; 2], &labelled, KEEP, &mut lists);
    lists.map(|lists| finished(lists, KEEP))
}

#[test]
fn those_next_to_the_same_label_are_compared() {
    // Labels 0 and 1; open are 2, 3 and 4, at the places 0, 1 and 2. In the first graph 2 and 3 are next to 0; in the second
    // 3 is, and 4 is next to 1.
    let table = [0.0, 0.0, 2.0, 3.0, 5.0];
    let [forth, back] = found(5, 2, [&[(2, 0), (0, 3)], &[(3, 0), (4, 1)]], &table);
    let near = |row, score| Near { row, score };
    assert_eq!(forth, [vec![near(1, 6.0)], vec![near(1, 9.0)], vec![]]);
    assert_eq!(back, [vec![], vec![near(1, 9.0), near(0, 6.0)], vec![]]);
}

#[test]
fn a_label_that_many_are_next_to_is_not_followed() {
    let table: Vec<f32> = vec![1.0; 2 + WIDEST + 1];
    let entities = table.len() as u32;
    let wide: Vec<(u32, u32)> = (2..entities).map(|open| (open, 0)).collect();
    let [forth, _] = found(entities, 2, [&wide, &wide], &table);
    assert!(forth.iter().all(Vec::is_empty));
    let [forth, _] = found(entities, 2, [&wide[1..], &wide[1..]], &table);
    assert!(forth[0].is_empty() && forth[1..].iter().all(|list| list.len() == 5));
}

#[test]
fn rare_labels_decide_who_is_compared() {
    // Place 0 shares label 0 with everyone in the second graph, and label 1 with the last alone.
    let count = COMPARED as u32 + 20;
    let entities = 2 + count;
    let table: Vec<f32> = vec![1.0; entities as usize];
    let mut second: Vec<(u32, u32)> = (2..entities).map(|open| (open, 0)).collect();
    second.push((entities - 1, 1));
    let open: Vec<u32> = (2..entities).collect();
    let carriers = carriers(entities, 2);
    let labelled = [&[(2, 0), (2, 1)][..], &second[..]]
        .map(|facts| Labelled::new(&edges(entities as usize, facts), &carriers, &open, 2));
    let rows = Rows { table: &table, chosen: &open, width: 1 };
    let mut lists = [0, 1].map(|_| vec![Best::default(); open.len()]);
    let keep = Keep { count: COMPARED, offers: Offers::Repeated };
    offer_by_sharing([rows; 2], &labelled, keep, &mut lists);
    let [forth, _] = lists.map(|lists| finished(lists, keep));
    assert_eq!(forth[0].len(), COMPARED);
    assert!(forth[0].iter().any(|near| near.row == count - 1));
}
