//! Texts of the viewers' pages. Each row has English, Dutch, French and Russian, in this order.
//!
//! A man is a *schijf*, a *pion*, a *простая*; a king a *dam*, a *dame*, a *дамка*.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use crate::web::assets::{MORE_SCRIPT, SCRIPT};
use crate::web::texts::{keys_in, texts};

texts! {
    /// Texts of the viewers' pages, in one language.
    PageTexts
    texts {
        /// Link before the head of a page, visible with the keyboard only: jumps over the navigation.
        skip: "To the content", "Naar de inhoud", "Aller au contenu", "К содержанию";
        /// Heading of the site if the tournament has no name.
        untitled: "Live games", "Livepartijen", "Parties en direct", "Трансляция партий";
        /// Heading and link of a round. `{}`: its number.
        round: "Round {}", "Ronde {}", "Ronde {}", "Тур {}";
        /// Column of a crosstable, read aloud before the number of the round.
        round_heading: "Round", "Ronde", "Ronde", "Тур";
        /// Heading and title of a board's page. `{}`: the number of the board.
        board: "Board {}", "Bord {}", "Damier {}", "Доска {}";
        /// Heading of a sheet of paper: who plays whom in a round.
        pairings: "Pairings", "Indeling", "Appariements", "Пары";
        /// Heading of a sheet of paper: the standings with the games of each player.
        crosstable: "Crosstable", "Kruistabel", "Grille", "Таблица с партиями";
        /// Below a score sheet, under a line.
        signature_white: "Signature of White", "Handtekening wit", "Signature des Blancs", "Подпись белых";
        /// Below a score sheet, under a line.
        signature_black: "Signature of Black", "Handtekening zwart", "Signature des Noirs", "Подпись чёрных";
        /// Heading of a column with numbers of boards, and read aloud before such a number.
        board_heading: "Board", "Bord", "Damier", "Доска";
        /// Link in the navigation to all boards; tab of the desk.
        boards: "Boards", "Borden", "Damiers", "Доски";
        /// Link in the navigation, and heading: who has how many points; tab of the desk.
        standings: "Standings", "Stand", "Classement", "Турнирная таблица";
        /// Name of a table of results, read aloud.
        results: "Results", "Uitslagen", "Résultats", "Результаты";
        /// Link in the navigation, and heading: the games that are over, as files.
        games: "Games", "Partijen", "Parties", "Партии";
        /// Name of the navigation, read aloud.
        pages: "Pages", "Pagina’s", "Pages", "Страницы";
        /// Name of the links to the other languages, read aloud; on the desk.
        language: "Language", "Taal", "Langue", "Язык";
        /// Side of a game: heading of a column, label, beginning of a spoken move.
        white: "White", "Wit", "Blancs", "Белые";
        /// Side of a game: heading of a column, label, beginning of a spoken move.
        black: "Black", "Zwart", "Noirs", "Чёрные";
        /// Position as text, before the squares of a side's men.
        men: "men", "schijven", "pions", "простые";
        /// Position as text, before the squares of a side's kings.
        kings: "kings", "dammen", "dames", "дамки";
        /// Heading of the list of moves of a game.
        moves: "Moves", "Zetten", "Coups", "Ходы";
        /// First column of the list of moves, read aloud: the number of the move.
        move_column: "Move", "Zet", "Coup", "Ход";
        /// Heading of the position as text, below the board.
        position: "Position as text", "Stand als tekst", "Position en texte", "Позиция текстом";
        /// Below the position as text, and over a picture of the desk.
        white_to_move: "White to move", "Wit aan zet", "Trait aux Blancs", "Ход белых";
        /// Below the position as text, and over a picture of the desk.
        black_to_move: "Black to move", "Zwart aan zet", "Trait aux Noirs", "Ход чёрных";
        /// Position as text, for a side without pieces.
        no_pieces: "none", "geen", "aucune pièce", "нет";
        /// Below the board, where a move is shown otherwise: the viewer looks at the position before the first move.
        game_start: "Start of the game", "Begin van de partij", "Début de la partie", "Начало партии";
        /// List of moves, in place of a move: the operator entered the position, or the station took the one on the board.
        set_up: "Position as it stood", "Stand zoals hij op het bord stond", "Position relevée sur le damier", "Позиция с доски";
        /// Beside a move that the board missed and that an operator typed.
        from_score_sheet: "from the score sheet", "van het notatiebiljet", "d’après la feuille de notation", "с бланка записи партии";
        /// Below the board. `{}`: moves that the board has shown and that may still change, as `31-27 18-23`.
        likely: "Likely next, not sure: {}",
            "Waarschijnlijk de volgende, niet zeker: {}",
            "Coup probable, pas encore sûr : {}",
            "Вероятный ход, ещё не точно: {}";
        /// Button below the board with an arrow, read aloud: shows the position before the first move.
        first_position: "Start position", "Beginstand", "Position initiale", "Начальная позиция";
        /// Button below the board with an arrow, read aloud.
        move_back: "One move back", "Een zet terug", "Un coup en arrière", "На ход назад";
        /// Button below the board with an arrow, read aloud.
        move_forward: "One move forward", "Een zet verder", "Un coup en avant", "На ход вперёд";
        /// Button below the board with an arrow, read aloud: shows the position after the last move.
        last_move: "Last move", "Laatste zet", "Dernier coup", "Последний ход";
        /// State of the connection, in the head; button that follows the game again; what the key L does.
        live: "Live", "Live", "En direct", "Онлайн";
        /// Beside an earlier move, before the last one of the game.
        live_now: "Live:", "Live:", "En direct :", "Онлайн:";
        /// Button beside the board, and what the key F does: shows the board from the other side.
        turn_board: "Turn the board", "Bord draaien", "Tourner le damier", "Повернуть доску";
        /// Button beside the board: copies the game.
        copy_pdn: "Copy PDN", "PDN kopiëren", "Copier le PDN", "Скопировать PDN";
        /// Button beside the board: copies the position.
        copy_fen: "Copy FEN", "FEN kopiëren", "Copier la FEN", "Скопировать FEN";
        /// Button beside the board: plays the moves one after the other.
        replay: "Replay", "Afspelen", "Revoir", "Воспроизвести";
        /// Choice beside the button that plays the moves, read aloud.
        speed: "Speed", "Snelheid", "Vitesse", "Скорость";
        /// Button beside the board: a tone for each move.
        sound: "Sound", "Geluid", "Son", "Звук";
        /// Button beside the board: shows a page on which the viewer moves the pieces.
        try_it: "Try it", "Probeer zelf", "Essayer", "Свой вариант";
        /// Heading of the page on which the viewer moves the pieces.
        own_line: "Your own line", "Uw eigen variant", "Votre variante", "Ваш вариант";
        /// Beside the heading of the viewer's own line.
        not_the_game: "not the game", "niet de partij", "pas la partie", "не партия";
        /// Below the viewer's own line. `{}`: the move of the game after which it begins, as `31. 34-29`.
        line_begins: "From: {}", "Vanaf: {}", "À partir de : {}", "Отсюда: {}";
        /// Button below the viewer's own line.
        back_to_game: "Back to the game", "Terug naar de partij", "Retour à la partie", "Назад к партии";
        /// Heading of a list below the viewer's own line.
        legal_moves: "Legal moves", "Mogelijke zetten", "Coups possibles", "Возможные ходы";
        /// In place of the list of legal moves.
        no_legal_move: "None: the side to move has lost.",
            "Geen: wie aan zet is, heeft verloren.",
            "Aucun : le camp au trait a perdu.",
            "Нет: сторона, которой ходить, проиграла.";
        /// In place of the viewer's own line, before its first move.
        choose_move: "Choose a move, or touch a piece and a square.",
            "Kies een zet, of raak een stuk en een veld aan.",
            "Choisissez un coup, ou touchez une pièce puis une case.",
            "Выберите ход или коснитесь шашки и поля.";
        /// Button beside the board: copies an address that shows this move.
        link_to_move: "Link to this move", "Link naar deze zet", "Lien vers ce coup", "Ссылка на этот ход";
        /// In place of the text of a copy button, for a moment.
        copied: "Copied", "Gekopieerd", "Copié", "Скопировано";
        /// Behind the keys ← →: they go one move back or forward.
        move_key_hint: "move", "zet", "coup", "ход";
        /// Behind the keys Home and End: they go to the first and the last position.
        ends_key_hint: "first, last", "eerste, laatste", "premier, dernier", "первый, последний";
        /// Beside a checkbox: whether the keys L, F and / do something. Viewers who dictate to a computer switch them off.
        letter_keys: "keys L, F, / on", "toetsen L, F, / aan", "touches L, F, / actives", "клавиши L, F, / включены";
        /// State of a game that has ended without a recorded move.
        over: "Over", "Afgelopen", "Terminée", "Окончена";
        /// State of a game that has ended; the arbiter has not written the result yet.
        waits_for_result: "Over, waits for its result",
            "Afgelopen, wacht op de uitslag",
            "Terminée, résultat attendu",
            "Окончена, ждёт результата";
        /// In place of the boards: the choice above them leaves none.
        no_such_board: "No board fits this choice now.",
            "Geen bord past nu bij deze keuze.",
            "Aucun damier ne correspond à ce choix pour l’instant.",
            "Сейчас таких досок нет.";
        /// Button of a page that has nothing to show: the boards for a screen at the wall.
        hall_screen: "Screen for the hall", "Scherm voor de zaal", "Écran pour la salle", "Экран для зала";
        /// Link in the foot: the same page without results.
        hide_results: "Hide results", "Uitslagen verbergen", "Masquer les résultats", "Скрыть результаты";
        /// Above a page without results, before a link that shows them.
        results_hidden: "Results are hidden.", "De uitslagen zijn verborgen.", "Les résultats sont masqués.", "Результаты скрыты.";
        /// Link: the same page with results.
        show_results: "Show results", "Uitslagen tonen", "Afficher les résultats", "Показать результаты";
        /// Link above the boards: shows all of them.
        all_boards: "All boards", "Alle borden", "Tous les damiers", "Все доски";
        /// Link above the boards: shows the boards of the players that the viewer has marked.
        my_players: "My players", "Mijn spelers", "Mes joueurs", "Мои игроки";
        /// Button beside a player, read aloud: marks the player as one of the viewer's. `{}`: the name.
        follow_player: "Follow {}", "Volg {}", "Suivre {}", "Следить: {}";
        /// State of a game: the pieces on the board fit no legal move. `{}`: the last clear move, as `31. 34-29`.
        unclear: "Unclear after {}", "Onduidelijk na {}", "Incertain après {}", "Неясно после {}";
        /// State of a game: the pieces on the board fit no legal first move; also in place of a picture that cannot be drawn.
        unclear_at_start: "Unclear", "Onduidelijk", "Incertain", "Неясно";
        /// State of a game.
        clocks_stopped: "Clocks stopped", "Klokken stilgezet", "Pendules arrêtées", "Часы остановлены";
        /// State of a game: the electronic board sends nothing.
        board_silent: "No signal", "Geen signaal", "Pas de signal", "Нет сигнала";
        /// State of a game: the electronic board sends nothing. `{}`: a duration, as 45 sec.
        board_silent_for: "No signal for {}", "Al {} geen signaal", "Pas de signal depuis {}", "Нет сигнала {}";
        /// State of a game, and of a pairing in a table.
        not_started: "Not started", "Niet begonnen", "Pas commencée", "Не началась";
        /// State of a game without a move.
        playing: "Playing", "Bezig", "En cours", "Идёт";
        /// Link above the boards: shows those whose games go on.
        games_going_on: "Playing", "Bezig", "En cours", "Идут";
        /// Bar above a page: the connection is broken. `{}`: a duration, as 45 sec.
        server_silent: "No data from the server for {}",
            "Al {} geen gegevens van de server",
            "Aucune donnée du serveur depuis {}",
            "Нет связи с сервером {}";
        /// Bar above a page whose script could not be loaded.
        load_again: "Not live: load this page again.", "Niet live: laad deze pagina opnieuw.",
            "Pas en direct : rechargez cette page.", "Не онлайн: загрузите страницу заново.";
        /// Bar above a page without a script: the recorder at the tournament gives no sign of life.
        recorder_silent: "No word from the recorder: this page may be out of date.",
            "Geen bericht van de opnamecomputer: deze pagina is mogelijk niet actueel.",
            "Aucune nouvelle de l’enregistreur : cette page n’est peut-être pas à jour.",
            "Нет связи с компьютером записи: страница может быть неактуальной.";
        /// Bar above a page: the recorder at the tournament gives no sign of life. `{}`: an hour, as 14:05.
        recorder_silent_since: "No word from the recorder since {}: this page may be out of date.",
            "Sinds {} geen bericht van de opnamecomputer: deze pagina is mogelijk niet actueel.",
            "Aucune nouvelle de l’enregistreur depuis {} : cette page n’est peut-être pas à jour.",
            "С {} нет связи с компьютером записи: страница может быть неактуальной.";
        /// In place of `live`, while the recorder gives no sign of life.
        not_live: "Not live", "Niet live", "Pas en direct", "Не онлайн";
        /// Bar above a page, for a moment: the connection works again.
        live_again: "Live again", "Weer live", "De nouveau en direct", "Снова онлайн";
        /// In place of `live`, while the page connects.
        connecting: "Connecting", "Verbinden", "Connexion", "Соединение";
        /// Page of the boards, before the first game.
        no_game_started: "No game has started yet. This page shows the first move when it is played.",
            "Er is nog geen partij begonnen. Deze pagina toont de eerste zet zodra die gespeeld is.",
            "Aucune partie n’a commencé. Cette page montrera le premier coup dès qu’il sera joué.",
            "Ни одна партия ещё не началась. Первый ход появится здесь, как только будет сделан.";
        /// Page of the standings, without a tournament.
        no_tournament: "There are no tournament standings; these are the results of the games.",
            "Er is geen stand van een toernooi; dit zijn de uitslagen van de partijen.",
            "Il n’y a pas de classement de tournoi ; voici les résultats des parties.",
            "Турнирной таблицы нет; это результаты партий.";
        /// Page of the games that are over.
        no_game_over: "No game is over yet.",
            "Er is nog geen partij afgelopen.",
            "Aucune partie n’est terminée.",
            "Ни одна партия ещё не окончена.";
        /// Heading of a column of tables.
        result: "Result", "Uitslag", "Résultat", "Результат";
        /// Page for an unknown address, below “404”.
        not_found: "There is no such page. Its board or game may not have started yet.",
            "Deze pagina bestaat niet. Misschien is het bord of de partij nog niet begonnen.",
            "Cette page n’existe pas. Le damier ou la partie n’a peut-être pas commencé.",
            "Такой страницы нет. Возможно, партия на этой доске ещё не началась.";
        /// Page of an earlier game whose file cannot be read, below “503”.
        unreadable: "This game cannot be read at the moment. Please try again.",
            "Deze partij is nu niet te lezen. Probeer het opnieuw.",
            "Cette partie ne peut pas être lue pour le moment. Veuillez réessayer.",
            "Эту партию сейчас нельзя прочитать. Попробуйте ещё раз.";
        /// A move, read aloud. `{side}`: White or Black; `{from}`, `{to}`: squares.
        spoken_move: "{side} {from} to {to}", "{side} {from} naar {to}", "{side} : {from} à {to}", "{side}: {from} на {to}";
        /// A capture, read aloud. `{side}`: White or Black; `{from}`, `{to}`: squares; `{taken}`: squares of the captured pieces.
        spoken_capture: "{side} {from} captures {taken} and lands on {to}",
            "{side} {from} slaat {taken} en komt op {to}",
            "{side} : {from} prend {taken} et arrive en {to}",
            "{side}: {from} бьёт {taken} и встаёт на {to}";
        /// Heading of the games without a round, on the page of the standings.
        all_games: "All games", "Alle partijen", "Toutes les parties", "Все партии";
        /// Foot of each page, before the names of files.
        files: "Files for programs:", "Bestanden voor programma’s:", "Fichiers pour programmes :", "Файлы для программ:";
        /// Screen at the wall, beside the QR code of the page’s address.
        page_address: "This page", "Deze pagina", "Cette page", "Эта страница";
        /// Heading of a column of the standings.
        points: "Points", "Punten", "Points", "Очки";
        /// Link in the navigation, and title: what is known of the event as a whole.
        about_event: "Event", "Evenement", "Événement", "Турнир";
        /// Heading of the moments of an event, and link to them.
        schedule: "Schedule", "Programma", "Programme", "Расписание";
        /// Label: who organises the event; at the desk too.
        organiser: "Organiser", "Organisator", "Organisateur", "Организатор";
        /// Label: name of the chief arbiter.
        arbiter: "Arbiter", "Arbiter", "Arbitre", "Главный судья";
        /// Label: the federation that organises the event.
        federation: "Federation", "Bond", "Fédération", "Федерация";
        /// Label: how the event is played, as “Swiss system, 9 rounds”; at the desk too.
        system: "System", "Wedstrijdvorm", "Formule", "Система";
        /// Label: how much time the players have.
        time_control: "Time control", "Bedenktijd", "Cadence", "Контроль времени";
        /// Link to a video of the event, and its label at the desk.
        stream: "Video stream", "Videostream", "Vidéo en direct", "Видеотрансляция";
        /// Link to the rules of the event, and its label at the desk.
        regulations: "Regulations", "Reglement", "Règlement", "Регламент";
        /// Link to the event’s own site, and its label at the desk.
        website: "Website", "Website", "Site web", "Сайт";
        /// Heading of a text about the event, written after it; at the desk too.
        report: "Report", "Verslag", "Compte rendu", "Отчёт";
        /// Heading of the first page after the event, above the first places.
        final_standings: "Final standings", "Eindstand", "Classement final", "Итоговое положение";
        /// Link below the first places. `{}`: the number of places.
        all_places: "All {} places", "Alle {} plaatsen", "Les {} places", "Все места: {}";
        /// Heading of the standings with games that are over and not official yet.
        as_it_stands: "As it stands", "Tussenstand", "Classement provisoire en direct", "Положение на данный момент";
        /// Heading of a column: the score of two teams with the games that are over and not official yet.
        score_now: "Score now", "Tussenstand", "Score en cours", "Текущий счёт";
        /// Below the schedule. `{}`: name of the viewer’s time zone.
        viewer_zone: "Times in your time zone: {}",
            "Tijden in uw tijdzone: {}",
            "Heures dans votre fuseau horaire : {}",
            "Время в вашем часовом поясе: {}";
        /// Heading of a column of the standings: the place of a player.
        rank: "Rank", "Plaats", "Place", "Место";
        /// Heading of a column of the standings: the player’s name; label of a field of the desk.
        name: "Name", "Naam", "Nom", "Имя";
        /// Heading of a column of the standings: the number of games.
        played: "Played", "Gespeeld", "Jouées", "Сыграно";
        /// Below the pairings of a round, before the names of players with a bye.
        without_opponent: "Without opponent: ", "Zonder tegenstander: ", "Sans adversaire : ", "Без соперника: ";
        /// In place of the opponent and the result, before the points: the player has no opponent.
        bye: "bye", "vrij", "exempt", "без пары";
        /// After the points: a player was absent.
        forfeit: "forfeit", "niet verschenen", "forfait", "неявка";
        /// After the points: the game will not be played.
        not_played: "not played", "niet gespeeld", "non jouée", "не играется";
        /// Heading of a column of the standings of teams: the points of their boards.
        board_points: "Board points", "Bordpunten", "Points individuels", "Очки на досках";
        /// In place of the result: the game starts on another day.
        postponed: "Postponed", "Uitgesteld", "Reportée", "Перенесена";
        /// In place of the result: the game started and continues on another day.
        adjourned: "Adjourned", "Afgebroken", "Ajournée", "Отложена";
        /// State of a game that was played again: it does not count.
        replayed: "Played again", "Opnieuw gespeeld", "Rejouée", "Переиграна";
        /// Link in the navigation, and heading: all who play.
        players: "Players", "Spelers", "Joueurs", "Игроки";
        /// In place of the list of players.
        no_players: "The list of players is not known yet.",
            "De lijst van spelers is nog niet bekend.",
            "La liste des joueurs n’est pas encore connue.",
            "Список игроков пока неизвестен.";
        /// Label of a field on the page of all players.
        search_players: "Search by name", "Zoek op naam", "Chercher par nom", "Поиск по имени";
        /// Button beside the field of a search.
        search: "Search", "Zoeken", "Chercher", "Найти";
        /// Below the list of players: the search found none.
        no_such_player: "No player has such a name.",
            "Geen speler met zo’n naam.",
            "Aucun joueur de ce nom.",
            "Игрока с таким именем нет.";
        /// Column of the list of players: as GMI.
        player_title: "Title", "Titel", "Titre", "Звание";
        /// Column of the list of players: the federation, as NED.
        player_federation: "Fed.", "Bond", "Féd.", "Фед.";
        /// Column of the list of players.
        rating: "Rating", "Rating", "Elo", "Рейтинг";
        /// Column of the list of players: the team or the club.
        team: "Team", "Team", "Équipe", "Команда";
        /// Page of a player, before the opponent of the next round.
        next_game: "Next game", "Volgende partij", "Prochaine partie", "Следующая партия";
        /// Page of a player, in place of the list of games.
        no_games_of_player: "No game yet.", "Nog geen partij.", "Aucune partie pour le moment.", "Партий пока нет.";
        /// Column of a player's games.
        colour: "Colour", "Kleur", "Couleur", "Цвет";
        /// Column of a player's games.
        opponent: "Opponent", "Tegenstander", "Adversaire", "Соперник";
        /// Column of a player's games: a link to the game.
        game: "Game", "Partij", "Partie", "Партия";
        /// Link below a board that is embedded in a page of another site.
        full_page: "To the full page", "Naar de hele pagina", "Vers la page complète", "Вся страница";
    }
    counts {
        /// State of a game. `{}`: number of moves.
        over_after: "Over after {} move" "Over after {} moves",
            "Afgelopen na {} zet" "Afgelopen na {} zetten",
            "Terminée après {} coup" "Terminée après {} coups",
            "Окончена после {} хода" "Окончена после {} ходов" "Окончена после {} ходов";
        /// Bar above a page that the browser had stored. `{}`: minutes.
        stored_page: "Stored page, {} minute old" "Stored page, {} minutes old",
            "Bewaarde pagina, {} minuut oud" "Bewaarde pagina, {} minuten oud",
            "Page enregistrée il y a {} minute" "Page enregistrée il y a {} minutes",
            "Сохранённая страница, ей {} минута" "Сохранённая страница, ей {} минуты" "Сохранённая страница, ей {} минут";
        /// Below the heading of the standings. `{}`: number of games that are not over.
        provisional: "Provisional, {} game is still open" "Provisional, {} games are still open",
            "Voorlopig, {} partij is nog niet klaar" "Voorlopig, {} partijen zijn nog niet klaar",
            "Provisoire, {} partie n’est pas terminée" "Provisoire, {} parties ne sont pas terminées",
            "Предварительно, не окончена {} партия" "Предварительно, не окончены {} партии" "Предварительно, не окончено {} партий";
        /// Below the heading of the standings. `{}`: number of games that are over and have no result.
        results_missing: "Provisional, {} result is missing" "Provisional, {} results are missing",
            "Voorlopig, {} uitslag ontbreekt" "Voorlopig, {} uitslagen ontbreken",
            "Provisoire, il manque {} résultat" "Provisoire, il manque {} résultats",
            "Предварительно, не хватает {} результата" "Предварительно, не хватает {} результатов" "Предварительно, не хватает {} результатов";
        /// First page and screen at the wall, beside the round. `{}`: number of games that are being played.
        games_on: "{} game is being played" "{} games are being played",
            "{} partij is bezig" "{} partijen zijn bezig",
            "{} partie en cours" "{} parties en cours",
            "идёт {} партия" "идут {} партии" "идут {} партий";
        /// After the games that are being played. `{}`: number of games that are over.
        games_over: "{} is over" "{} are over",
            "{} is afgelopen" "{} zijn afgelopen",
            "{} terminée" "{} terminées",
            "окончена {}" "окончены {}" "окончено {}";
        /// In the head of a page that shows moves later than the boards. `{}`: a number of minutes.
        delay_minutes: "Delay: {} minute" "Delay: {} minutes",
            "Vertraging: {} minuut" "Vertraging: {} minuten",
            "Différé de {} minute" "Différé de {} minutes",
            "Задержка: {} минута" "Задержка: {} минуты" "Задержка: {} минут";
        /// In the head of a page that shows moves later than the boards. `{}`: a number of seconds.
        delay_seconds: "Delay: {} second" "Delay: {} seconds",
            "Vertraging: {} seconde" "Vertraging: {} seconden",
            "Différé de {} seconde" "Différé de {} secondes",
            "Задержка: {} секунда" "Задержка: {} секунды" "Задержка: {} секунд";
        /// In the head of a page that shows moves later than the boards. `{}`: a number of moves.
        delay_moves: "Delay: {} move" "Delay: {} moves",
            "Vertraging: {} zet" "Vertraging: {} zetten",
            "Différé de {} coup" "Différé de {} coups",
            "Задержка: {} ход" "Задержка: {} хода" "Задержка: {} ходов";
        /// Below the heading of the standings as they stand. `{}`: number of games whose result is not official yet.
        unofficial: "With {} result that is not official yet" "With {} results that are not official yet",
            "Met {} uitslag die nog niet officieel is" "Met {} uitslagen die nog niet officieel zijn",
            "Avec {} résultat qui n’est pas encore officiel" "Avec {} résultats qui ne sont pas encore officiels",
            "С учётом {} неофициального результата" "С учётом {} неофициальных результатов" "С учётом {} неофициальных результатов";
    }
}

/// Keys of the texts that the scripts of the pages read.
pub static SCRIPT_KEYS: LazyLock<BTreeSet<String>> = LazyLock::new(|| keys_in(&[SCRIPT, MORE_SCRIPT].concat()));

#[cfg(test)]
mod tests {
    use super::*;
    use crate::web::texts::Language;

    #[test]
    fn script_gets_texts_it_reads() {
        let keys: BTreeSet<String> = Language::En.words().entries().iter().map(|entry| entry.key.to_owned()).collect();
        let missing: Vec<_> = SCRIPT_KEYS.difference(&keys).collect();
        assert!(missing.is_empty(), "the table has no {missing:?}");
    }
}
