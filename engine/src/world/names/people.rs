//! What are people called?

use super::super::dice::Rolls;

/// Where a name comes from, and how it is made: a given name, and a family name of a root and an ending.
#[derive(Debug)]
pub(crate) struct Culture {
    /// The language tag of names in their own script.
    pub(crate) language: &'static str,
    share: usize,
    male: &'static [&'static str],
    female: &'static [&'static str],
    roots: &'static [&'static str],
    /// Endings of the family names of men and of women.
    endings: &'static [(&'static str, &'static str)],
}

#[rustfmt::skip] // One word a line would hide the others.
const ENGLISH: Culture = Culture {
    language: "en",
    share: 40,
    male: &[
        "Adam", "Albert", "Alan", "Arthur", "Benjamin", "Charles", "Clive", "Daniel", "David", "Dennis",
        "Edgar", "Edward", "Frank", "Frederick", "George", "Gordon", "Harold", "Henry", "Howard", "Hugh",
        "Jack", "James", "John", "Joseph", "Julian", "Kenneth", "Lawrence", "Leonard", "Lewis", "Malcolm",
        "Martin", "Matthew", "Michael", "Nathan", "Neil", "Oliver", "Oscar", "Patrick", "Paul", "Peter",
        "Philip", "Ralph", "Richard", "Robert", "Roger", "Samuel", "Simon", "Stanley", "Theodore", "Thomas",
        "Victor", "Walter", "William",
    ],
    female: &[
        "Abigail", "Agnes", "Alice", "Amelia", "Anne", "Audrey", "Barbara", "Beatrice", "Caroline",
        "Catherine", "Charlotte", "Clara", "Deborah", "Diana", "Dorothy", "Edith", "Eleanor", "Elizabeth",
        "Emily", "Evelyn", "Florence", "Frances", "Grace", "Hannah", "Harriet", "Helen", "Irene", "Jane",
        "Janet", "Joan", "Judith", "Julia", "Laura", "Lillian", "Louise", "Lucy", "Mabel", "Margaret",
        "Marion", "Martha", "Mary", "Maude", "Nancy", "Nora", "Olivia", "Pamela", "Phyllis", "Rachel",
        "Rosemary", "Ruth", "Sarah", "Susan", "Winifred",
    ],
    roots: &[
        "Alder", "Ash", "Bark", "Beck", "Birch", "Black", "Brad", "Bram", "Brook", "Burn", "Cald", "Carl",
        "Chat", "Clay", "Cliff", "Cole", "Cran", "Dal", "Dun", "East", "Eld", "Fair", "Farn", "Field",
        "Gar", "Glen", "Green", "Had", "Hal", "Hamp", "Hart", "Hazel", "Hol", "Kings", "Lang", "Law", "Lin",
        "Mar", "Mead", "Mill", "Mor", "New", "Nor", "Oak", "Pem", "Pres", "Rad", "Raven", "Red", "Rock",
        "Shel", "Stan", "Stock", "Thorn", "Wal", "War", "West", "Whit", "Win", "Wood",
    ],
    endings: &[
        ("wood", "wood"), ("ford", "ford"), ("ley", "ley"), ("son", "son"), ("man", "man"),
        ("well", "well"), ("ton", "ton"), ("er", "er"), ("worth", "worth"), ("by", "by"),
        ("combe", "combe"), ("croft", "croft"), ("den", "den"), ("field", "field"), ("ham", "ham"),
        ("hurst", "hurst"), ("lake", "lake"), ("more", "more"), ("ridge", "ridge"), ("shaw", "shaw"),
    ],
};

#[rustfmt::skip] // One word a line would hide the others.
const FRENCH: Culture = Culture {
    language: "fr",
    share: 10,
    male: &[
        "André", "Benoît", "Émile", "Étienne", "François", "Gaston", "Gérard", "Henri", "Jérôme", "Laurent",
        "Léon", "Luc", "Marcel", "Mathieu", "Olivier", "Rémi", "René", "Thierry",
    ],
    female: &[
        "Adèle", "Amélie", "Brigitte", "Camille", "Chloé", "Colette", "Élodie", "Geneviève", "Hélène",
        "Inès", "Jacqueline", "Léa", "Margaux", "Mathilde", "Noémie", "Odette", "Sylvie", "Thérèse",
    ],
    roots: &[
        "Beau", "Bon", "Bor", "Chant", "Char", "Clair", "Dela", "Du", "Fonte", "Gar", "Gre", "La", "Le",
        "Mal", "Mont", "Mor", "Pas", "Roche", "Saint-", "Ver", "Ville",
    ],
    endings: &[
        ("bois", "bois"), ("champ", "champ"), ("clerc", "clerc"), ("court", "court"), ("fèvre", "fèvre"),
        ("fort", "fort"), ("léon", "léon"), ("marché", "marché"), ("mont", "mont"), ("neuve", "neuve"),
        ("prés", "prés"), ("rain", "rain"), ("sault", "sault"), ("val", "val"), ("vier", "vier"),
    ],
};

