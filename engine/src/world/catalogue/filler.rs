//! Which facts fill a catalogue up to its size?
//!
//! Beyond what the world is about, a catalogue of this kind is full of looser links: similar films, people who
//! worked together. Their number is what is left of the catalogue's total, and they follow the same communities
//! and fame in both catalogues.

use super::super::dice::{Dice, Purpose};
use super::super::scale::{Catalogue, Class, Object, Region};
use super::super::terms::Filler;
use super::super::truth::Truth;
use super::super::truth::people::Pair;
use super::quota::{Room, Seen, allot, spread};

/// How many facts of each filling relation each subject has.
#[derive(Debug)]
pub(crate) struct Plan<'a> {
    truth: &'a Truth,
    catalogue: Catalogue,
    fillers: &'a [Filler],
    /// Per relation, per ordinal of the subject in the catalogue.
    degrees: Vec<Vec<u32>>,
    dice: Dice,
}

impl<'a> Plan<'a> {
    /// Shares `total` facts among the relations and their subjects.
    pub(crate) fn new(truth: &'a Truth, catalogue: Catalogue, fillers: &'a [Filler], total: u64) -> Self {
        let weights: Vec<Vec<u32>> = Class::ALL.iter().map(|&c| weights(truth, catalogue, c)).collect();
        let most: Vec<u32> = fillers.iter().map(|filler| most_objects(truth, catalogue, filler)).collect();
        let rooms: Vec<Room> = fillers
            .iter()
            .zip(&most)
            .map(|(filler, &most)| {
                let bearers = weights[filler.subject as usize].iter().filter(|&&w| w > 0).count() as u64;
                let least = if filler.anchor { bearers } else { 1 };
                Room { share: filler.share, least, most: bearers * u64::from(most) }
            })
            .collect();
        let degrees = allot(total, &rooms)
            .into_iter()
            .zip(fillers.iter().zip(most))
            .map(|(part, (f, most))| spread(part, &weights[f.subject as usize], u32::from(f.anchor), most))
            .collect();
        Self { truth, catalogue, fillers, degrees, dice: Dice::new(truth.seed, Purpose::Fillers) }
    }

    /// The relations there are.
    pub(crate) fn fillers(&self) -> &'a [Filler] {
        self.fillers
    }

    /// How many facts it plans in all.
    #[cfg(test)]
    pub(crate) fn total(&self) -> u64 {
        self.degrees.iter().flatten().map(|&degree| u64::from(degree)).sum()
    }

    /// The objects of one subject under one relation: distinct, in the catalogue, and never the subject.
    pub(crate) fn objects(&self, number: usize, subject: Object, seen: &mut Seen, objects: &mut Vec<u32>) {
        objects.clear();
        let filler = &self.fillers[number];
        let members = self.truth.census.of(subject.class);
        let wanted = self.degrees[number][members.ordinal(self.catalogue, subject.index) as usize] as usize;
        if wanted == 0 {
            return;
        }
        seen.clear(wanted + 1);
        if filler.object == subject.class {
            seen.insert(subject.index);
        }
        self.draw(filler, subject, wanted, seen, objects);
        self.complete(filler.object, subject, wanted, seen, objects);
    }

    fn draw(&self, filler: &Filler, subject: Object, wanted: usize, seen: &mut Seen, objects: &mut Vec<u32>) {
        let is_person = subject.class == Class::Person;
        let context = if is_person { self.truth.context_of(subject.index) } else { subject.index };
        let from = Object { class: subject.class, index: context };
        let region = self.truth.census.region(from);
        let dice = self.dice.of(filler.family).of(u64::from(context));
        for number in 0..wanted as u64 * 12 + 64 {
            if objects.len() == wanted {
                return;
            }
            let roll = dice.roll(number);
            if self.leaves_out(roll) {
                continue;
            }
            let object = self.truth.pools.draw_from(self.catalogue, from, region, filler.object, roll);
            if seen.insert(object) {
                objects.push(object);
                // Who knows one of a couple knows the other.
                if filler.object == Class::Person
                    && objects.len() < wanted
                    && self.truth.pair(object) == Pair::Couple
                    && seen.insert(self.truth.partner(object))
                {
                    objects.push(self.truth.partner(object));
                }
            }
        }
    }

    /// Each catalogue misses some of what both draw, by bits of the roll that decide nothing else.
    fn leaves_out(&self, roll: u64) -> bool {
        match self.catalogue {
            Catalogue::Screen => (roll >> 16) & 0xFF >= 205,
            Catalogue::Reel => (roll >> 24) & 0xFF >= 180,
        }
    }

    /// In a small world the draws may run out of new things to meet; the rest is taken in turn.
    fn complete(
        &self,
        class: Class,
        subject: Object,
        wanted: usize,
        seen: &mut Seen,
        objects: &mut Vec<u32>,
    ) {
        let members = self.truth.census.of(class);
        let count = members.count(self.catalogue);
        for step in 0..count {
            if objects.len() >= wanted {
                return;
            }
            let object = members.index(self.catalogue, (subject.index % count + step) % count);
            if seen.insert(object) {
                objects.push(object);
            }
        }
    }
}

