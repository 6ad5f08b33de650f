//! Texts of `boards.js` and `setup.js`: the boards, their states, and the dialogs of a board. Each row has English, Dutch, French and
//! Russian, in this order.

use crate::web::texts::texts;

texts! {
    /// Texts about boards, in one language.
    BoardTexts
    texts {
        // States of boards, in the list and as the heading of a board.
        /// State of a board: the program that reads its line has failed.
        state_broken: "Line stopped", "Lijn gestopt", "Ligne arrêtée", "Линия остановлена";
        /// State of a board: its port is absent.
        state_no_connection: "Not connected", "Niet aangesloten", "Non connecté", "Не подключена";
        /// State of a board: it sends nothing.
        state_no_answer: "No answer", "Geen antwoord", "Pas de réponse", "Не отвечает";
        /// State of a board: the port has a board with another serial number.
        state_other_board: "Another board", "Een ander bord", "Un autre damier", "Другая доска";
        /// State of a board: no legal move explains its pieces.
        state_unexplained: "Unclear", "Onduidelijk", "Incertain", "Неясно";
        /// State of a board.
        state_playing: "Playing", "Bezig", "En cours", "Идёт игра";
        /// State of a board.
        state_clock_stopped: "Clock stopped", "Klok staat stil", "Pendule arrêtée", "Часы остановлены";
        /// State of a board: the start position is set up.
        state_ready: "Ready", "Gereed", "Prêt", "Готова";
        /// State of a board: its game is over.
        state_over: "Over", "Afgelopen", "Terminée", "Окончена";
        /// State of a board.
        state_waiting: "Waiting for the start position", "Wacht op de beginstand", "Attend la position initiale", "Ждёт начальной позиции";
        /// State of a board: the station reads moves from the memory of the board.
        state_catching_up: "Reading missed moves", "Leest gemiste zetten", "Lecture des coups manqués", "Чтение пропущенных ходов";

        // Problems of boards, in the list and as the heading of a board.
        /// Problem of a board. `{}`: the result that its pieces or the rules propose, as 2-0.
        proposed: "Result proposed: {}", "Uitslag voorgesteld: {}", "Résultat proposé : {}", "Предложен результат: {}";
        /// Problem of a board: its game is over.
        waits_for_result: "Waiting for the result", "Wacht op de uitslag", "Attend le résultat", "Ждёт результата";
        /// Problem of a board, before the English text of the alarm; heading of the column of kinds of alarms.
        alarm: "Alarm", "Alarm", "Alarme", "Оповещение";
        /// Problem of a board.
        not_published: "Not published", "Niet gepubliceerd", "Non publié", "Не публикуется";
        /// Problem of a board.
        no_clock: "No clock", "Geen klok", "Pas de pendule", "Нет часов";
        /// Explains `no_clock`.
        no_clock_text: "The clock sends nothing: the file lacks the times.",
            "De klok geeft niets door: in het bestand ontbreken de tijden.",
            "La pendule n’envoie rien : les temps manquent dans le fichier.",
            "Часы молчат: в файле нет времени.";
        /// Problem of a board: an operator has paused its publication.
        held_back: "Publication held", "Publicatie gepauzeerd", "Publication suspendue", "Публикация приостановлена";
        /// Explains `held_back`.
        held_text: "Moves are recorded; they are published when an operator releases the publication.",
            "Zetten worden vastgelegd, en gepubliceerd zodra de publicatie wordt hervat.",
            "Les coups sont enregistrés ; ils seront publiés à la reprise de la publication.",
            "Ходы записываются, но не показываются, пока публикация не возобновлена.";
        /// Problem of a board: its pieces are not in the start position.
        not_set_up: "Not set up", "Niet opgezet", "Pas en place", "Не расставлена";
        /// Explains `state_unexplained`. `{}`: squares.
        squares_differ: "Squares {} differ from the published position.",
            "De velden {} verschillen van de gepubliceerde stand.",
            "Les cases {} diffèrent de la position publiée.",
            "Поля {} отличаются от опубликованной позиции.";

        // The list of boards.
        /// In place of all boards, while the page loads.
        loading_status: "Loading the state of the station …", "Toestand van het station wordt opgevraagd …", "Chargement de l’état de la station …", "Загружается состояние станции …";
        /// Heading of the boards with problems, before their number.
        needs_attention: "Needs attention", "Vraagt aandacht", "À surveiller", "Требует внимания";
        /// In place of the boards with problems.
        all_well: "Nothing needs attention.", "Niets vraagt aandacht.", "Rien à signaler.", "Всё в порядке.";
        /// Heading of the boards without problems, before their number.
        no_problems: "No problems", "Geen problemen", "Sans problème", "Без замечаний";
        /// Name of the list of boards, read aloud.
        all_boards: "All boards", "Alle borden", "Tous les damiers", "Все доски";

        // The health of the station, above the boards.
        /// Name of the row of figures, read aloud.
        health: "Health of the station", "Toestand van het station", "État de la station", "Состояние станции";
        /// Label of a figure: how many boards answer.
        boards_answering: "Boards answering", "Borden met verbinding", "Damiers connectés", "Досок на связи";
        /// Value of `boards_answering`. `{}` and `{}`: the boards that answer, and all boards.
        count_of_all: "{} of {}", "{} van {}", "{} sur {}", "{} из {}";
        /// Below `boards_answering`: the boards that do not answer are on top of the list.
        others_first: "the others are first in the list", "de andere staan vooraan in de lijst", "les autres sont en tête de liste", "остальные первые в списке";
        /// Below `boards_answering`: all of them answer.
        all: "all", "alle", "tous", "все";
        /// Label of a figure: free space of the disk.
        disk: "Disk", "Schijf", "Disque", "Диск";
        /// Value of `disk`. `{}`: gigabytes.
        disk_space: "{} GB free", "{} GB vrij", "{} Go libres", "свободно {} ГБ";
        /// In place of the value of `disk`.
        disk_unknown: "unknown", "onbekend", "inconnu", "неизвестно";
        /// Below `disk`: the recording is safe.
        disk_ok: "everything is written", "alles is geschreven", "tout est écrit", "всё записано";
        /// Label of a figure, and heading: files and folders that viewers read.
        public_files: "Public files", "Publieke bestanden", "Fichiers publics", "Публичные файлы";
        /// Below `public_files`.
        up_to_date: "up to date", "bijgewerkt", "à jour", "актуальны";
        /// Label of a figure: how many viewers have a page open.
        viewers: "Viewers", "Kijkers", "Spectateurs", "Зрители";
        /// Below `viewers`: the last event that the pages show. `{}`: its number.
        event: "event {}", "gebeurtenis {}", "événement {}", "событие {}";
        /// Below `public_files`, before further problems that a click shows. `{}`: their number.
        and_more: "+ {}", "+ {}", "+ {}", "+ {}";
        /// Below `viewers`, and in the list of public files: `damcast serve` does not report its state.
        viewers_unknown: "The viewers’ pages do not report their state.",
            "De kijkerspagina’s melden hun toestand niet.",
            "Les pages des spectateurs ne signalent pas leur état.",
            "Страницы для зрителей не сообщают о состоянии.";
        /// Label of a figure, and heading of the list of alarms.
        alarms: "Alarms", "Alarmen", "Alarmes", "Оповещения";
        /// Below `alarms`, and in place of the list of alarms.
        no_alarms: "No alarms", "Geen alarmen", "Aucune alarme", "Нет оповещений";

        // One board.
        /// Times of the clocks. `{}` and `{}`: hours, minutes and seconds of White and of Black.
        clock_times: "White {}, Black {}", "Wit {}, Zwart {}", "Blancs {}, Noirs {}", "Белые {}, чёрные {}";
        /// Behind the names of the players. `{}`: number of the game on this board.
        game: "game {}", "partij {}", "partie {}", "партия {}";
        /// Behind a problem. `{}`: the time at which it started.
        since: "since {}", "sinds {}", "depuis {}", "с {}";
        /// Label, before the English state of the board.
        station_reports: "Station reports", "Het station meldt", "La station signale", "Станция сообщает";
        /// Label, before the last published move.
        last_published: "Last published", "Laatst gepubliceerd", "Dernier coup publié", "Опубликовано последним";
        /// Label, before moves that may still change.
        likely_moves: "Likely, not final", "Waarschijnlijk, niet zeker", "Probable, pas définitif", "Вероятно, не точно";
        /// Label, before one of the texts `wait_…`: the event that makes the move final.
        waits_for: "Waiting for", "Wacht op", "Attend", "Ждёт";
        /// Label, before the times of the clocks.
        clocks: "Clocks", "Klokken", "Pendules", "Часы";
        /// Label, before the players of the pairing. `{}` and `{}`: numbers of the round and of the board.
        round_board: "Round {}, board {}", "Ronde {}, bord {}", "Ronde {}, damier {}", "Тур {}, доска {}";
        /// Behind `waits_for`.
        wait_turn: "the other side to move", "de andere kant aan zet", "le trait à l’autre camp", "хода другой стороны";
        /// Behind `waits_for`: for a moment, no piece moves.
        wait_quiet: "the board to be quiet", "rust op het bord", "que le damier soit au repos", "покоя на доске";
        /// Behind `waits_for`: the player presses the clock.
        wait_press: "the clock to be pressed", "het indrukken van de klok", "l’appui sur la pendule", "переключения часов";
        /// Behind `waits_for`: a piece stands between two squares.
        wait_blemish: "a piece to be put right", "een stuk dat rechtgezet wordt", "qu’une pièce soit bien placée", "пока поправят шашки";
        /// Behind `waits_for`: several moves explain the position.
        wait_next_move: "the next move, which shows which one was played", "de volgende zet, die toont welke gespeeld is",
            "le coup suivant, qui montrera lequel a été joué", "следующего хода";
        /// Behind `waits_for`: the board reports all squares.
        wait_dump: "the board to report its position", "het bord, dat zijn stand doorgeeft", "que le damier envoie sa position", "позиции от доски";
        /// Behind `waits_for`: the lever shows whose clock runs.
        wait_lever: "the clock’s lever", "de hendel van de klok", "le levier de la pendule", "рычага часов";
        /// Behind `waits_for`.
        wait_explanation: "a legal move", "een reglementaire zet", "un coup réglementaire", "хода по правилам";
        /// Behind `waits_for`: a square reports a piece and no piece in turn.
        wait_flicker: "an unstable square", "een onrustig veld", "une case instable", "пока успокоится поле";
        /// Heading, above moves that explain nearly all squares of an unclear board.
        closest: "Closest explanations", "Best passende verklaringen", "Explications les plus proches", "Ближайшие объяснения";
        /// One of the `closest`: the position on the board counts as a set-up position.
        as_set_up: "the position on the board, as a new position", "de stand op het bord, als nieuwe stand",
            "la position du damier, comme nouvelle position", "позиция на доске как новая";
        /// In place of the `closest`.
        search_pending: "The search starts when the board has been quiet for a moment.",
            "Het zoeken begint zodra het bord even rustig is.",
            "La recherche commence dès que le damier est un instant au repos.",
            "Поиск начнётся, когда доска успокоится.";
        /// Below the `closest`.
        put_right: "Put the pieces right, and the game continues by itself. If the position on the board is right, read the board again.",
            "Zet de stukken goed, dan gaat de partij vanzelf verder. Klopt de stand op het bord, lees het bord dan opnieuw.",
            "Remettez les pièces en place et la partie continue d’elle-même. Si la position du damier est juste, relisez le damier.",
            "Поставьте шашки верно, и партия продолжится. Если всё верно, прочтите доску заново.";
        /// In place of the pictures of a board.
        position_unknown: "The board has not reported its position.",
            "Het bord heeft zijn stand nog niet doorgegeven.",
            "Le damier n’a pas encore envoyé sa position.",
            "Доска ещё не сообщила позицию.";
        /// Heading of the picture of the electronic board.
        on_board: "On the board", "Op het bord", "Sur le damier", "На доске";
        /// Heading of the picture of the published position.
        published: "Published", "Gepubliceerd", "Publié", "Опубликовано";
        /// In place of the picture of the published position.
        no_running_game: "No game is running: nothing is published.",
            "Er is geen partij bezig: er wordt niets gepubliceerd.",
            "Aucune partie en cours : rien n’est publié.",
            "Партия не идёт: ничего не публикуется.";
        /// Below the two pictures. `{}`: squares.
        differ: "Different squares: {}.", "Verschillende velden: {}.", "Cases différentes : {}.", "Различаются поля: {}.";
        /// Below the two pictures.
        same: "Both positions are the same.", "Beide standen zijn gelijk.", "Les deux positions sont identiques.", "Позиции совпадают.";
        /// Name of the group of buttons of a board, read aloud. `{}`: name of the board.
        actions_for: "Actions for {}", "Acties voor {}", "Actions pour {}", "Действия: {}";

        // Dialogs of a board.
        /// Title of a dialog. `{}`: what the dialog does, as “Take back a move”; `{}`: the board, or board, game and players.
        title_of: "{}: {}", "{}: {}", "{} : {}", "{}: {}";
        /// Choice in the dialog of a result. `{}`: the result, as 2-0.
        white_wins: "White wins, {}", "Wit wint, {}", "Les Blancs gagnent, {}", "Победа белых, {}";
        /// Choice in the dialog of a result. `{}`: the result, as 1-1.
        draw: "Draw, {}", "Remise, {}", "Partie nulle, {}", "Ничья, {}";
        /// Choice in the dialog of a result. `{}`: the result, as 0-2.
        black_wins: "Black wins, {}", "Zwart wint, {}", "Les Noirs gagnent, {}", "Победа чёрных, {}";
        /// Choice in the dialog of a result: the game ends without one. The star is how files write it.
        no_result: "No result, *", "Geen uitslag, *", "Pas de résultat, *", "Без результата, *";
        /// Label of a field in the dialog of a result.
        other_result: "Another result", "Een andere uitslag", "Un autre résultat", "Другой результат";
        /// Below `other_result`.
        other_result_hint: "For results in another form, as 1-0 or 12-8.",
            "Voor uitslagen in een andere vorm, zoals 1-0 of 12-8.",
            "Pour un résultat sous une autre forme, comme 1-0 ou 12-8.",
            "Для другой формы, например 1-0 или 12-8.";
        /// Button of the dialog of a result.
        enter_result: "Enter the result", "Uitslag invoeren", "Saisir le résultat", "Ввести результат";
        /// Button of a board: opens the dialog of the players’ names.
        names: "Names", "Namen", "Noms", "Имена";
        /// Button of the dialog of the players’ names.
        enter_names: "Enter the names", "Namen invoeren", "Saisir les noms", "Ввести имена";
        /// Button of a board, and title of its dialog: published moves count no longer.
        take_back: "Take back a move", "Zet terugnemen", "Reprendre un coup", "Взять ход назад";
        /// Button of the dialog `take_back`.
        take_back_verb: "Take back", "Terugnemen", "Reprendre", "Взять назад";
        /// Label of a field in the dialog `take_back`. A ply is a move of one side.
        how_many_plies: "Number of plies", "Aantal halve zetten", "Nombre de demi-coups", "Число полуходов";
        /// Effect of `take_back`.
        take_back_effect: "The published moves stay in the file. The earlier position follows as a set-up position, and the game continues from it.",
            "De gepubliceerde zetten blijven in het bestand. De eerdere stand volgt als opgezette stand, en de partij gaat daar verder.",
            "Les coups publiés restent dans le fichier. La position antérieure suit comme position saisie, et la partie continue de là.",
            "Опубликованные ходы остаются в файле, партия продолжается с прежней позиции.";
        /// Button of a board, title of its dialog and its button: the station asks the board for all squares.
        read_again: "Read the board again", "Bord opnieuw lezen", "Relire le damier", "Прочесть доску заново";
        /// Effect of `read_again`.
        read_again_effect: "The station reads all squares. If no legal move explains them, it publishes them as a set-up position, and the game continues from it.",
            "Het station leest alle velden. Verklaart geen reglementaire zet ze, dan publiceert het ze als opgezette stand, en de partij gaat daar verder.",
            "La station relit toutes les cases. Si aucun coup réglementaire ne les explique, elle les publie comme position saisie, et la partie continue de là.",
            "Если ни один ход не объясняет поля, партия продолжается с этой позиции.";
        /// Label of the choice between White, Black and `clock_shows`.
        side_to_move: "Side to move", "Aan zet", "Trait", "Чей ход";
        /// Choice under `side_to_move`.
        clock_shows: "as the clock shows", "volgens de klok", "selon la pendule", "по часам";
        /// Button of a board, title of its dialog and its button: the electronic board lies the other way round on the table.
        rotate_board: "Board lies turned", "Bord ligt gedraaid", "Damier retourné", "Доска перевёрнута";
        /// Effect of `rotate_board`.
        rotate_board_effect: "The station reads this board turned by 180°.",
            "Het station leest dit bord voortaan 180° gedraaid.",
            "La station lit désormais ce damier tourné de 180°.",
            "Станция читает эту доску повёрнутой на 180°.";
        /// Button of a board, title of its dialog and its button.
        hold: "Hold publication", "Publicatie pauzeren", "Suspendre la publication", "Приостановить публикацию";
        /// Effect of `hold`.
        hold_effect: "Nothing of this board is published until an operator releases it. The recording continues.",
            "Van dit bord wordt niets gepubliceerd tot de publicatie wordt hervat. Het vastleggen gaat door.",
            "Rien de ce damier n’est publié avant la reprise de la publication. L’enregistrement continue.",
            "С этой доски ничего не публикуется. Запись продолжается.";
        /// Button of a board, title of its dialog and its button.
        release: "Release publication", "Publicatie hervatten", "Reprendre la publication", "Возобновить публикацию";
        /// Effect of `release`.
        release_effect: "Everything that was held is published, and further moves as they are played.",
            "Alles wat tegengehouden was wordt gepubliceerd, en verdere zetten zodra ze gespeeld zijn.",
            "Tout ce qui était retenu est publié, puis les coups suivants.",
            "Публикуется всё задержанное и дальнейшие ходы.";
        /// Button of a board, title of its dialog and its button.
        start_game: "Start a game", "Partij beginnen", "Commencer une partie", "Начать партию";
        /// Label of the choice that follows.
        start_from: "Start from", "Beginnen met", "À partir de", "Начать с";
        /// Choice under `start_from`.
        start_from_initial: "the start position", "de beginstand", "la position initiale", "начальной позиции";
        /// Choice under `start_from`.
        start_from_fen: "another position", "een andere stand", "une autre position", "другой позиции";
        /// Choice under `start_from`.
        start_from_memory: "the memory of the board: a game that started without the station",
            "het geheugen van het bord: een partij die zonder het station begon",
            "la mémoire du damier : une partie commencée sans la station",
            "памяти доски: начало без станции";
        /// Label of a field, for the choice `start_from_fen`.
        other_position: "The other position, as FEN", "De andere stand, als FEN", "L’autre position, en FEN", "Другая позиция, FEN";
        /// Effect of `start_game`.
        start_game_effect: "A new game starts on this board.", "Op dit bord begint een nieuwe partij.", "Une nouvelle partie commence sur ce damier.", "На этой доске начинается новая партия.";
        /// Effect of `start_game`, if a game is running on the board.
        start_game_closes: "The running game is closed without a result.",
            "De lopende partij wordt zonder uitslag afgesloten.",
            "La partie en cours est close sans résultat.",
            "Идущая партия закрывается без результата.";
        /// Button of a board; label of a field: names a pairing, as 3.2.
        pairing: "Pairing", "Paring", "Appariement", "Пара";
        /// Title of a dialog. `{}`: name of the board.
        pairing_title: "Pairing of {}, without a tournament", "Paring van {}, zonder toernooi", "Appariement de {}, sans tournoi", "Пара для {}, без турнира";
        /// Button of the dialog `pairing_title`.
        pairing_verb: "Set the pairing", "Paring instellen", "Définir l’appariement", "Задать пару";
        /// Below the field `pairing`. The word `none` is typed as it is, in every language.
        pairing_hint: "Any identifier; “none” removes the pairing.",
            "Een eigen naam; “none” verwijdert de paring.",
            "Un identifiant libre ; « none » supprime l’appariement.",
            "Любое имя; «none» убирает пару.";
        /// Label of a field in the dialog `pairing_title`: lines as `White=Sijbrands, T.`
        tags: "Tags of its games, one per line", "Tags van de partijen, een per regel", "Étiquettes de ses parties, une par ligne", "Теги партий, по одному в строке";
        /// Effect of `pairing_verb`.
        pairing_effect: "Applies to the next game, or to the running game if it has no moves.",
            "Geldt voor de volgende partij, of voor de lopende als die nog geen zetten heeft.",
            "Vaut pour la prochaine partie, ou pour la partie en cours si elle n’a aucun coup.",
            "Действует для следующей партии или для идущей без ходов.";
        /// Button of a board, and button of its dialog: the game counts for a pairing of the round.
        assign: "Assign to the round", "Aan de ronde toewijzen", "Affecter à la ronde", "Отнести к туру";
        /// Below the field `pairing` of the dialog `assign`.
        assign_hint: "3.2 is board 2 of round 3. Leave empty for the pairing of this board in the open round.",
            "3.2 is bord 2 van ronde 3. Leeg laten: de paring van dit bord in de open ronde.",
            "3.2 est le damier 2 de la ronde 3. Champ vide : l’appariement de ce damier dans la ronde ouverte.",
            "3.2 — доска 2 тура 3. Пустое поле: пара этой доски в открытом туре.";
        /// Button of a board: opens the dialog for moves that the board missed.
        missing_moves: "Missing moves", "Ontbrekende zetten", "Coups manquants", "Недостающие ходы";
        /// Button of the dialog `missing_moves`.
        add_moves: "Add the moves", "Zetten toevoegen", "Ajouter les coups", "Добавить ходы";
        /// Below the field for the moves in the dialog `missing_moves`.
        add_moves_hint: "The whole game, or the moves after the last recorded one. Leave empty to remove moves added earlier.",
            "De hele partij, of de zetten na de laatste vastgelegde. Leeg laten verwijdert eerder toegevoegde zetten.",
            "La partie entière, ou les coups après le dernier enregistré. Champ vide : retire les coups ajoutés.",
            "Вся партия или ходы после последнего записанного. Пустое поле удаляет ранее добавленные ходы.";
        /// Button of a board, title of its dialog and its button: a game that ended by mistake.
        continue_game: "Continue the game", "Partij voortzetten", "Reprendre la partie", "Продолжить партию";
        /// Effect of `continue_game`.
        continue_game_effect: "The last game of this board continues: its result is removed, and further moves belong to it.",
            "De laatste partij van dit bord gaat verder: de uitslag wordt verwijderd, en verdere zetten horen erbij.",
            "La dernière partie de ce damier continue : son résultat est supprimé, et les coups suivants en font partie.",
            "Последняя партия доски продолжается: её результат удаляется, ходы относятся к ней.";
        /// Button of a board, title of its dialog and its button.
        new_logs: "Start new logs", "Nieuwe logs beginnen", "Commencer de nouveaux journaux", "Начать новые журналы";
        /// Effect of `new_logs`.
        new_logs_effect: "New logs start, as for a new round; games.pdn omits the earlier games. On a bus this applies to all its boards.",
            "Er beginnen nieuwe logs, zoals voor een nieuwe ronde; games.pdn toont de eerdere partijen niet. Op een bus geldt dit voor alle borden.",
            "De nouveaux journaux commencent, comme pour une nouvelle ronde ; games.pdn omet les parties précédentes. Sur un bus, cela vaut pour tous les damiers.",
            "Начинаются новые журналы; games.pdn не показывает прежние партии. На шине — для всех досок.";

        // The dialog that sets up a position.
        /// Button of a board: opens a dialog in which the operator enters a position.
        set_position: "Set up a position", "Stand opzetten", "Saisir une position", "Задать позицию";
        /// Button of the dialog `set_position`.
        set_position_verb: "Publish this position", "Deze stand publiceren", "Publier cette position", "Опубликовать позицию";
        /// Effect of `set_position`. `{}` and `{}`: name of the board, and the position as FEN.
        set_position_effect: "Set-up position for {}: {}", "Opgezette stand voor {}: {}", "Position saisie pour {} : {}", "Заданная позиция для {}: {}";
        /// Effect of `set_position`.
        set_position_stays: "Earlier moves stay as they are, and the game continues from this position.",
            "Eerdere zetten blijven zoals ze zijn, en de partij gaat vanaf deze stand verder.",
            "Les coups précédents restent, et la partie continue de cette position.",
            "Ходы остаются, партия продолжается с этой позиции.";
        /// Button that chooses a piece, and a square’s content, read aloud.
        white_man: "White man", "Witte schijf", "Pion blanc", "Белая простая";
        /// Button that chooses a piece, and a square’s content, read aloud.
        white_king: "White king", "Witte dam", "Dame blanche", "Белая дамка";
        /// Button that chooses a piece, and a square’s content, read aloud.
        black_man: "Black man", "Zwarte schijf", "Pion noir", "Чёрная простая";
        /// Button that chooses a piece, and a square’s content, read aloud.
        black_king: "Black king", "Zwarte dam", "Dame noire", "Чёрная дамка";
        /// Button that removes pieces, and a square’s content, read aloud.
        empty: "Empty", "Leeg", "Vide", "Пусто";
        /// Name of the buttons that choose a piece, read aloud.
        piece: "Piece", "Stuk", "Pièce", "Шашка";
        /// Name of the board in the dialog, read aloud.
        squares: "Squares", "Velden", "Cases", "Поля";
        /// Button: takes the position of the electronic board.
        as_on_board: "As on the board", "Zoals op het bord", "Comme sur le damier", "Как на доске";
        /// Button: takes the published position.
        as_published: "As published", "Zoals gepubliceerd", "Comme publiée", "Как опубликовано";
        /// Button: takes the start position.
        start_position: "Start position", "Beginstand", "Position initiale", "Начальная позиция";
        /// Button: removes all pieces.
        empty_board: "Empty board", "Leeg bord", "Damier vide", "Пустая доска";
        /// Below the board, counts the pieces. `{}`, `{}`: men and kings of White; `{}`, `{}`: of Black.
        piece_counts: "White: {}, {}. Black: {}, {}.", "Wit: {}, {}. Zwart: {}, {}.", "Blancs : {}, {}. Noirs : {}, {}.", "Белые: {}, {}. Чёрные: {}, {}.";
    }
    counts {
        /// Behind the number of a game. `{}`: number of plies; a ply is a move of one side.
        plies: "{} ply" "{} plies", "{} halve zet" "{} halve zetten", "{} demi-coup" "{} demi-coups", "{} полуход" "{} полухода" "{} полуходов";
        /// Behind a game in the title of a dialog. `{}`: number of plies.
        after_plies: "after {} ply" "after {} plies", "na {} halve zet" "na {} halve zetten", "après {} demi-coup" "après {} demi-coups",
            "после {} полухода" "после {} полуходов" "после {} полуходов";
        /// Effect of `take_back`. `{}`: number of plies; `{}`: the last of them, as 31. 34-29.
        not_counting: "The last {} ply does not count: {} …" "The last {} plies do not count: {} …",
            "De laatste {} halve zet telt niet: {} …" "De laatste {} halve zetten tellen niet: {} …",
            "Le dernier {} demi-coup ne compte pas : {} …" "Les {} derniers demi-coups ne comptent pas : {} …",
            "Последний {} полуход не считается: {} …" "Последние {} полухода не считаются: {} …" "Последние {} полуходов не считаются: {} …";
        /// Part of `piece_counts`. `{}`: number of men.
        men: "{} man" "{} men", "{} schijf" "{} schijven", "{} pion" "{} pions", "{} простая" "{} простые" "{} простых";
        /// Part of `piece_counts`. `{}`: number of kings.
        kings: "{} king" "{} kings", "{} dam" "{} dammen", "{} dame" "{} dames", "{} дамка" "{} дамки" "{} дамок";
        /// Value of `public_files`. `{}`: number of folders.
        folders: "{} folder" "{} folders", "{} map" "{} mappen", "{} dossier" "{} dossiers", "{} папка" "{} папки" "{} папок";
        /// Value of `public_files`, if files are not written. `{}`: number of files and folders.
        suspended: "{} paused" "{} paused", "{} gepauzeerd" "{} gepauzeerd", "{} suspendu" "{} suspendus",
            "приостановлено: {}" "приостановлено: {}" "приостановлено: {}";
    }
}
