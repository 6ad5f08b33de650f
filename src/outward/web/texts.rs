//! What the pages say, in each language. A language is a row: the compiler refuses one that lacks a word.
//!
//! In a sentence `{}` stands for what is filled in. PageTexts of the game are those of its players: a man is a *schijf*, a *pion*, a
//! *простая*; a king a *dam*, a *dame*, a *дамка*.

use axum::http::HeaderMap;
use axum::http::header::ACCEPT_LANGUAGE;

/// A language of the pages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Language {
    /// English
    En,
    /// Dutch
    Nl,
    /// French
    Fr,
    /// Russian
    Ru,
}

/// A sentence with a number: for one, for a few, for many. Languages without a form of their own for a few repeat it.
#[derive(Clone, Copy, Debug)]
pub struct Plural {
    /// 1 (French: also 0; Russian: also 21, 31, ...)
    pub one: &'static str,
    /// Russian: 2 to 4, 22 to 24, ...
    pub few: &'static str,
    /// All others.
    pub many: &'static str,
}

/// What stands in a table of words.
#[derive(Clone, Copy, Debug)]
pub enum LocalizedText {
    /// A sentence.
    Text(&'static str),
    /// One with a number.
    Plural(Plural),
}

impl From<&'static str> for LocalizedText {
    fn from(text: &'static str) -> LocalizedText {
        LocalizedText::Text(text)
    }
}

impl From<Plural> for LocalizedText {
    fn from(plural: Plural) -> LocalizedText {
        LocalizedText::Plural(plural)
    }
}

impl LocalizedText {
    /// Its sentences.
    pub fn sentences(self) -> Vec<&'static str> {
        match self {
            LocalizedText::Text(text) => vec![text],
            LocalizedText::Plural(Plural { one, few, many }) => vec![one, few, many],
        }
    }
}