/// How much each member of a class has to say: by fame, and nothing where it is only pointed at.
fn weights(truth: &Truth, catalogue: Catalogue, class: Class) -> Vec<u32> {
    let members = truth.census.of(class);
    let weight = |ordinal: u32| {
        let index = members.index(catalogue, ordinal);
        let mute = catalogue == Catalogue::Reel && truth.is_object_only(Object { class, index });
        let context = if class == Class::Person { truth.context_of(index) } else { index };
        let region: Region = members.region(context);
        if mute { 0 } else { truth.pools.fame(class, region, context) }
    };
    (0..members.count(catalogue)).map(weight).collect()
}

/// Three quarters of what there is to point at: beyond that a relation says little, and drawing it is slow.
fn most_objects(truth: &Truth, catalogue: Catalogue, filler: &Filler) -> u32 {
    let others = truth.census.of(filler.object).count(catalogue) - u32::from(filler.object == filler.subject);
    (others / 4 * 3).max(1).min(others).min(filler.most)
}

#[cfg(test)]
mod tests {
    use super::super::super::scale::Scale;
    use super::super::super::terms::Terms;
    use super::*;

    #[test]
    fn totals_are_exact_and_objects_distinct_at_any_size() {
        for (scale, totals) in [(Scale::Tiny, [300, 700, 1500]), (Scale::Small, [9000, 20_001, 80_003])] {
            let truth = Truth::new(scale, 9);
            let (mut seen, mut objects) = (Seen::default(), Vec::new());
            for catalogue in [Catalogue::Screen, Catalogue::Reel] {
                let terms = Terms::new(catalogue, &scale.vocabulary());
                for total in totals {
                    let plan = Plan::new(&truth, catalogue, &terms.fillers, total);
                    let mut count = 0;
                    for number in 0..truth.census.count(catalogue) {
                        let subject = truth.census.entity(catalogue, number).unwrap();
                        for (place, filler) in plan.fillers().iter().enumerate() {
                            if filler.subject == subject.class {
                                plan.objects(place, subject, &mut seen, &mut objects);
                                count += objects.len() as u64;
                                let (class, before) = (filler.object, objects.len());
                                objects.sort_unstable();
                                objects.dedup();
                                assert_eq!(objects.len(), before);
                                let members = truth.census.of(class);
                                assert!(objects.iter().all(|&o| members.holds(catalogue, o)));
                                assert!(class != subject.class || !objects.contains(&subject.index));
                            }
                        }
                    }
                    assert_eq!(count, total, "{scale} {catalogue:?}");
                }
            }
        }
    }
}
