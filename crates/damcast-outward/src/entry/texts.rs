//! Texts of the page. Each row has English, Dutch, French and Russian, in this order.

use crate::web::texts::texts;

texts! {
    /// Texts of the page on which people enter moves, in one language.
    EntryTexts
    texts {
        /// Heading and title of the page.
        title: "Enter moves", "Zetten invoeren", "Saisir les coups", "Ввод ходов";
        /// Label of the field for the code of a table.
        code: "Code of the table", "Code van de tafel", "Code de la table", "Код стола";
        /// Below the field for the code.
        code_hint: "It is on the sheet at the table.", "De code staat op het blad bij de tafel.", "Il est sur la feuille de la table.", "Он напечатан на листе у стола.";
        /// Button behind the field for the code.
        open: "Open the table", "Tafel openen", "Ouvrir la table", "Открыть стол";
        /// In the head of a table. `{}`: number of the round.
        round: "round {}", "ronde {}", "ronde {}", "тур {}";
        /// Above the board, when White is to move.
        white_to_move: "White to move", "Wit aan zet", "Trait aux blancs", "Ход белых";
        /// Above the board, when Black is to move.
        black_to_move: "Black to move", "Zwart aan zet", "Trait aux noirs", "Ход чёрных";
        /// Above the board, when the game is over. `{}`: its result, or a dash.
        over: "The game is over: {}", "De partij is afgelopen: {}", "La partie est finie : {}", "Партия окончена: {}";
        /// Above the board, before the first move of a game.
        ready: "Enter the first move", "Voer de eerste zet in", "Saisissez le premier coup", "Введите первый ход";
        /// Label of the field for a move.
        the_move: "Move, as 32-28", "Zet, zoals 32-28", "Coup, comme 32-28", "Ход, например 32-28";
        /// Button that enters the move.
        enter: "Enter", "Invoeren", "Saisir", "Ввести";
        /// Button that takes back the last move. `{}`: the move.
        take_back: "Take back {}", "Neem {} terug", "Annuler {}", "Взять назад {}";
        /// Heading of the fields for the times on the clock.
        clocks: "Times on the clock", "Tijden op de klok", "Temps à la pendule", "Время на часах";
        /// Label of the field for White’s time, and White’s name if it is unknown.
        white: "White", "Wit", "Blancs", "Белые";
        /// Label of the field for Black’s time, and Black’s name if it is unknown.
        black: "Black", "Zwart", "Noirs", "Чёрные";
        /// Heading of the buttons for a claimed result.
        result: "Report the result", "Uitslag melden", "Annoncer le résultat", "Сообщить результат";
        /// Below those buttons.
        result_hint: "The arbiter confirms it.", "De arbiter bevestigt de uitslag.", "L’arbitre le confirme.", "Его подтверждает судья.";
        /// Above the board, once a result was reported. `{}`: the result.
        claimed: "Reported: {}. The arbiter confirms it.", "Gemeld: {}. De arbiter bevestigt.", "Annoncé : {}. L’arbitre confirme.", "Сообщено: {}. Судья подтвердит.";
        /// Heading of the list of moves.
        moves: "Moves", "Zetten", "Coups", "Ходы";
        /// Button below a table: this browser forgets its code.
        leave: "Close this table", "Deze tafel sluiten", "Fermer cette table", "Закрыть этот стол";
        /// Button that turns the picture of the board.
        turn_board: "Turn the board", "Bord draaien", "Tourner le damier", "Повернуть доску";
        /// Label of the board, read aloud. `{}`: name of the board.
        board_label: "Position of {}", "Stand van {}", "Position de {}", "Позиция: {}";
        /// Shown while the station does not answer. `{}`: number of moves that are not sent yet.
        not_sent: "No connection. Not sent yet: {}. They are sent by themselves.",
            "Geen verbinding. Nog niet verzonden: {}. Ze worden vanzelf verzonden.",
            "Pas de connexion. Pas encore envoyés : {}. Ils seront envoyés tout seuls.",
            "Нет связи. Ещё не отправлено: {}. Отправится само.";
        /// Shown while the station does not answer, and no move waits.
        no_answer: "No connection. The position may be old.",
            "Geen verbinding. De stand kan verouderd zijn.",
            "Pas de connexion. La position est peut-être ancienne.",
            "Нет связи. Позиция могла измениться.";
        /// Shown while nothing answers the code that was scanned.
        code_waits: "No connection. The code is sent again by itself.",
            "Geen verbinding. De code wordt vanzelf opnieuw verzonden.",
            "Pas de connexion. Le code sera renvoyé tout seul.",
            "Нет связи. Код отправится ещё раз сам.";
        /// Shown when nothing answers a request that is not sent again by itself.
        not_done: "No answer. Look whether it was done before you repeat it.",
            "Geen antwoord. Kijk of het gebeurd is voordat u het herhaalt.",
            "Pas de réponse. Vérifiez si c’est fait avant de recommencer.",
            "Нет ответа. Проверьте, выполнено ли это, прежде чем повторять.";
        /// Shown when the station refuses a move. First `{}`: the move; second `{}`: the English reason.
        was_refused: "{} was refused: {}", "{} is geweigerd: {}", "{} a été refusé : {}", "{} отклонён: {}";
        /// Button: drops the moves that were refused or wait behind a refused one.
        drop: "Drop what was not sent", "Niet-verzonden zetten wissen", "Effacer ce qui n’est pas envoyé", "Удалить неотправленное";
        /// Above the buttons for captures between the same squares.
        which: "Which capture?", "Welke slag?", "Quelle prise ?", "Какое взятие?";
        /// Below a table whose moves go over an unencrypted connection.
        private: "Use this page in the network of the hall only: the connection is not encrypted.",
            "Gebruik deze pagina alleen in het netwerk van de zaal: de verbinding is niet versleuteld.",
            "N’utilisez cette page que dans le réseau de la salle : la connexion n’est pas chiffrée.",
            "Пользуйтесь этой страницей только в сети зала: соединение не зашифровано.";
    }
    counts {}
}