macro_rules! words {
    ($($(#[$doc:meta])* $name:ident: $kind:ty,)*) => {
        /// All that the pages say, in one language.
        #[derive(Clone, Copy, Debug)]
        pub struct PageTexts { $($(#[$doc])* pub $name: $kind,)* }
        impl PageTexts {
            /// All of them with their names.
            pub fn entries(&self) -> Vec<(&'static str, LocalizedText)> {
                vec![$((stringify!($name), self.$name.into()),)*]
            }
        }
    };
}

words! {
    /// Skip link
    skip: &'static str,
    /// A tournament without a name
    untitled: &'static str,
    /// Round {}
    round: &'static str,
    /// Board {}
    board: &'static str,
    /// Boards
    boards: &'static str,
    /// Standings
    standings: &'static str,
    /// Results
    results: &'static str,
    /// Games that are over
    games: &'static str,
    /// Pages (of the navigation)
    pages: &'static str,
    /// Language
    language: &'static str,
    /// White
    white: &'static str,
    /// Black
    black: &'static str,
    /// men
    men: &'static str,
    /// kings
    kings: &'static str,
    /// Moves
    moves: &'static str,
    /// Move (head of a column)
    a_move: &'static str,
    /// Position as text
    position: &'static str,
    /// White to move
    white_to_move: &'static str,
    /// Black to move
    black_to_move: &'static str,
    /// empty
    none: &'static str,
    /// The start of the game
    start: &'static str,
    /// The position was set by hand or taken as it stood
    setup: &'static str,
    /// A move that the board missed, and that was typed from the players' sheet
    typed: &'static str,
    /// likely next, not sure
    likely: &'static str,
    /// first move
    first: &'static str,
    /// one back
    back: &'static str,
    /// one on
    on: &'static str,
    /// last move
    last: &'static str,
    /// Live
    live: &'static str,
    /// Turn the board
    turn: &'static str,
    /// Copy PDN
    copy_pdn: &'static str,
    /// Copy FEN
    copy_fen: &'static str,
    /// Link to this move
    link: &'static str,
    /// Copied
    copied: &'static str,
    /// keys: move
    key_move: &'static str,
    /// keys: first, last
    key_ends: &'static str,
    /// Over after {} moves
    over_after: Plural,
    /// Over
    over: &'static str,
    /// Not clear since {}
    unclear: &'static str,
    /// Not clear
    unclear_first: &'static str,
    /// Clocks stopped
    stopped: &'static str,
    /// Nothing heard
    silent: &'static str,
    /// Nothing heard for {} s
    silent_for: &'static str,
    /// Not started
    waiting: &'static str,
    /// Playing
    playing: &'static str,
    /// No word from the server for {} s
    gone: &'static str,
    /// Live again
    again: &'static str,
    /// Stored page, {} minutes old
    stored: Plural,
    /// Connecting
    connecting: &'static str,
    /// No board has begun yet
    nothing_yet: &'static str,
    /// No tournament: results of games
    no_tournament: &'static str,
    /// No game is over yet
    none_over: &'static str,
    /// Result
    result: &'static str,
    /// There is no such page
    not_found: &'static str,
    /// {side} {from} to {to}
    say_move: &'static str,
    /// {side} {from} takes {taken} and lands on {to}
    say_capture: &'static str,
    /// All games
    all_games: &'static str,
    /// Files for programs
    files: &'static str,
    /// Address of this page (beside its QR code)
    address: &'static str,
    /// Points
    points: &'static str,
    /// Rank
    rank: &'static str,
    /// Name
    name: &'static str,
    /// Played
    played: &'static str,
    /// Provisional, {} games are still open
    provisional: Plural,
    /// Provisional, {} results are missing
    results_missing: Plural,
    /// Without opponent:
    without_opponent: &'static str,
    /// Of a game that begins another day
    postponed: &'static str,
    /// Of a game that goes on another day
    adjourned: &'static str,
    /// To the full page (of an embedded board)
    to_page: &'static str,
}

const EN: PageTexts = PageTexts {
    skip: "To the content",
    untitled: "Live games",
    round: "Round {}",
    board: "Board {}",
    boards: "Boards",
    standings: "Standings",
    results: "Results",
    games: "Games",
    pages: "Pages",
    language: "Language",
    white: "White",
    black: "Black",
    men: "men",
    kings: "kings",
    moves: "Moves",
    a_move: "Move",
    position: "Position as text",
    white_to_move: "White to move",
    black_to_move: "Black to move",
    none: "none",
    start: "Start of the game",
    setup: "Position as it stood",
    typed: "from the score sheet",
    likely: "Likely next, not sure: {}",
    first: "First position",
    back: "One move back",
    on: "One move on",
    last: "Last move",
    live: "Live",
    turn: "Turn the board",
    copy_pdn: "Copy PDN",
    copy_fen: "Copy FEN",
    link: "Link to this move",
    copied: "Copied",
    key_move: "move",
    key_ends: "first, last",
    over_after: Plural { one: "Over after {} move", few: "Over after {} moves", many: "Over after {} moves" },
    over: "Over",
    unclear: "Not clear since {}",
    unclear_first: "Not clear",
    stopped: "Clocks stopped",
    silent: "Nothing heard",
    silent_for: "Nothing heard for {} s",
    waiting: "Not started",
    playing: "Playing",
    gone: "No word from the server for {} s",
    again: "Live again",
    stored: Plural {
        one: "Stored page, {} minute old",
        few: "Stored page, {} minutes old",
        many: "Stored page, {} minutes old",
    },
    connecting: "Connecting",
    nothing_yet: "No game has begun yet. This page shows the first move when it is played.",
    no_tournament: "There is no table of a tournament here; these are the results of the games.",
    none_over: "No game is over yet.",
    result: "Result",
    not_found: "There is no such page. Its board or game may not have begun yet.",
    say_move: "{side} {from} to {to}",
    say_capture: "{side} {from} takes {taken} and lands on {to}",
    all_games: "All games",
    files: "Files for programs",
    address: "This page",
    points: "Points",
    rank: "Rank",
    name: "Name",
    played: "Played",
    provisional: Plural {
        one: "Provisional, {} game is still open",
        few: "Provisional, {} games are still open",
        many: "Provisional, {} games are still open",
    },
    results_missing: Plural {
        one: "Provisional, {} result is missing",
        few: "Provisional, {} results are missing",
        many: "Provisional, {} results are missing",
    },
    without_opponent: "Without opponent: ",
    postponed: "Postponed",
    adjourned: "Adjourned",
    to_page: "To the full page",
};

const NL: PageTexts = PageTexts {
    skip: "Naar de inhoud",
    untitled: "Live partijen",
    round: "Ronde {}",
    board: "Bord {}",
    boards: "Borden",
    standings: "Stand",
    results: "Uitslagen",
    games: "Partijen",
    pages: "Pagina's",
    language: "Taal",
    white: "Wit",
    black: "Zwart",
    men: "schijven",
    kings: "dammen",
    moves: "Zetten",
    a_move: "Zet",
    position: "Stand als tekst",
    white_to_move: "Wit aan zet",
    black_to_move: "Zwart aan zet",
    none: "geen",
    start: "Begin van de partij",
    setup: "Stand zoals hij op het bord stond",
    typed: "van het notatieformulier",
    likely: "Waarschijnlijk de volgende, niet zeker: {}",
    first: "Beginstand",
    back: "Een zet terug",
    on: "Een zet verder",
    last: "Laatste zet",
    live: "Live",
    turn: "Bord draaien",
    copy_pdn: "PDN kopiëren",
    copy_fen: "FEN kopiëren",
    link: "Link naar deze zet",
    copied: "Gekopieerd",
    key_move: "zet",
    key_ends: "eerste, laatste",
    over_after: Plural { one: "Afgelopen na {} zet", few: "Afgelopen na {} zetten", many: "Afgelopen na {} zetten" },
    over: "Afgelopen",
    unclear: "Niet duidelijk sinds {}",
    unclear_first: "Niet duidelijk",
    stopped: "Klokken stilgezet",
    silent: "Niets ontvangen",
    silent_for: "Al {} s niets ontvangen",
    waiting: "Niet begonnen",
    playing: "Bezig",
    gone: "Al {} s geen bericht van de server",
    again: "Weer live",
    stored: Plural {
        one: "Bewaarde pagina, {} minuut oud",
        few: "Bewaarde pagina, {} minuten oud",
        many: "Bewaarde pagina, {} minuten oud",
    },
    connecting: "Verbinden",
    nothing_yet: "Er is nog geen partij begonnen. Deze pagina toont de eerste zet zodra die gespeeld is.",
    no_tournament: "Er is hier geen stand van een toernooi; dit zijn de uitslagen van de partijen.",
    none_over: "Er is nog geen partij afgelopen.",
    result: "Uitslag",
    not_found: "Deze pagina bestaat niet. Misschien is het bord of de partij nog niet begonnen.",
    say_move: "{side} {from} naar {to}",
    say_capture: "{side} {from} slaat {taken} en komt op {to}",
    all_games: "Alle partijen",
    files: "Bestanden voor programma's",
    address: "Deze pagina",
    points: "Punten",
    rank: "Plaats",
    name: "Naam",
    played: "Gespeeld",
    provisional: Plural {
        one: "Voorlopig, {} partij is nog bezig",
        few: "Voorlopig, {} partijen zijn nog bezig",
        many: "Voorlopig, {} partijen zijn nog bezig",
    },
    results_missing: Plural {
        one: "Voorlopig, {} uitslag ontbreekt",
        few: "Voorlopig, {} uitslagen ontbreken",
        many: "Voorlopig, {} uitslagen ontbreken",
    },
    without_opponent: "Zonder tegenstander: ",
    postponed: "Uitgesteld",
    adjourned: "Afgebroken",
    to_page: "Naar de hele pagina",
};

const FR: PageTexts = PageTexts {
    skip: "Aller au contenu",
    untitled: "Parties en direct",
    round: "Ronde {}",
    board: "Damier {}",
    boards: "Damiers",
    standings: "Classement",
    results: "Résultats",
    games: "Parties",
    pages: "Pages",
    language: "Langue",
    white: "Blancs",
    black: "Noirs",
    men: "pions",
    kings: "dames",
    moves: "Coups",
    a_move: "Coup",
    position: "Position en texte",
    white_to_move: "Trait aux Blancs",
    black_to_move: "Trait aux Noirs",
    none: "aucune pièce",
    start: "Début de la partie",
    setup: "Position relevée sur le damier",
    typed: "d’après la feuille de partie",
    likely: "Coup probable, pas encore sûr : {}",
    first: "Position de départ",
    back: "Un coup en arrière",
    on: "Un coup en avant",
    last: "Dernier coup",
    live: "Direct",
    turn: "Tourner le damier",
    copy_pdn: "Copier le PDN",
    copy_fen: "Copier la FEN",
    link: "Lien vers ce coup",
    copied: "Copié",
    key_move: "coup",
    key_ends: "premier, dernier",
    over_after: Plural {
        one: "Terminée après {} coup",
        few: "Terminée après {} coups",
        many: "Terminée après {} coups",
    },
    over: "Terminée",
    unclear: "Incertain depuis {}",
    unclear_first: "Incertain",
    stopped: "Pendules arrêtées",
    silent: "Rien reçu",
    silent_for: "Rien reçu depuis {} s",
    waiting: "Pas commencée",
    playing: "En cours",
    gone: "Aucune nouvelle du serveur depuis {} s",
    again: "De nouveau en direct",
    stored: Plural {
        one: "Page enregistrée il y a {} minute",
        few: "Page enregistrée il y a {} minutes",
        many: "Page enregistrée il y a {} minutes",
    },
    connecting: "Connexion",
    nothing_yet: "Aucune partie n'a commencé. Cette page montrera le premier coup dès qu'il sera joué.",
    no_tournament: "Il n'y a pas de classement ici ; voici les résultats des parties.",
    none_over: "Aucune partie n'est terminée.",
    result: "Résultat",
    not_found: "Cette page n'existe pas. Le damier ou la partie n'a peut-être pas commencé.",
    say_move: "{side} : {from} à {to}",
    say_capture: "{side} : {from} prend {taken} et arrive en {to}",
    all_games: "Toutes les parties",
    files: "Fichiers pour programmes",
    address: "Cette page",
    points: "Points",
    rank: "Rang",
    name: "Nom",
    played: "Jouées",
    provisional: Plural {
        one: "Provisoire, {} partie est encore en cours",
        few: "Provisoire, {} parties sont encore en cours",
        many: "Provisoire, {} parties sont encore en cours",
    },
    results_missing: Plural {
        one: "Provisoire, il manque {} résultat",
        few: "Provisoire, il manque {} résultats",
        many: "Provisoire, il manque {} résultats",
    },
    without_opponent: "Sans adversaire : ",
    postponed: "Reportée",
    adjourned: "Ajournée",
    to_page: "Vers la page complète",
};

const RU: PageTexts = PageTexts {
    skip: "К содержанию",
    untitled: "Партии в прямом эфире",
    round: "Тур {}",
    board: "Доска {}",
    boards: "Доски",
    standings: "Таблица",
    results: "Результаты",
    games: "Партии",
    pages: "Страницы",
    language: "Язык",
    white: "Белые",
    black: "Чёрные",
    men: "простые",
    kings: "дамки",
    moves: "Ходы",
    a_move: "Ход",
    position: "Позиция словами",
    white_to_move: "Ход белых",
    black_to_move: "Ход чёрных",
    none: "нет",
    start: "Начало партии",
    setup: "Позиция с доски",
    typed: "с бланка партии",
    likely: "Вероятный ход, ещё не точно: {}",
    first: "Начальная позиция",
    back: "На ход назад",
    on: "На ход вперёд",
    last: "Последний ход",
    live: "Прямой эфир",
    turn: "Повернуть доску",
    copy_pdn: "Скопировать PDN",
    copy_fen: "Скопировать FEN",
    link: "Ссылка на этот ход",
    copied: "Скопировано",
    key_move: "ход",
    key_ends: "первый, последний",
    over_after: Plural {
        one: "Окончена после {} хода",
        few: "Окончена после {} ходов",
        many: "Окончена после {} ходов",
    },
    over: "Окончена",
    unclear: "Неясно после {}",
    unclear_first: "Неясно",
    stopped: "Часы остановлены",
    silent: "Нет связи",
    silent_for: "Нет связи {} с",
    waiting: "Не началась",
    playing: "Идёт",
    gone: "Нет связи с сервером {} с",
    again: "Снова прямой эфир",
    stored: Plural {
        one: "Сохранённая страница, ей {} минута",
        few: "Сохранённая страница, ей {} минуты",
        many: "Сохранённая страница, ей {} минут",
    },
    connecting: "Соединение",
    nothing_yet: "Ни одна партия ещё не началась. Первый ход появится здесь, как только будет сделан.",
    no_tournament: "Таблицы турнира здесь нет; это результаты партий.",
    none_over: "Ни одна партия ещё не окончена.",
    result: "Результат",
    not_found: "Такой страницы нет. Возможно, партия на этой доске ещё не началась.",
    say_move: "{side}: {from} на {to}",
    say_capture: "{side}: {from} бьёт {taken} и встаёт на {to}",
    all_games: "Все партии",
    files: "Файлы для программ",
    address: "Эта страница",
    points: "Очки",
    rank: "Место",
    name: "Имя",
    played: "Сыграно",
    provisional: Plural {
        one: "Предварительно, не окончена {} партия",
        few: "Предварительно, не окончены {} партии",
        many: "Предварительно, не окончены {} партий",
    },
    results_missing: Plural {
        one: "Предварительно, не хватает {} результата",
        few: "Предварительно, не хватает {} результатов",
        many: "Предварительно, не хватает {} результатов",
    },
    without_opponent: "Без соперника: ",
    postponed: "Отложена",
    adjourned: "Прервана",
    to_page: "Вся страница",
};

impl Language {
    /// All of them, in the order of the links.
    pub const ALL: [Language; 4] = [Language::En, Language::Nl, Language::Fr, Language::Ru];

    /// Its code, as in `lang="nl"`.
    pub fn code(self) -> &'static str {
        match self {
            Language::En => "en",
            Language::Nl => "nl",
            Language::Fr => "fr",
            Language::Ru => "ru",
        }
    }

    /// What is asked for in the address, then what the browser says that its reader likes best, then English.
    pub fn negotiate(lang: Option<&str>, headers: &HeaderMap) -> Language {
        let accepted = headers.get(ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok());
        let preferred = || Language::preferred(accepted.unwrap_or_default());
        lang.and_then(Language::from_code).or_else(preferred).unwrap_or(Language::En)
    }

    /// What it is called by those who speak it.
    pub fn name(self) -> &'static str {
        match self {
            Language::En => "English",
            Language::Nl => "Nederlands",
            Language::Fr => "Français",
            Language::Ru => "Русский",
        }
    }

    /// Its words.
    pub fn words(self) -> &'static PageTexts {
        match self {
            Language::En => &EN,
            Language::Nl => &NL,
            Language::Fr => &FR,
            Language::Ru => &RU,
        }
    }

    /// The language of a code, also of one with a country.
    pub fn from_code(code: &str) -> Option<Language> {
        let code = code.split(['-', '_']).next().unwrap_or_default();
        Language::ALL.into_iter().find(|language| language.code().eq_ignore_ascii_case(code))
    }

    /// What a reader likes best of an `Accept-Language` header.
    pub fn preferred(header: &str) -> Option<Language> {
        let weighed = header.split(',').take(32).filter_map(|part| {
            let (code, rest) = part.split_once(';').unwrap_or((part, ""));
            let weight = rest.trim().strip_prefix("q=").map_or(Ok(1.0), str::parse::<f32>).ok()?;
            Some((Language::from_code(code.trim())?, weight)).filter(|(_, weight)| *weight > 0.0)
        });
        // Of two that are liked as much, the first.
        weighed.reduce(|best, other| if other.1 > best.1 { other } else { best }).map(|(language, _)| language)
    }

    /// A sentence with a number.
    pub fn count(self, plural: Plural, number: usize) -> String {
        let (ones, tens) = (number % 10, number % 100 / 10);
        let form = match self {
            Language::Ru if tens == 1 => plural.many,
            Language::Ru if ones == 1 => plural.one,
            Language::Ru if (2..=4).contains(&ones) => plural.few,
            Language::Ru => plural.many,
            Language::Fr if number < 2 => plural.one,
            _ if number == 1 => plural.one,
            _ => plural.many,
        };
        fill(form, number)
    }
}

/// A sentence with what stands for its `{}`.
pub fn fill(sentence: &str, with: impl std::fmt::Display) -> String {
    sentence.replacen("{}", &with.to_string(), 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_agree_in_all_languages() {
        let places = |text: &str| {
            ["{}", "{side}", "{from}", "{to}", "{taken}"].map(|place| text.matches(place).count()).to_vec()
        };
        let all = |words: &PageTexts| -> Vec<&str> {
            words.entries().iter().flat_map(|(_, said)| said.sentences()).collect()
        };
        let english = all(&EN);
        for language in Language::ALL {
            for (text, english) in all(language.words()).iter().zip(&english) {
                assert!(!text.trim().is_empty() && !text.contains('<'), "{language:?} {english}");
                assert_eq!(places(text), places(english), "{language:?}: {text}");
            }
        }
    }

    #[test]
    fn numbers_have_plural_forms() {
        let over = |language: Language, number| language.count(language.words().stored, number);
        assert!(over(Language::En, 1).contains("1 minute old"));
        assert!(over(Language::En, 0).contains("0 minutes"));
        assert!(over(Language::Fr, 0).contains("0 minute"));
        for (number, form) in [
            (1, "минута"),
            (21, "минута"),
            (2, "минуты"),
            (24, "минуты"),
            (5, "минут"),
            (11, "минут"),
            (12, "минут"),
            (111, "минут"),
            (100, "минут"),
        ] {
            assert!(over(Language::Ru, number).ends_with(&format!("{number} {form}")), "{number}");
        }
    }

    #[test]
    fn chooses_preferred_language() {
        for (header, expected) in [
            ("nl-BE,nl;q=0.9,en;q=0.8", Some(Language::Nl)),
            ("de, fr;q=0.5, ru;q=0.7", Some(Language::Ru)),
            ("de", None),
            ("", None),
            ("en;q=0, fr;q=0.1", Some(Language::Fr)),
            ("fr, nl", Some(Language::Fr)),
            ("*;q=x,;;;,nl;q=nan", None),
        ] {
            assert_eq!(Language::preferred(header), expected, "{header}");
        }
    }
}