#[rustfmt::skip] // One word a line would hide the others.
const GERMAN: Culture = Culture {
    language: "de",
    share: 8,
    male: &[
        "Anton", "Bernd", "Dieter", "Emil", "Friedrich", "Günther", "Hans", "Heinrich", "Jörg", "Jürgen",
        "Karl", "Klaus", "Lukas", "Matthias", "Otto", "Rainer", "Uwe", "Wolfgang",
    ],
    female: &[
        "Anneliese", "Birgit", "Dörte", "Elke", "Frieda", "Gisela", "Greta", "Hannelore", "Heike", "Ingrid",
        "Käthe", "Liesel", "Lotte", "Monika", "Renate", "Sigrid", "Ulrike", "Ursula",
    ],
    roots: &[
        "Acker", "Bau", "Berg", "Brück", "Eisen", "Falken", "Frei", "Grün", "Hof", "Kauf", "König", "Lang",
        "Linden", "Müll", "Neu", "Rosen", "Schön", "Stein", "Stück", "Wald", "Zimmer",
    ],
    endings: &[
        ("mann", "mann"), ("berg", "berg"), ("bach", "bach"), ("er", "er"), ("feld", "feld"),
        ("hardt", "hardt"), ("hoff", "hoff"), ("meister", "meister"), ("müller", "müller"),
        ("stein", "stein"), ("thal", "thal"), ("weiß", "weiß"),
    ],
};

#[rustfmt::skip] // One word a line would hide the others.
const SPANISH: Culture = Culture {
    language: "es",
    share: 12,
    male: &[
        "Alejandro", "Álvaro", "Andrés", "César", "Diego", "Fernando", "Gonzalo", "Héctor", "Iñigo",
        "Javier", "Jesús", "José", "Joaquín", "Luis", "Martín", "Pablo", "Raúl", "Sebastián",
    ],
    female: &[
        "Ana", "Belén", "Carmen", "Concepción", "Dolores", "Elena", "Esperanza", "Inés", "Isabel", "Lucía",
        "Luz", "María", "Mónica", "Pilar", "Rocío", "Sofía", "Verónica", "Ximena",
    ],
    roots: &[
        "Alv", "Ben", "Cald", "Cord", "Dom", "Est", "Fern", "Gal", "Gut", "Hern", "Jim", "Laf", "Mart",
        "Mend", "Nuñ", "Ord", "Ram", "Rodr", "Salv", "Vald", "Zam",
    ],
    endings: &[
        ("ález", "ález"), ("ánchez", "ánchez"), ("ando", "ando"), ("ano", "ano"), ("arez", "arez"),
        ("ero", "ero"), ("éndez", "éndez"), ("illo", "illo"), ("ínez", "ínez"), ("ón", "ón"),
        ("osa", "osa"), ("uente", "uente"),
    ],
};

#[rustfmt::skip] // One word a line would hide the others.
const POLISH: Culture = Culture {
    language: "pl",
    share: 8,
    male: &[
        "Andrzej", "Bogdan", "Bolesław", "Czesław", "Jakub", "Jerzy", "Józef", "Kazimierz", "Krzysztof",
        "Łukasz", "Marek", "Paweł", "Piotr", "Stanisław", "Tadeusz", "Witold", "Zbigniew",
    ],
    female: &[
        "Agnieszka", "Bożena", "Elżbieta", "Ewa", "Grażyna", "Halina", "Irena", "Jadwiga", "Joanna",
        "Krystyna", "Małgorzata", "Maria", "Róża", "Stanisława", "Wanda", "Zofia", "Żaneta",
    ],
    roots: &[
        "Borow", "Brzez", "Dąbrow", "Górs", "Jabłoń", "Jan", "Kamień", "Kowal", "Krawc", "Lewand", "Łąk",
        "Malin", "Nowak", "Ostrow", "Piotrow", "Sad", "Sikor", "Szyman", "Wiśniew", "Zieliń", "Żuraw",
    ],
    endings: &[
        ("ski", "ska"), ("czyk", "czyk"), ("ecki", "ecka"), ("iak", "iak"), ("owicz", "owicz"),
        ("ycki", "ycka"), ("ak", "ak"), ("eń", "eń"),
    ],
};

