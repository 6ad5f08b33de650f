//! What the desk says, in each language of the pages. A word is a row with its text in each language: the compiler refuses a row that
//! lacks one. The page carries them as a block of JSON, in which the script finds them by name; it has no texts of its own.
//!
//! What the station says (answers, alarms, states in words) is English and is marked as such. `{}` stands for what is filled in, in this
//! order.

use serde_json::{Map, Value, json};

use crate::outward::web::Language;
use crate::outward::web::texts::{LocalizedText, Plural};

/// A word for each language, or its forms for numbers. The rows: English, Dutch, French, Russian.
macro_rules! desk_words {
    (texts { $($text:ident: $en:literal, $nl:literal, $fr:literal, $ru:literal;)* }
     counts { $($count:ident: $en_one:literal $en_many:literal, $nl_one:literal $nl_many:literal, $fr_one:literal $fr_many:literal,
        $ru_one:literal $ru_few:literal $ru_many:literal;)* }) => {
        /// All that the desk says, in one language.
        #[derive(Clone, Copy, Debug)]
        pub struct DeskTexts {
            $(#[doc = $en] pub $text: &'static str,)*
            $(#[doc = $en_many] pub $count: Plural,)*
        }

        const EN: DeskTexts =
            DeskTexts { $($text: $en,)* $($count: Plural { one: $en_one, few: $en_many, many: $en_many },)* };
        const NL: DeskTexts =
            DeskTexts { $($text: $nl,)* $($count: Plural { one: $nl_one, few: $nl_many, many: $nl_many },)* };
        const FR: DeskTexts =
            DeskTexts { $($text: $fr,)* $($count: Plural { one: $fr_one, few: $fr_many, many: $fr_many },)* };
        const RU: DeskTexts =
            DeskTexts { $($text: $ru,)* $($count: Plural { one: $ru_one, few: $ru_few, many: $ru_many },)* };

        impl DeskTexts {
            /// All of them with their names.
            fn entries(&self) -> Vec<(&'static str, LocalizedText)> {
                vec![
                    $((stringify!($text), LocalizedText::Text(self.$text)),)*
                    $((stringify!($count), LocalizedText::Plural(self.$count)),)*
                ]
            }
        }
    };
}

desk_words! {
    texts {
        // The frame, the login.
        desk: "Desk", "Wedstrijdtafel", "Table d’arbitrage", "Пульт";
        skip: "To the boards", "Naar de borden", "Vers les damiers", "К доскам";
        log_in: "Log in", "Inloggen", "Se connecter", "Войти";
        log_out: "Log out", "Uitloggen", "Se déconnecter", "Выйти";
        code: "Code", "Code", "Code", "Код";
        code_hint: "Six digits, for a minute. {} on the station makes one.",
            "Zes cijfers, een minuut geldig. {} op het station maakt er een.",
            "Six chiffres, valables une minute. {} sur la station en crée un.",
            "Шесть цифр, действует минуту. Код даёт {} на станции.";
        password: "Password", "Wachtwoord", "Mot de passe", "Пароль";
        no_script: "The desk needs JavaScript. `damcast ctl` and `damcast status` do the same without.",
            "De wedstrijdtafel heeft JavaScript nodig. `damcast ctl` en `damcast status` doen hetzelfde zonder.",
            "Cette page a besoin de JavaScript. `damcast ctl` et `damcast status` font la même chose sans.",
            "Пульту нужен JavaScript. `damcast ctl` и `damcast status` делают то же без него.";
        login_ended: "Your login has ended. Log in again.",
            "U bent uitgelogd. Log opnieuw in.",
            "Votre session est terminée. Reconnectez-vous.",
            "Ваш вход закончился. Войдите снова.";
        operator: "operator", "operator", "opérateur", "оператор";
        arbiter: "arbiter", "arbiter", "arbitre", "судья";
        also_here: "Also here: ", "Ook hier: ", "Aussi présents : ", "Здесь также: ";
        sound_on: "Sound on", "Geluid aan", "Son activé", "Звук включён";
        sound_off: "Sound off", "Geluid uit", "Son coupé", "Звук выключен";
        no_answer: "The desk does not answer. It is not known whether this was done; look before you ask again.",
            "De wedstrijdtafel antwoordt niet. Het is niet bekend of dit gedaan is; kijk eerst, voor u het opnieuw vraagt.",
            "Aucune réponse. On ne sait pas si cela a été fait ; regardez avant de redemander.",
            "Пульт не отвечает. Неизвестно, сделано ли это; посмотрите, прежде чем просить снова.";
        answers: "The desk answers {}.", "De wedstrijdtafel antwoordt {}.", "Réponse {}.", "Пульт отвечает {}.";
        no_word: "No word from the desk for {} s; what stands here is old.",
            "Al {} s geen bericht van de wedstrijdtafel; wat hier staat is oud.",
            "Aucune nouvelle depuis {} s ; ce qui s’affiche ici est ancien.",
            "Нет связи с пультом {} с; то, что здесь показано, устарело.";
        no_station: "The station does not answer; what stands here is old.",
            "Het station antwoordt niet; wat hier staat is oud.",
            "La station ne répond pas ; ce qui s’affiche ici est ancien.",
            "Станция не отвечает; то, что здесь показано, устарело.";
        the_station: "The station", "Het station", "La station", "Станция";

        // Every change is shown before it is done.
        will_do: "What “{}” will do", "Wat “{}” gaat doen", "Ce que fera « {} »", "Что сделает «{}»";
        still_missing: "Something is still missing.", "Er ontbreekt nog iets.", "Il manque encore quelque chose.", "Ещё не всё заполнено.";
        nothing_changes: "Nothing changes.", "Er verandert niets.", "Rien ne change.", "Ничего не изменится.";
        would_refuse: "It would be refused: {}", "Het zou geweigerd worden: {}", "Ce serait refusé : {}", "Это будет отклонено: {}";
        not_done: "Not done: {}", "Niet gedaan: {}", "Pas fait : {}", "Не сделано: {}";
        meant: "It is meant so.", "Het is zo bedoeld.", "C’est voulu.", "Так и задумано.";
        takes_place: "It takes the place of the result that stands there.",
            "Het komt in de plaats van de uitslag die er staat.",
            "Il remplace le résultat qui y figure.",
            "Он заменит результат, который там стоит.";
        written: "written: {}", "geschreven: {}", "écrit : {}", "записано: {}";
        done: "Done.", "Gedaan.", "C’est fait.", "Сделано.";
        cancel: "Cancel", "Annuleren", "Annuler", "Отмена";
        reason: "Reason", "Reden", "Motif", "Причина";
        reason_hint: "It stands in the record.", "Hij staat in het verslag.", "Il figure au registre.", "Она останется в журнале.";
        signed_sheet: "signed sheet", "getekend formulier", "feuille signée", "подписанный бланк";

        // Boards and their troubles.
        state_broken: "Its line does not run", "De lijn loopt niet", "Sa ligne est arrêtée", "Линия не работает";
        state_no_connection: "Not connected", "Niet aangesloten", "Pas branché", "Не подключена";
        state_no_answer: "Nothing heard", "Niets ontvangen", "Rien reçu", "Не отвечает";
        state_other_board: "Another board", "Een ander bord", "Un autre damier", "Другая доска";
        state_unexplained: "Not clear", "Niet duidelijk", "Incertain", "Неясно";
        state_playing: "Playing", "Bezig", "En cours", "Идёт игра";
        state_clock_stopped: "The clock stands", "De klok staat stil", "La pendule est arrêtée", "Часы стоят";
        state_ready: "Ready", "Gereed", "Prêt", "Готова";
        state_over: "Over", "Afgelopen", "Terminée", "Окончена";
        state_waiting: "Waiting for the start position", "Wacht op de beginstand", "Attend la position de départ", "Ждёт начальной позиции";
        state_catching_up: "Catching up", "Haalt in", "Rattrape son retard", "Навёрстывает";
        proposed: "Result proposed: {}", "Uitslag voorgesteld: {}", "Résultat proposé : {}", "Предложен результат: {}";
        waits_for_result: "Waits for its result", "Wacht op de uitslag", "Attend son résultat", "Ждёт результата";
        alarm: "Alarm", "Alarm", "Alarme", "Тревога";
        not_published: "Not published", "Niet gepubliceerd", "Pas publié", "Не публикуется";
        no_clock: "No clock", "Geen klok", "Pas de pendule", "Нет часов";
        no_clock_text: "The clock is not heard of: times are missing in the file.",
            "Van de klok komt niets: in het bestand ontbreken de tijden.",
            "Rien ne vient de la pendule : les temps manquent dans le fichier.",
            "От часов ничего не приходит: в файле нет времени.";
        held_back: "Held back", "Tegengehouden", "Retenu", "Задержана";
        held_text: "What is played is recorded, and not shown until it is released.",
            "Wat gespeeld wordt, wordt vastgelegd en pas getoond na vrijgave.",
            "Ce qui se joue est enregistré, mais pas montré avant d’être libéré.",
            "Ходы записываются, но не показываются, пока доску не отпустят.";
        not_set_up: "Not set up", "Niet opgezet", "Pas en place", "Не расставлена";
        squares_differ: "Squares {} differ from what is published.",
            "De velden {} verschillen van wat gepubliceerd is.",
            "Les cases {} diffèrent de ce qui est publié.",
            "Поля {} отличаются от опубликованного.";
        asked_how: "The station is asked how it is …", "Het station wordt gevraagd hoe het gaat …", "On interroge la station …", "Запрашивается состояние станции …";
        needs_person: "Needs a person", "Heeft iemand nodig", "Demande quelqu’un", "Нужен человек";
        nothing_matter: "Nothing is the matter.", "Er is niets aan de hand.", "Tout va bien.", "Всё в порядке.";
        no_trouble: "No trouble", "Geen problemen", "Sans problème", "Без замечаний";
        all_boards: "All boards", "Alle borden", "Tous les damiers", "Все доски";

        // The health of the station.
        health: "Health of the station", "Hoe het met het station gaat", "État de la station", "Состояние станции";
        boards_heard: "Boards heard", "Borden gehoord", "Damiers entendus", "Досок на связи";
        of: "{} of {}", "{} van {}", "{} sur {}", "{} из {}";
        others_first: "the others stand first in the list", "de andere staan vooraan in de lijst", "les autres sont en tête de liste", "остальные первые в списке";
        all: "all", "alle", "tous", "все";
        disk: "Disk", "Schijf", "Disque", "Диск";
        free: "{} GB free", "{} GB vrij", "{} Go libres", "свободно {} ГБ";
        not_known: "not known", "niet bekend", "inconnu", "неизвестно";
        disk_fine: "everything is written", "alles is geschreven", "tout est écrit", "всё записано";
        public_files: "Public files", "Publieke bestanden", "Fichiers publics", "Открытые файлы";
        up_to_date: "up to date", "bijgewerkt", "à jour", "актуальны";
        viewers: "Viewers", "Kijkers", "Spectateurs", "Зрители";
        event: "event {}", "gebeurtenis {}", "événement {}", "событие {}";
        and_more: "+ {}", "+ {}", "+ {}", "+ {}";
        viewers_silent: "the pages do not say how they are", "de pagina’s zeggen niet hoe het gaat", "les pages ne donnent pas de nouvelles", "страницы о себе не сообщают";
        alarms: "Alarms", "Alarmen", "Alarmes", "Тревоги";
        none: "none", "geen", "aucune", "нет";

        // One board.
        white_black: "White {}, Black {}", "Wit {}, Zwart {}", "Blancs {}, Noirs {}", "Белые {}, чёрные {}";
        game: "game {}", "partij {}", "partie {}", "партия {}";
        since: "since {}", "sinds {}", "depuis {}", "с {}";
        station_says: "The station says", "Het station zegt", "La station dit", "Станция сообщает";
        last_published: "Last published", "Laatst gepubliceerd", "Dernier coup publié", "Опубликовано последним";
        likely: "Likely, not final", "Waarschijnlijk, niet zeker", "Probable, pas définitif", "Вероятно, не точно";
        waits_for: "Waits for", "Wacht op", "Attend", "Ждёт";
        clocks: "Clocks", "Klokken", "Pendules", "Часы";
        round_board: "Round {}, board {}", "Ronde {}, bord {}", "Ronde {}, damier {}", "Тур {}, доска {}";
        wait_turn: "the other side to move", "de andere kant aan zet", "le trait à l’autre camp", "хода другой стороны";
        wait_quiet: "the board to be quiet", "rust op het bord", "que le damier soit au repos", "покоя на доске";
        wait_press: "the clock to be pressed", "het indrukken van de klok", "l’appui sur la pendule", "нажатия часов";
        wait_blemish: "a piece to be put right", "een stuk dat recht gezet wordt", "qu’une pièce soit bien placée", "поправки фигуры";
        wait_next_move: "the next move, which tells which one it was", "de volgende zet, die zegt welke het was",
            "le coup suivant, qui dira lequel c’était", "следующего хода: он покажет, какой это был";
        wait_dump: "the board to say what stands on it", "het bord, dat zegt wat erop staat", "que le damier dise ce qu’il porte", "ответа доски, что на ней стоит";
        wait_lever: "the clock’s lever", "de hendel van de klok", "le levier de la pendule", "рычага часов";
        wait_explanation: "a legal move", "een reglementaire zet", "un coup réglementaire", "хода по правилам";
        wait_flicker: "a square that flickers", "een veld dat flikkert", "une case qui clignote", "поле, которое мигает";
        closest: "What comes closest", "Wat er het dichtst bij komt", "Ce qui s’en approche le plus", "Ближайшие объяснения";
        as_new: "what stands there, as a new position", "wat er staat, als nieuwe stand", "ce qui s’y trouve, comme nouvelle position", "то, что стоит, как новая позиция";
        looked_for: "It is looked for when the board has been quiet for a moment.",
            "Dat wordt gezocht zodra het bord even rustig is.",
            "On le cherchera dès que le damier sera un instant au repos.",
            "Поиск начнётся, когда доска немного успокоится.";
        put_right: "Put the pieces right, and it goes on by itself. If what stands there is right: read the board again.",
            "Zet de stukken goed, dan gaat het vanzelf verder. Klopt wat er staat: lees het bord opnieuw.",
            "Remettez les pièces en place et tout continue. Si ce qui s’y trouve est juste : relisez le damier.",
            "Поставьте шашки верно, и всё пойдёт дальше. Если на доске всё верно: прочтите доску заново.";
        no_squares: "The board has not told yet what stands on it.",
            "Het bord heeft nog niet gezegd wat erop staat.",
            "Le damier n’a pas encore dit ce qu’il porte.",
            "Доска ещё не сообщила, что на ней стоит.";
        shows: "The board shows", "Het bord toont", "Le damier montre", "Доска показывает";
        published: "Published", "Gepubliceerd", "Publié", "Опубликовано";
        no_game: "No game goes on: nothing is published of it.",
            "Er is geen partij bezig: er wordt niets van gepubliceerd.",
            "Aucune partie en cours : rien n’en est publié.",
            "Партия не идёт: ничего не публикуется.";
        differ: "They differ on {}.", "Ze verschillen op {}.", "Ils diffèrent en {}.", "Различаются на {}.";
        same: "They are the same.", "Ze zijn gelijk.", "Ils sont identiques.", "Они совпадают.";
        more_for: "More for {}", "Meer voor {}", "Autres actions : {}", "Ещё для {}";

        // What can be asked of a board.
        result_of: "Result of {}", "Uitslag van {}", "Résultat : {}", "Результат: {}";
        white_wins: "White wins, {}", "Wit wint, {}", "Les Blancs gagnent, {}", "Победа белых, {}";
        draw: "Draw, {}", "Remise, {}", "Nulle, {}", "Ничья, {}";
        black_wins: "Black wins, {}", "Zwart wint, {}", "Les Noirs gagnent, {}", "Победа чёрных, {}";
        no_result: "No result, *", "Geen uitslag, *", "Pas de résultat, *", "Без результата, *";
        take_it_back: "No result, take it back", "Geen uitslag, trek hem in", "Pas de résultat, l’annuler", "Без результата, отменить";
        other_result: "Another result", "Een andere uitslag", "Un autre résultat", "Другой результат";
        other_result_hint: "Games whose results are written otherwise take those.",
            "Voor partijen waarvan de uitslag anders genoteerd wordt.",
            "Pour les parties dont le résultat s’écrit autrement.",
            "Для партий, где результат пишется иначе.";
        how_come: "How it came about", "Hoe het zo kwam", "Comment il s’est produit", "Как он получен";
        reason_played: "as it was played", "zoals gespeeld", "comme joué", "сыграно";
        reason_forfeit: "forfeit", "niet opgekomen", "forfait", "неявка";
        reason_both_lost: "both lost", "beiden verloren", "perdue pour les deux", "поражение обоим";
        reason_arbiter: "the arbiter’s decision", "beslissing van de arbiter", "décision de l’arbitre", "решение судьи";
        reason_not_played: "not played", "niet gespeeld", "pas jouée", "не играна";
        reason_bye: "bye: one player", "vrij: één speler", "exempt : un seul joueur", "выходной: один игрок";
        give_result: "Give the result", "Uitslag geven", "Donner le résultat", "Дать результат";
        correct_result: "Correct the result", "Uitslag verbeteren", "Corriger le résultat", "Исправить результат";
        names: "Names", "Namen", "Noms", "Имена";
        names_of: "Names of {}", "Namen van {}", "Noms : {}", "Имена: {}";
        give_names: "Give the names", "Namen geven", "Donner les noms", "Дать имена";
        take_back: "Take back a move", "Zet terugnemen", "Reprendre un coup", "Взять ход назад";
        take_back_verb: "Take back", "Terugnemen", "Reprendre", "Взять назад";
        how_many: "How many plies", "Hoeveel halve zetten", "Combien de demi-coups", "Сколько полуходов";
        stays: "What was published stays; the position before follows as a setup, and the game goes on from there.",
            "Wat gepubliceerd is blijft; de stand ervoor volgt als opgezette stand, en de partij gaat daar verder.",
            "Ce qui est publié reste ; la position d’avant suit, et la partie continue de là.",
            "Опубликованное остаётся; следует прежняя позиция, и партия продолжается с неё.";
        read_again: "Read the board again", "Bord opnieuw lezen", "Relire le damier", "Прочесть доску заново";
        read_again_verb: "What stands there is right", "Wat er staat klopt", "Ce qui s’y trouve est juste", "На доске всё верно";
        read_again_effect: "The board is asked what stands on it. If no legal move explains that, it is published as a new position, and the game goes on from there.",
            "Het bord wordt gevraagd wat erop staat. Verklaart geen zet dat, dan wordt het als nieuwe stand gepubliceerd, en de partij gaat daar verder.",
            "On demande au damier ce qu’il porte. Si aucun coup ne l’explique, c’est publié comme nouvelle position, et la partie continue de là.",
            "Доску спрашивают, что на ней стоит. Если этого не объясняет ни один ход, публикуется новая позиция, и партия продолжается с неё.";
        who_moves: "Who is to move", "Wie is aan zet", "À qui le trait", "Чей ход";
        clock_tells: "The clock tells", "De klok zegt het", "La pendule le dit", "Покажут часы";
        turn_board: "Board lies turned", "Bord ligt andersom", "Damier retourné", "Доска перевёрнута";
        turn_board_verb: "Turn it", "Omdraaien", "Le retourner", "Перевернуть";
        turn_board_effect: "The board counts as lying the other way round from now on.",
            "Het bord geldt vanaf nu als andersom gelegd.",
            "Le damier compte désormais comme posé dans l’autre sens.",
            "Отныне считается, что доска лежит другой стороной.";
        hold: "Hold", "Tegenhouden", "Retenir", "Задержать";
        hold_effect: "Nothing of this board is published until it is released. It is recorded all the same.",
            "Van dit bord wordt niets gepubliceerd tot het vrijgegeven is. Vastgelegd wordt het wel.",
            "Rien de ce damier n’est publié avant d’être libéré. Tout est enregistré quand même.",
            "С этой доски ничего не публикуется, пока её не отпустят. Запись идёт.";
        release: "Release", "Vrijgeven", "Libérer", "Отпустить";
        release_effect: "What was held back is published, and everything from now on.",
            "Wat tegengehouden was wordt gepubliceerd, en alles vanaf nu.",
            "Ce qui était retenu est publié, et tout ce qui suit.",
            "Публикуется всё задержанное и всё дальнейшее.";
        begin_game: "Begin a game", "Partij beginnen", "Commencer une partie", "Начать партию";
        begin_game_verb: "Begin", "Beginnen", "Commencer", "Начать";
        from: "From", "Vanaf", "À partir de", "С чего";
        from_start: "the start position", "de beginstand", "la position de départ", "с начальной позиции";
        from_fen: "another position", "een andere stand", "une autre position", "с другой позиции";
        from_memory: "the memory of the board: a game that began while nobody listened",
            "het geheugen van het bord: een partij die begon toen niemand luisterde",
            "la mémoire du damier : une partie commencée sans témoin",
            "из памяти доски: партия началась, когда никто не слушал";
        position_if_other: "Position, where it is another", "Stand, als het een andere is", "Position, si c’est une autre", "Позиция, если она другая";
        begins: "A new game begins on this board.", "Op dit bord begint een nieuwe partij.", "Une nouvelle partie commence sur ce damier.", "На этой доске начинается новая партия.";
        closes: "The game that goes on there is closed without a result.",
            "De partij die er bezig is wordt zonder uitslag afgesloten.",
            "La partie en cours est close sans résultat.",
            "Идущая там партия закрывается без результата.";
        pairing: "Pairing", "Paring", "Appariement", "Пара";
        pairing_title: "Pairing of {}, without a tournament", "Paring van {}, zonder toernooi", "Appariement de {}, sans tournoi", "Пара для {}, без турнира";
        pairing_verb: "Say what it plays", "Zeg wat er gespeeld wordt", "Dire ce qui s’y joue", "Указать, что играется";
        pairing_hint: "A word of your own; none for none any more.", "Een eigen woord; none voor geen meer.", "Un mot à vous ; none pour plus aucun.", "Ваше слово; none — больше никакой.";
        tags: "Tags of its games, one a line", "Tags van de partijen, een per regel", "Étiquettes de ses parties, une par ligne", "Теги партий, по одному в строке";
        pairing_effect: "It holds from the next game on, or from this one on if it has no moves yet.",
            "Geldt vanaf de volgende partij, of vanaf deze als er nog niet gezet is.",
            "Vaut dès la prochaine partie, ou dès celle-ci si rien n’est joué.",
            "Действует со следующей партии или с этой, если ходов ещё нет.";
        adopt: "It is of the round", "Hoort bij de ronde", "Elle est de la ronde", "Из этого тура";
        adopt_title: "A game of the round: {}", "Een partij van de ronde: {}", "Une partie de la ronde : {}", "Партия тура: {}";
        adopt_verb: "It is a game of the round", "Het is een partij van de ronde", "C’est une partie de la ronde", "Это партия тура";
        adopt_hint: "3.2 is board 2 of round 3; nothing: what the board is to play in the open round.",
            "3.2 is bord 2 van ronde 3; niets: wat het bord in de open ronde moet spelen.",
            "3.2 est le damier 2 de la ronde 3 ; rien : ce que le damier doit jouer dans la ronde ouverte.",
            "3.2 — доска 2 тура 3; пусто — то, что доска играет в открытом туре.";
        missing_moves: "Missing moves", "Ontbrekende zetten", "Coups manquants", "Недостающие ходы";
        missing_moves_of: "Missing moves: {}", "Ontbrekende zetten: {}", "Coups manquants : {}", "Недостающие ходы: {}";
        add_moves: "Add the moves", "Zetten toevoegen", "Ajouter les coups", "Добавить ходы";
        add_moves_hint: "All of the game, or those behind the last one that is recorded; nothing takes back what was added.",
            "De hele partij, of wat na de laatste vastgelegde zet komt; wat is toegevoegd kan niet meer weg.",
            "Toute la partie, ou ce qui suit le dernier coup enregistré ; ce qui est ajouté le reste.",
            "Вся партия или ходы после последнего записанного; добавленное не отменить.";
        goes_on: "Game goes on", "Partij gaat verder", "La partie continue", "Партия продолжается";
        goes_on_verb: "It goes on", "Gaat verder", "Elle continue", "Продолжается";
        goes_on_effect: "The game that ended last goes on: its result is taken back, and what is played from now on belongs to it.",
            "De laatst geëindigde partij gaat verder: de uitslag wordt ingetrokken, en wat nu gespeeld wordt hoort erbij.",
            "La dernière partie terminée continue : son résultat est annulé, et ce qui se joue désormais en fait partie.",
            "Последняя оконченная партия продолжается: её результат отменяется, дальнейшие ходы относятся к ней.";
        new_logs: "New logs", "Nieuwe logs", "Nouveaux journaux", "Новые журналы";
        new_logs_verb: "Begin new logs", "Nieuwe logs beginnen", "Commencer de nouveaux journaux", "Начать новые журналы";
        new_logs_effect: "New logs begin for a new round; games.pdn no longer shows the games before it. On a bus, for all its boards.",
            "Er beginnen nieuwe logs voor een nieuwe ronde; games.pdn toont de partijen ervoor niet meer. Op een bus voor alle borden.",
            "De nouveaux journaux commencent pour une nouvelle ronde ; games.pdn ne montre plus les parties d’avant. Sur un bus, pour tous les damiers.",
            "Начинаются новые журналы для нового тура; games.pdn больше не показывает прежние партии. На шине — для всех досок.";

        // A position is set up.
        set_position: "Set position", "Stand opzetten", "Poser une position", "Задать позицию";
        set_position_of: "Set position: {}", "Stand opzetten: {}", "Poser une position : {}", "Задать позицию: {}";
        set_position_verb: "Publish this position", "Deze stand publiceren", "Publier cette position", "Опубликовать позицию";
        set_position_effect: "{} gets this position as a setup: {}", "{} krijgt deze stand: {}", "{} reçoit cette position : {}", "{} получает эту позицию: {}";
        set_position_stays: "The moves before it stay as they are, and the game goes on from here.",
            "De zetten ervoor blijven zoals ze zijn, en de partij gaat hier verder.",
            "Les coups d’avant restent, et la partie continue d’ici.",
            "Прежние ходы остаются, партия продолжается отсюда.";
        white_man: "White man", "Witte schijf", "Pion blanc", "Белая простая";
        white_king: "White king", "Witte dam", "Dame blanche", "Белая дамка";
        black_man: "Black man", "Zwarte schijf", "Pion noir", "Чёрная простая";
        black_king: "Black king", "Zwarte dam", "Dame noire", "Чёрная дамка";
        empty: "Empty", "Leeg", "Vide", "Пусто";
        piece: "Piece", "Stuk", "Pièce", "Фигура";
        squares: "Squares", "Velden", "Cases", "Поля";
        to_move: "To move", "Aan zet", "Trait", "Ход";
        as_shown: "As the board shows", "Zoals het bord toont", "Comme sur le damier", "Как на доске";
        as_published: "As it is published", "Zoals gepubliceerd", "Comme publié", "Как опубликовано";
        start_position: "Start position", "Beginstand", "Position de départ", "Начальная позиция";
        empty_board: "Empty board", "Leeg bord", "Damier vide", "Пустая доска";
        men_of: "White: {}, {}. Black: {}, {}.", "Wit: {}, {}. Zwart: {}, {}.", "Blancs : {}, {}. Noirs : {}, {}.", "Белые: {}, {}. Чёрные: {}, {}.";

        // The tournament.
        tournament: "Tournament", "Toernooi", "Tournoi", "Турнир";
        tournament_asked: "The tournament is asked for …", "Het toernooi wordt opgevraagd …", "On demande le tournoi …", "Запрашивается турнир …";
        rounds: "Rounds", "Rondes", "Rondes", "Туры";
        no_tournament: "There is no tournament yet", "Er is nog geen toernooi", "Il n’y a pas encore de tournoi", "Турнира ещё нет";
        version: "version {}", "versie {}", "version {}", "версия {}";
        file_begins: "A file of the pairing program begins one: TRF, CSV or PDN.",
            "Een bestand van het indelingsprogramma begint er een: TRF, CSV of PDN.",
            "Un fichier du programme d’appariement en commence un : TRF, CSV ou PDN.",
            "Его начинает файл программы жеребьёвки: TRF, CSV или PDN.";
        round_prepared: "prepared", "voorbereid", "préparée", "подготовлен";
        round_published: "published", "gepubliceerd", "publiée", "опубликован";
        round_open: "open", "open", "ouverte", "открыт";
        round_closed: "closed", "gesloten", "close", "закрыт";
        publish_round: "Publish round", "Ronde publiceren", "Publier la ronde", "Опубликовать тур";
        open_round: "Open round", "Ronde openen", "Ouvrir la ronde", "Открыть тур";
        withdraw_round: "Withdraw round", "Ronde intrekken", "Retirer la ronde", "Отозвать тур";
        close_round: "Close round", "Ronde sluiten", "Clore la ronde", "Закрыть тур";
        round_is: "Round {} is {}", "Ronde {} is {}", "La ronde {} est {}", "Тур {} {}";
        all_results: "All results are there.", "Alle uitslagen zijn er.", "Tous les résultats sont là.", "Все результаты есть.";
        pairings_of: "Pairings of round {}", "Paringen van ronde {}", "Appariements de la ronde {}", "Пары тура {}";
        played_at: "Played at", "Gespeeld op", "Joué sur", "Играется на";
        correct: "Correct", "Verbeteren", "Corriger", "Исправить";
        board_of: "Board {}: {}", "Bord {}: {}", "Damier {} : {}", "Доска {}: {}";
        without_opponent: "Without opponent: ", "Zonder tegenstander: ", "Sans adversaire : ", "Без соперника: ";
        later: "Later, again", "Later, opnieuw", "Plus tard, à nouveau", "Позже, заново";
        later_verb: "Play it so", "Zo spelen", "Jouer ainsi", "Играть так";
        later_board: "On which board", "Op welk bord", "Sur quel damier", "На какой доске";
        later_postponed: "postponed", "uitgesteld", "reportée", "отложена";
        later_adjourned: "adjourned", "afgebroken", "ajournée", "прервана";
        when_postpone: "On another day; the round does not wait for it", "Op een andere dag; de ronde wacht er niet op",
            "Un autre jour ; la ronde ne l’attend pas", "В другой день; тур её не ждёт";
        when_undo: "With its round after all", "Toch met de ronde mee", "Finalement avec sa ronde", "Всё же вместе с туром";
        when_begin: "Now, on this board", "Nu, op dit bord", "Maintenant, sur ce damier", "Сейчас, на этой доске";
        when_replay: "Again: the last game does not count", "Opnieuw: de laatste partij telt niet",
            "À nouveau : la dernière partie ne compte pas", "Заново: последняя партия не в счёт";
        substitute: "Substitute", "Invaller", "Remplaçant", "Замена";
        substitute_of: "Substitute at board {}: {}", "Invaller aan bord {}: {}", "Remplaçant au damier {} : {}", "Замена на доске {}: {}";
        substitute_verb: "Let him play", "Laat hem spelen", "Le faire jouer", "Пусть играет";
        for_whom: "For whom", "Voor wie", "À la place de qui", "За кого";
        who_plays: "Who plays", "Wie speelt", "Qui joue", "Кто играет";
        who_plays_hint: "The name, or his number in the files of the pairing program.",
            "De naam, of het nummer in de bestanden van het indelingsprogramma.",
            "Le nom, ou son numéro dans les fichiers du programme d’appariement.",
            "Имя или номер в файлах программы жеребьёвки.";
        players: "Players", "Spelers", "Joueurs", "Игроки";
        number: "Number", "Nummer", "Numéro", "Номер";
        title: "Title", "Titel", "Titre", "Звание";
        rating: "Rating", "Rating", "Elo", "Рейтинг";
        federation: "Federation", "Federatie", "Fédération", "Федерация";
        mend_name: "Mend the name", "Naam verbeteren", "Corriger le nom", "Исправить имя";
        name_of: "Name of {}", "Naam van {}", "Nom de {}", "Имя: {}";
        mend_name_hint: "Everything that is shown has it from now on; live files keep the old one.",
            "Alles wat getoond wordt heeft hem vanaf nu; live bestanden houden de oude.",
            "Tout ce qui est montré l’a désormais ; les fichiers en direct gardent l’ancien.",
            "Отныне оно показано везде; в живых файлах остаётся старое.";
        import: "Import", "Importeren", "Importer", "Импорт";
        import_of: "Import {}", "{} importeren", "Importer {}", "Импорт: {}";
        import_verb: "Take it over", "Overnemen", "Le reprendre", "Принять";
        import_file: "A file of the pairing program", "Een bestand van het indelingsprogramma", "Un fichier du programme d’appariement", "Файл программы жеребьёвки";
        import_hint: "TRF, CSV or PDN without moves. Drop it here, or choose it. You see what it changes before it does.",
            "TRF, CSV of PDN zonder zetten. Sleep het hierheen of kies het. U ziet wat het verandert voor het gebeurt.",
            "TRF, CSV ou PDN sans coups. Déposez-le ici ou choisissez-le. Vous voyez ce qu’il change avant que ce soit fait.",
            "TRF, CSV или PDN без ходов. Перетащите его сюда или выберите. Вы заранее увидите, что изменится.";
        round_robin: "Pair a round robin", "Volledige competitie indelen", "Apparier un toutes-rondes", "Составить круговой турнир";
        round_robin_verb: "Pair them", "Indelen", "Apparier", "Составить";
        twice: "Everybody meets everybody twice.", "Iedereen speelt twee keer tegen iedereen.", "Chacun rencontre chacun deux fois.", "Каждый с каждым дважды.";
        too_large: "{} has {} bytes; {} are the most.", "{} heeft {} bytes; {} is het meeste.", "{} a {} octets ; le maximum est {}.", "В {} {} байт; не больше {}.";
        more: "More", "Meer", "Plus", "Ещё";
        format: "Format", "Formaat", "Format", "Формат";
        found_out: "found out", "wordt gevonden", "détecté", "определится сам";
        columns: "What the columns of a CSV are called", "Hoe de kolommen van een CSV heten", "Noms des colonnes d’un CSV", "Как называются столбцы CSV";
        section: "Section", "Groep", "Section", "Группа";
        after_round: "After round {}: {} of {} results", "Na ronde {}: {} van {} uitslagen", "Après la ronde {} : {} résultats sur {}", "После тура {}: {} результатов из {}";
        teams_of: "Teams of {}", "Teams van {}", "Équipes de {}", "Команды: {}";
        standings_of: "Standings of {}", "Stand van {}", "Classement de {}", "Таблица: {}";
        team: "Team", "Team", "Équipe", "Команда";
        match_points: "Match points", "Matchpunten", "Points de match", "Командные очки";
        board_points: "Board points", "Bordpunten", "Points de damier", "Очки на досках";
        no_standings: "There are no standings yet", "Er is nog geen stand", "Il n’y a pas encore de classement", "Таблицы ещё нет";

        // What was done, and the station.
        log: "Log", "Logboek", "Journal", "Журнал";
        deeds: "Who did what", "Wie deed wat", "Qui a fait quoi", "Кто что сделал";
        newest_first: "Who did what, the newest first", "Wie deed wat, het nieuwste eerst", "Qui a fait quoi, le plus récent d’abord", "Кто что сделал, сначала новое";
        time: "Time", "Tijd", "Heure", "Время";
        who: "Who", "Wie", "Qui", "Кто";
        what: "What", "Wat", "Quoi", "Что";
        came_of_it: "Came of it", "Gevolg", "Résultat", "Итог";
        refused: "refused: {}", "geweigerd: {}", "refusé : {}", "отклонено: {}";
        nothing_asked: "Nothing was asked yet.", "Er is nog niets gevraagd.", "Rien n’a encore été demandé.", "Запросов ещё не было.";
        station: "Station", "Station", "Station", "Станция";
        none_there: "There is none.", "Er is er geen.", "Il n’y en a pas.", "Нет.";
        since_head: "Since", "Sinds", "Depuis", "С";
        place: "Where", "Waar", "Où", "Где";
        in_words: "In words", "In woorden", "En clair", "Словами";
        lines: "Lines", "Lijnen", "Lignes", "Линии";
        line: "Line", "Lijn", "Ligne", "Линия";
        port: "Port", "Poort", "Port", "Порт";
        link: "Link", "Verbinding", "Liaison", "Связь";
        state: "State", "Toestand", "État", "Состояние";
        plies_head: "Plies", "Halve zetten", "Demi-coups", "Полуходы";
        setups: "Setups", "Opgezette standen", "Positions posées", "Позиции";
        noise: "Noise, bytes", "Ruis, bytes", "Bruit, octets", "Помехи, байты";
        checksums: "Wrong checksums", "Foute controlegetallen", "Sommes fausses", "Неверные суммы";
        besides: "Besides", "Verder", "Remarque", "Прочее";
        folders_head: "Folders for readers", "Mappen voor lezers", "Dossiers pour les lecteurs", "Папки для читателей";
        outlet: "Outlet", "Uitgang", "Sortie", "Выход";
        folder: "Folder", "Map", "Dossier", "Папка";
        shown: "Shown", "Getoond", "Montré", "Показ";
        at_once: "at once", "meteen", "aussitôt", "сразу";
        outlet_goes_on: "goes on", "loopt", "marche", "работает";
        viewers_pages: "The pages for viewers: {}, {}, {} sent away.",
            "De pagina’s voor kijkers: {}, {}, {} weggestuurd.",
            "Les pages des spectateurs : {}, {}, {} renvoyées.",
            "Страницы для зрителей: {}, {}, отказано: {}.";
        viewers_pages_silent: "The pages for viewers do not say how they are.",
            "De pagina’s voor kijkers zeggen niet hoe het gaat.",
            "Les pages des spectateurs ne donnent pas de nouvelles.",
            "Страницы для зрителей о себе не сообщают.";
        viewers_address: "Address for viewers", "Adres voor kijkers", "Adresse pour les spectateurs", "Адрес для зрителей";
        viewers_here: "Only this machine reaches the pages for viewers, so a code for phones would lead nowhere. “viewers” of [desk] names another address.",
            "Alleen deze machine bereikt de pagina’s voor kijkers, dus een code voor telefoons leidt nergens heen. “viewers” van [desk] noemt een ander adres.",
            "Seule cette machine atteint les pages des spectateurs : un code pour téléphones ne mènerait nulle part. « viewers » de [desk] nomme une autre adresse.",
            "Страницы для зрителей видны только с этой машины, поэтому код для телефонов никуда не приведёт. Другой адрес задаёт «viewers» в [desk].";
        viewers_unknown: "It is not known where viewers reach their pages. “viewers” of [desk] names the address.",
            "Het is niet bekend waar kijkers hun pagina’s bereiken. “viewers” van [desk] noemt het adres.",
            "On ne sait pas où les spectateurs atteignent leurs pages. « viewers » de [desk] nomme l’adresse.",
            "Неизвестно, где зрителям доступны страницы. Адрес задаёт «viewers» в [desk].";
        disk_free: "Disk: {} of {} GB are free. Records into {}.",
            "Schijf: {} van {} GB zijn vrij. Legt vast in {}.",
            "Disque : {} Go libres sur {}. Enregistre dans {}.",
            "Диск: свободно {} из {} ГБ. Запись в {}.";
        configuration: "Configuration", "Configuratie", "Configuration", "Настройки";
        started: "damcast {}, started {}.", "damcast {}, gestart {}.", "damcast {}, démarré {}.", "damcast {}, запущен {}.";
        read_at: "Read again at {}: ", "Opnieuw gelezen om {}: ", "Relue à {} : ", "Прочитаны заново в {}: ";
        reload: "Read it again", "Opnieuw lezen", "La relire", "Прочесть заново";
        reload_title: "Read the configuration again", "Configuratie opnieuw lezen", "Relire la configuration", "Прочесть настройки заново";
        reload_effect: "Games go on. A wrong configuration changes nothing.",
            "Partijen gaan door. Een foute configuratie verandert niets.",
            "Les parties continuent. Une configuration fausse ne change rien.",
            "Партии идут дальше. Неверные настройки ничего не меняют.";
        try_alarm: "Try the alarm", "Alarm proberen", "Essayer l’alarme", "Проверить тревогу";
        try_alarm_title: "Try the alarm command", "Alarmopdracht proberen", "Essayer la commande d’alarme", "Проверить команду тревоги";
        try_alarm_verb: "Try it", "Proberen", "Essayer", "Проверить";
        try_alarm_effect: "The station runs the alarm command as it does when something is the matter.",
            "Het station voert de alarmopdracht uit zoals wanneer er iets aan de hand is.",
            "La station lance la commande d’alarme comme quand quelque chose ne va pas.",
            "Станция запускает команду тревоги, как при неполадке.";
        messages: "Messages", "Meldingen", "Messages", "Сообщения";
        messages_title: "Which messages the station shows", "Welke meldingen het station toont", "Quels messages la station montre", "Какие сообщения показывает станция";
        messages_verb: "Change them", "Veranderen", "Les changer", "Изменить";
        level: "Level", "Niveau", "Niveau", "Уровень";
        level_hint: "A level (error, warn, info, debug, trace), MODULE=LEVEL, or reset. Nothing: says which count now.",
            "Een niveau (error, warn, info, debug, trace), MODULE=NIVEAU, of reset. Niets: zegt welke nu gelden.",
            "Un niveau (error, warn, info, debug, trace), MODULE=NIVEAU, ou reset. Rien : dit lesquels valent.",
            "Уровень (error, warn, info, debug, trace), МОДУЛЬ=УРОВЕНЬ или reset. Пусто: скажет, какие действуют.";
        level_effect: "The messages of the station are shown at {}.", "De meldingen van het station worden getoond op {}.",
            "Les messages de la station sont montrés au niveau {}.", "Сообщения станции показаны на уровне {}.";
        level_now: "It says which levels count now.", "Het zegt welke niveaus nu gelden.", "Elle dit quels niveaux valent.", "Скажет, какие уровни действуют.";
        people: "People", "Mensen", "Personnes", "Люди";
        logged_in: "Who has logged in", "Wie ingelogd is", "Qui est connecté", "Кто вошёл";
        role: "Role", "Rol", "Rôle", "Роль";
        from_where: "From", "Vanaf", "Depuis où", "Откуда";
        open_pages: "Pages", "Pagina’s", "Pages", "Страницы";
        this_is_you: "this is you", "dit bent u", "c’est vous", "это вы";
        end_it: "End it", "Beëindigen", "Y mettre fin", "Завершить";
        code_for: "A code for somebody", "Een code voor iemand", "Un code pour quelqu’un", "Код для кого-то";
        code_name_hint: "It stands with all that he asks.", "Die staat bij alles wat hij vraagt.", "Il figure avec tout ce qu’il demande.", "Оно стоит при всём, что он просит.";
        what_may: "What he may do", "Wat hij mag", "Ce qu’il peut faire", "Что ему можно";
        arbiter_may: "Arbiter: results, names, rounds", "Arbiter: uitslagen, namen, rondes", "Arbitre : résultats, noms, rondes", "Судья: результаты, имена, туры";
        operator_may: "Operator: everything", "Operator: alles", "Opérateur : tout", "Оператор: всё";
        make_code: "Make a code", "Code maken", "Créer un code", "Создать код";
        code_effect: "A code of six digits: with it he logs in here, once, within a minute.",
            "Een code van zes cijfers: daarmee logt hij hier in, één keer, binnen een minuut.",
            "Un code de six chiffres : il se connecte ici avec, une fois, dans la minute.",
            "Код из шести цифр: с ним он входит сюда один раз, в течение минуты.";
        code_is: "The code is {}. It counts for a minute, once.", "De code is {}. Hij geldt een minuut, één keer.",
            "Le code est {}. Il vaut une minute, une fois.", "Код {}. Он действует минуту, один раз.";
    }
    counts {
        plies: "{} ply" "{} plies", "{} halve zet" "{} halve zetten", "{} demi-coup" "{} demi-coups", "{} полуход" "{} полухода" "{} полуходов";
        after_plies: "after {} ply" "after {} plies", "na {} halve zet" "na {} halve zetten", "après {} demi-coup" "après {} demi-coups",
            "после {} полухода" "после {} полуходов" "после {} полуходов";
        not_counting: "The last {} ply does not count: {} …" "The last {} plies do not count: {} …",
            "De laatste {} halve zet telt niet: {} …" "De laatste {} halve zetten tellen niet: {} …",
            "Le dernier {} demi-coup ne compte pas : {} …" "Les {} derniers demi-coups ne comptent pas : {} …",
            "Последний {} полуход не считается: {} …" "Последние {} полухода не считаются: {} …" "Последние {} полуходов не считаются: {} …";
        men: "{} man" "{} men", "{} schijf" "{} schijven", "{} pion" "{} pions", "{} простая" "{} простые" "{} простых";
        kings: "{} king" "{} kings", "{} dam" "{} dammen", "{} dame" "{} dames", "{} дамка" "{} дамки" "{} дамок";
        folders: "{} folder" "{} folders", "{} map" "{} mappen", "{} dossier" "{} dossiers", "{} папка" "{} папки" "{} папок";
        stand_still: "{} stands still" "{} stand still", "{} staat stil" "{} staan stil", "{} arrêté" "{} arrêtés", "{} стоит" "{} стоят" "{} стоят";
        number_of_players: "{} player" "{} players", "{} speler" "{} spelers", "{} joueur" "{} joueurs", "{} игрок" "{} игрока" "{} игроков";
        results_missing: "{} result is missing." "{} results are missing.", "{} uitslag ontbreekt." "{} uitslagen ontbreken.",
            "{} résultat manque." "{} résultats manquent.", "Нет {} результата." "Нет {} результатов." "Нет {} результатов.";
        number_of_viewers: "{} viewer" "{} viewers", "{} kijker" "{} kijkers", "{} spectateur" "{} spectateurs", "{} зритель" "{} зрителя" "{} зрителей";
        connections: "{} connection" "{} connections", "{} verbinding" "{} verbindingen", "{} connexion" "{} connexions",
            "{} соединение" "{} соединения" "{} соединений";
    }
}

/// PageTexts of the pages for viewers that the desk has, too.
const SHARED_TEXTS: &[&str] = &[
    "board",
    "boards",
    "black",
    "black_to_move",
    "moves",
    "name",
    "played",
    "points",
    "rank",
    "result",
    "round",
    "standings",
    "white",
    "white_to_move",
];

/// What stands in the HTML, and is no matter of the script.
const HTML_TEXTS: &[&str] = &["desk", "skip", "log_in", "log_out", "code", "code_hint", "password", "no_script"];

/// The words of a language.
pub fn words(language: Language) -> &'static DeskTexts {
    match language {
        Language::En => &EN,
        Language::Nl => &NL,
        Language::Fr => &FR,
        Language::Ru => &RU,
    }
}

/// All that the script says, as JSON that may stand in HTML.
pub fn for_script(language: Language) -> String {
    let of_pages = language.words().entries().into_iter().filter(|(name, _)| SHARED_TEXTS.contains(name));
    let all = words(language).entries().into_iter().filter(|(name, _)| !HTML_TEXTS.contains(name));
    let value = |said| match said {
        LocalizedText::Text(text) => json!(text),
        LocalizedText::Plural(Plural { one, few, many }) => json!([one, few, many]),
    };
    let table: Map<String, Value> = of_pages.chain(all).map(|(name, said)| (name.to_owned(), value(said))).collect();
    Value::Object(table).to_string().replace('<', "\\u003c")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::outward::desk::page::SCRIPT;

    /// The names behind `t.` in the script, and the kinds of `named(KIND, ..)`.
    fn used_texts() -> (BTreeSet<String>, BTreeSet<String>) {
        let word = |text: &str| text.chars().take_while(|c| c.is_ascii_lowercase() || *c == '_').collect::<String>();
        let behind =
            |sign: &'static str| SCRIPT.match_indices(sign).map(move |(at, _)| (at, &SCRIPT[at + sign.len()..]));
        let is_name = |at: usize| {
            !SCRIPT[..at].ends_with(|c: char| c.is_alphanumeric() || "_.$".contains(c)) || SCRIPT[..at].ends_with("...")
        };
        let names = behind("t.").filter(|(at, _)| is_name(*at)).map(|(_, rest)| word(rest)).collect();
        (names, behind("named('").map(|(_, rest)| word(rest)).collect())
    }

    #[test]
    fn script_and_table_have_equal_words() {
        let (names, kinds) = used_texts();
        let all: BTreeSet<String> = serde_json::from_str::<Map<String, Value>>(&for_script(Language::En))
            .unwrap()
            .into_iter()
            .map(|(name, _)| name)
            .collect();
        let missing: Vec<_> = names.iter().filter(|name| !all.contains(*name)).collect();
        assert!(missing.is_empty(), "the script says what no table has: {missing:?}");
        let is_said = |name: &&String| {
            let roles = ["operator", "arbiter", "white_to_move", "black_to_move"];
            names.contains(*name)
                || roles.contains(&name.as_str())
                || kinds.iter().any(|kind| name.starts_with(&format!("{kind}_")))
        };
        let idle: Vec<_> = all.iter().filter(|name| !is_said(name)).collect();
        assert!(idle.is_empty(), "nobody says {idle:?}");
    }

    #[test]
    fn placeholders_agree_in_all_languages() {
        let places = |said: &LocalizedText| said.sentences().iter().map(|text| text.matches("{}").count()).max();
        for language in Language::ALL {
            for ((name, said), (_, english)) in words(language).entries().iter().zip(EN.entries()) {
                assert_eq!(places(said), places(&english), "{language:?}: {name}");
                for text in said.sentences() {
                    assert!(!text.trim().is_empty() && !text.contains(['<', '\n']), "{language:?}: {name}");
                    assert!(matches!(said, LocalizedText::Text(_)) || text.contains("{}"), "{language:?}: {name}");
                }
            }
        }
    }
}
