//! Texts of `tournament.js`: rounds, pairings, players, imports, standings. Each row has English, Dutch, French and Russian, in this order.

use crate::web::texts::texts;

texts! {
    /// Texts about the tournament, in one language.
    TournamentTexts
    texts {
        // Rounds.
        /// Tab of the desk.
        tournament: "Tournament", "Toernooi", "Tournoi", "Турнир";
        /// In place of the tournament, while the page loads.
        loading_tournament: "Loading the tournament …", "Toernooi wordt opgevraagd …", "Chargement du tournoi …", "Загружается турнир …";
        /// Heading, and name of the links to the rounds.
        rounds: "Rounds", "Rondes", "Rondes", "Туры";
        /// Heading, in place of the tournament.
        no_tournament: "No tournament", "Geen toernooi", "Pas de tournoi", "Турнира нет";
        /// Below `no_tournament`.
        no_tournament_hint: "Import a file of your pairing program to start: TRF, CSV or PDN.",
            "Importeer een bestand van uw indelingsprogramma om te beginnen: TRF, CSV of PDN.",
            "Pour commencer, importez un fichier de votre logiciel d’appariement : TRF, CSV ou PDN.",
            "Импортируйте файл программы жеребьёвки: TRF, CSV или PDN.";
        /// Beside the heading, and outcome in the log: each change of the tournament counts it up. `{}`: number of the version.
        version: "version {}", "versie {}", "version {}", "версия {}";
        /// State of a round, behind its number.
        round_prepared: "prepared", "voorbereid", "préparée", "подготовлен";
        /// State of a round, behind its number: the pairings are on the viewers’ pages.
        round_published: "published", "gepubliceerd", "publiée", "опубликован";
        /// State of a round, behind its number: it is being played.
        round_open: "open", "open", "ouverte", "открыт";
        /// State of a round, behind its number.
        round_closed: "closed", "gesloten", "close", "закрыт";
        /// Button of a round, title of its dialog and its button.
        publish_round: "Publish round", "Ronde publiceren", "Publier la ronde", "Опубликовать тур";
        /// Button of a round, title of its dialog and its button: the games can start.
        open_round: "Open round", "Ronde openen", "Ouvrir la ronde", "Открыть тур";
        /// Button of a published round, title of its dialog and its button: the round is prepared again.
        withdraw_round: "Withdraw round", "Ronde intrekken", "Retirer la ronde", "Отозвать тур";
        /// Button of a round, title of its dialog and its button.
        close_round: "Close round", "Ronde sluiten", "Clore la ronde", "Закрыть тур";
        /// Above the pairings. `{}`: number of the round; `{}`: its state, as “open”.
        round_is: "Round {} is {}", "Ronde {} is {}", "La ronde {} est {}", "Тур {} {}";
        /// Above the pairings.
        results_complete: "All results are in.", "Alle uitslagen zijn binnen.", "Tous les résultats sont là.", "Все результаты есть.";
        /// Heading of a column: name of the electronic board on which the game is played.
        played_on: "Played on", "Gespeeld op", "Jouée sur", "Играется на";
        /// Button of a pairing that has a result.
        correct: "Correct", "Verbeteren", "Corriger", "Исправить";
        /// Title of a dialog. `{}`: number of the board; `{}`: names of both players.
        board_of: "Board {}: {}", "Bord {}: {}", "Damier {} : {}", "Доска {}: {}";
        /// Choice in the dialog of a result.
        remove_result: "No result: remove it", "Geen uitslag: verwijder hem", "Pas de résultat : le supprimer", "Без результата: удалить";
        /// Button of the dialog of a result, if the pairing has one.
        correct_result: "Correct the result", "Uitslag verbeteren", "Corriger le résultat", "Исправить результат";
        /// Kind of a bye, behind a player: no opponent was left.
        bye_bye: "bye", "vrij", "exempt", "свободен";
        /// Kind of a bye, behind a player: with the points of a win.
        bye_full_bye: "full-point bye", "hele bye", "bye à points pleins", "свободен, полное очко";
        /// Kind of a bye, behind a player: with the points of a draw.
        bye_half_bye: "half-point bye", "halve bye", "bye à demi-points", "свободен, половина очков";
        /// Kind of a bye, behind a player.
        bye_absent: "absent", "afwezig", "absent", "отсутствует";
        /// Kind of a bye, behind a player: the opponent did not show up.
        bye_won_without_opponent: "won without opponent", "gewonnen zonder tegenstander", "gain sans adversaire", "победа без соперника";
        /// Kind of a bye, behind a player: the player did not show up, and the file names no opponent.
        bye_lost_without_opponent: "lost without opponent", "verloren zonder tegenstander", "perte sans adversaire", "поражение без соперника";

        // Games at another time.
        /// Button of a pairing: opens a dialog with the choices `when_…`.
        reschedule: "Postpone, replay", "Uitstellen, overspelen", "Reporter, rejouer", "Перенести, переиграть";
        /// Button of the dialog `reschedule`.
        reschedule_verb: "Apply", "Toepassen", "Appliquer", "Применить";
        /// Label of a field, for the choice `when_begin`: an electronic board.
        reschedule_board: "On which board", "Op welk bord", "Sur quel damier", "На какой доске";
        /// Choice in the dialog `reschedule`.
        when_postpone: "On another day; the round does not wait for it", "Op een andere dag; de ronde wacht er niet op",
            "Un autre jour ; la ronde ne l’attend pas", "В другой день; тур её не ждёт";
        /// Choice in the dialog `reschedule`: it is not postponed.
        when_undo: "With its round after all", "Toch met de ronde mee", "Finalement avec sa ronde", "Всё же вместе с туром";
        /// Choice in the dialog `reschedule`.
        when_begin: "Now, on the board below", "Nu, op het bord hieronder", "Maintenant, sur le damier ci-dessous", "Сейчас, на доске ниже";
        /// Choice in the dialog `reschedule`.
        when_replay: "Replay: the last game does not count", "Overspelen: de laatste partij telt niet",
            "Rejouer : la dernière partie ne compte pas", "Переиграть: последняя партия не в счёт";

        // Substitutes.
        /// Button of a pairing: another person plays.
        substitute: "Substitute", "Invaller", "Remplaçant", "Замена";
        /// Title of a dialog. `{}`: number of the board; `{}`: names of both players.
        substitute_of: "Substitute at board {}: {}", "Invaller aan bord {}: {}", "Remplaçant au damier {} : {}", "Замена на доске {}: {}";
        /// Button of the dialog `substitute`.
        substitute_verb: "Enter the substitute", "Invaller invoeren", "Saisir le remplaçant", "Записать замену";
        /// Label of the choice between both players: the one who does not play.
        substitute_for: "Plays for", "Speelt voor", "Joue pour", "Играет за";
        /// Label of a field: the one who plays.
        substitute_name: "Name of the substitute", "Naam van de invaller", "Nom du remplaçant", "Имя запасного игрока";
        /// Below `substitute_name`.
        substitute_hint: "The name, or the number in the files of the pairing program.",
            "De naam, of het nummer in de bestanden van het indelingsprogramma.",
            "Le nom, ou le numéro dans les fichiers du logiciel d’appariement.",
            "Имя или номер в файлах программы жеребьёвки.";

        // Players.
        /// Heading of the list of players.
        players: "Players", "Spelers", "Joueurs", "Игроки";
        /// Heading of a column of players: the number in the pairing program.
        number: "Number", "Nummer", "Numéro", "Номер";
        /// Heading of a column of players: as GMI.
        title: "Title", "Titel", "Titre", "Звание";
        /// Heading of a column of players.
        rating: "Rating", "Rating", "Classement Elo", "Рейтинг";
        /// Heading of a column of players.
        federation: "Federation", "Bond", "Fédération", "Федерация";
        /// Button of a player, and button of its dialog.
        correct_name: "Correct the name", "Naam verbeteren", "Corriger le nom", "Исправить имя";
        /// Below the field for the corrected name.
        correct_name_hint: "Pages and standings show the new name; live files keep the old one.",
            "Pagina’s en stand tonen de nieuwe naam; livebestanden houden de oude.",
            "Les pages et le classement montrent le nouveau nom ; les fichiers de la retransmission gardent l’ancien.",
            "В файлах трансляции остаётся старое имя.";

        // Imports.
        /// Heading of the field that chooses a file.
        import: "Import", "Importeren", "Importation", "Импорт";
        /// Button of the import dialog.
        import_verb: "Import", "Importeren", "Importer", "Импортировать";
        /// Label of the field that chooses a file.
        import_file: "File of the pairing program", "Bestand van het indelingsprogramma", "Fichier du logiciel d’appariement", "Файл программы жеребьёвки";
        /// Below `import_file`.
        import_hint: "TRF, CSV or PDN without moves. Drop it here, or choose it. You see the changes before they are made.",
            "TRF, CSV of PDN zonder zetten. Sleep het hierheen of kies het. U ziet de wijzigingen voordat ze worden uitgevoerd.",
            "TRF, CSV ou PDN sans coups. Déposez-le ici ou choisissez-le. Vous voyez les modifications avant de les appliquer.",
            "TRF, CSV или PDN без ходов. Перетащите его сюда или выберите.";
        /// Button, and title of its dialog: makes the pairings of a tournament in which each player meets each other.
        round_robin: "Pair a round robin", "Competitie indelen (ieder tegen ieder)", "Apparier un tournoi toutes rondes", "Составить круговой турнир";
        /// Button of the dialog `round_robin`.
        round_robin_verb: "Make the pairings", "Indelen", "Apparier", "Составить";
        /// Label of a box in the dialog `round_robin`.
        double_round_robin: "Double round robin: each pair meets twice",
            "Dubbele competitie: elk paar speelt twee keer",
            "Aller-retour : chacun rencontre chacun deux fois",
            "Два круга: каждый с каждым дважды";
        /// Bar above the page. `{}`: name of the file; `{}` and `{}`: its size and the largest size, in bytes.
        file_too_large: "{} has {} bytes; the maximum is {}.", "{} heeft {} bytes; het maximum is {}.", "{} a {} octets ; le maximum est {}.", "{}: {} байт; не больше {}.";
        /// Fields of the import dialog that few files need; a click shows them.
        more: "More", "Meer", "Plus", "Ещё";
        /// Label of a choice in the import dialog.
        format: "Format", "Formaat", "Format", "Формат";
        /// Choice under `format`.
        detect_format: "detected automatically", "automatisch herkend", "détecté automatiquement", "определяется сам";
        /// Label of a field in the import dialog: pairs as Round=Tour.
        csv_columns: "Column names of a CSV", "Kolomnamen van een CSV", "Noms des colonnes d’un CSV", "Названия столбцов CSV";
        /// Label of a field in the import dialog: one of several groups of players with their own rounds.
        section: "Section", "Groep", "Série", "Группа";

        // Standings.
        /// Beside the heading. `{}`: number of the round; `{}` and `{}`: results that are known, and all.
        after_round: "After round {}: {} of {} results", "Na ronde {}: {} van {} uitslagen", "Après la ronde {} : {} résultats sur {}", "После тура {}: {} результатов из {}";
        /// Heading of a column.
        team: "Team", "Team", "Équipe", "Команда";
        /// Heading of a column of teams: points of matches between teams.
        match_points: "Match points", "Wedstrijdpunten", "Points de rencontre", "Командные очки";
        /// Heading of a column of teams: points of single games.
        board_points: "Board points", "Bordpunten", "Points individuels", "Очки на досках";
        /// In place of the standings.
        no_standings: "There are no standings yet", "Er is nog geen stand", "Il n’y a pas encore de classement", "Турнирной таблицы ещё нет";
        /// Heading of a column of the standings, short: sum of the opponents’ points.
        tie_solkoff: "Solk.", "WP", "Solk.", "Солк.";
        /// Heading of a column of the standings, short: Solkoff without the weakest opponent.
        tie_short_truncated_solkoff: "Solk. −1", "WP−1", "Solk. tr.", "усеч. Солк.";
        /// Heading of a column of the standings, short: Solkoff without one weakest opponent, then without two, and so on.
        tie_full_truncated_solkoff: "Solk. −1, −2 …", "WP−1, −2 …", "Solk. tr. 1, 2 …", "усеч. Солк. 1, 2 …";
        /// Heading of a column of the standings, short: Solkoff without the strongest and the weakest opponent.
        tie_median_solkoff: "Median", "Mediaan", "Solk. méd.", "мед. Солк.";
        /// Heading of a column of the standings, short: sum of the opponents’ Solkoff.
        tie_solkoff_plus: "Solk. +", "WP+", "Solk. +", "Солк. +";
        /// Heading of a column of the standings, short: Sonneborn-Berger.
        tie_sonneborn_berger: "SB", "SB", "SB", "Б.";
        /// Heading of a column of the standings, short: number of wins.
        tie_wins: "Wins", "Winst", "Vict.", "Поб.";
        /// Heading of a column of the standings, short: number of wins in games that were played.
        tie_wins_played: "Wins played", "Winst gespeeld", "Vict. jouées", "Поб. за доской";
        /// Heading of a column of the standings, short: draws with an advantage, less those in which the opponent had it.
        tie_plus: "Plus", "Plusremises", "Avant.", "Плюсы";
        /// Heading of a column of the standings, short: results between players with equal points.
        tie_direct: "Direct", "Onderl.", "Ex æquo", "Лич.";
    }
    counts {
        /// Beside the heading of a section. `{}`: number of players.
        number_of_players: "{} player" "{} players", "{} speler" "{} spelers", "{} joueur" "{} joueurs", "{} игрок" "{} игрока" "{} игроков";
        /// Above the pairings. `{}`: number of results.
        results_missing: "{} result is missing." "{} results are missing.", "{} uitslag ontbreekt." "{} uitslagen ontbreken.",
            "{} résultat manque." "{} résultats manquent.", "Нет {} результата." "Нет {} результатов." "Нет {} результатов.";
    }
}