#[rustfmt::skip] // One word a line would hide the others.
const RUSSIAN: Culture = Culture {
    language: "ru",
    share: 12,
    male: &[
        "Алексей", "Андрей", "Борис", "Василий", "Виктор", "Дмитрий", "Евгений", "Иван", "Игорь", "Илья",
        "Константин", "Леонид", "Михаил", "Николай", "Олег", "Павел", "Сергей", "Юрий",
    ],
    female: &[
        "Анастасия", "Анна", "Вера", "Галина", "Дарья", "Евгения", "Елена", "Ирина", "Ксения", "Людмила",
        "Мария", "Надежда", "Наталья", "Ольга", "Светлана", "Татьяна", "Фаина", "Юлия",
    ],
    roots: &[
        "Белозёр", "Волк", "Воробь", "Гончар", "Громык", "Жук", "Зайц", "Захар", "Кузнец", "Лебед",
        "Мельник", "Мороз", "Орл", "Петр", "Рыбак", "Сокол", "Солн", "Тихомир", "Чайк", "Черныш", "Шаповал",
        "Щерб", "Юш", "Яковл",
    ],
    endings: &[
        ("ов", "ова"), ("ев", "ева"), ("ин", "ина"), ("овский", "овская"), ("енко", "енко"),
        ("ихин", "ихина"), ("ушкин", "ушкина"), ("цев", "цева"),
    ],
};

#[rustfmt::skip] // One word a line would hide the others.
const GREEK: Culture = Culture {
    language: "el",
    share: 6,
    male: &[
        "Αλέξανδρος", "Ανδρέας", "Γιώργος", "Δημήτρης", "Θανάσης", "Κώστας", "Λευτέρης", "Μιχάλης", "Νίκος",
        "Παύλος", "Σπύρος", "Στέφανος", "Χρήστος",
    ],
    female: &[
        "Αγγελική", "Άννα", "Βασιλική", "Δέσποινα", "Ελένη", "Ευγενία", "Ζωή", "Ιωάννα", "Κατερίνα",
        "Μαρία", "Σοφία", "Φωτεινή", "Χριστίνα",
    ],
    roots: &[
        "Αγγελ", "Αναγνωστ", "Βασιλ", "Γεωργ", "Δημητρ", "Θεοδωρ", "Κωνσταντιν", "Μακρ", "Μιχαηλ", "Νικολα",
        "Παπα", "Παυλ", "Σταματ", "Στεφαν", "Φωτ", "Χατζ", "Χριστ",
    ],
    endings: &[
        ("όπουλος", "οπούλου"), ("ίδης", "ίδου"), ("άκης", "άκη"), ("άδης", "άδου"), ("έας", "έα"),
        ("ιάδης", "ιάδου"), ("άκος", "άκου"),
    ],
};

#[rustfmt::skip] // One word a line would hide the others.
const JAPANESE: Culture = Culture {
    language: "ja-Latn",
    share: 4,
    male: &[
        "Akira", "Daisuke", "Gorō", "Hiroshi", "Ichirō", "Jirō", "Kenji", "Makoto", "Ryū", "Saburō",
        "Shin'ichi", "Takeshi", "Tarō", "Yūji",
    ],
    female: &[
        "Aiko", "Chiyo", "Emiko", "Fumiko", "Haruko", "Kyōko", "Machiko", "Michiko", "Noriko", "Reiko",
        "Sayuri", "Setsuko", "Yōko", "Yūko",
    ],
    roots: &[
        "Aka", "Ao", "Fuji", "Haya", "Ishi", "Iwa", "Kita", "Kuro", "Matsu", "Miya", "Naka", "Ō", "Sugi",
        "Taka", "Yama",
    ],
    endings: &[
        ("bayashi", "bayashi"), ("da", "da"), ("gawa", "gawa"), ("hara", "hara"), ("hashi", "hashi"),
        ("kawa", "kawa"), ("moto", "moto"), ("mura", "mura"), ("no", "no"), ("saki", "saki"),
        ("shima", "shima"), ("zawa", "zawa"),
    ],
};

/// All cultures; their shares are parts of a hundred.
const CULTURES: [&Culture; 8] = [&ENGLISH, &FRENCH, &GERMAN, &SPANISH, &POLISH, &RUSSIAN, &GREEK, &JAPANESE];

/// A culture, by its share.
pub(crate) fn culture(rolls: &mut Rolls) -> &'static Culture {
    let mut ticket = rolls.below(100);
    for culture in CULTURES {
        if ticket < culture.share {
            return culture;
        }
        ticket -= culture.share;
    }
    &ENGLISH
}

impl Culture {
    /// A given name.
    pub(crate) fn given(&self, male: bool, rolls: &mut Rolls) -> &'static str {
        rolls.word(if male { self.male } else { self.female })
    }

    /// A family name.
    pub(crate) fn family(&self, male: bool, rolls: &mut Rolls) -> String {
        let root = rolls.word(self.roots);
        let ending = self.endings.get(rolls.below(self.endings.len())).copied().unwrap_or_default();
        format!("{root}{}", if male { ending.0 } else { ending.1 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shares_make_a_hundred() {
        assert_eq!(CULTURES.iter().map(|culture| culture.share).sum::<usize>(), 100);
    }
}
