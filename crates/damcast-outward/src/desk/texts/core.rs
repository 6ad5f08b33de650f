//! Texts of `core.js`: head, requests, and the dialog of every change. Each row has English, Dutch, French and Russian, in this order.

use crate::web::texts::texts;

texts! {
    /// Texts of the desk's head and dialogs, in one language.
    CoreTexts
    texts {
        // Head and login.
        /// Role of a user, behind the name: may do everything.
        operator: "operator", "operator", "opérateur", "оператор";
        /// Role of a user, behind the name: results, names and rounds only.
        arbiter: "arbiter", "arbiter", "arbitre", "судья";
        /// Head, before the names of other users of the desk.
        also_logged_in: "Also logged in: ", "Ook ingelogd: ", "Aussi connectés : ", "Также работают: ";
        /// Button in the head, while alarms sound.
        sound_on: "Sound on", "Geluid aan", "Son activé", "Звук включён";
        /// Login form, after the session of the user has ended.
        session_ended: "Your session has ended. Log in again.",
            "Uw sessie is beëindigd. Log opnieuw in.",
            "Votre session est terminée. Reconnectez-vous.",
            "Войдите снова.";
        /// In place of an answer to a request, if none arrived.
        outcome_unknown: "The desk does not answer. The change may or may not have been made; check before you repeat it.",
            "De wedstrijdtafel antwoordt niet. Het is niet bekend of de wijziging is uitgevoerd; kijk eerst, voor u haar herhaalt.",
            "Aucune réponse. La modification a peut-être été faite ; vérifiez avant de la répéter.",
            "Пульт не отвечает. Неизвестно, выполнено ли это; проверьте.";
        /// In place of an answer to a request. `{}`: the HTTP status code, as 502.
        bad_answer: "Unexpected answer of the desk: {}.",
            "Onverwacht antwoord van de wedstrijdtafel: {}.",
            "Réponse inattendue : {}.",
            "Неожиданный ответ пульта: {}.";
        /// Bar above the page: the connection to the desk is broken. `{}`: seconds.
        desk_silent: "No data from the desk for {} s; this page is out of date.",
            "Al {} s geen gegevens van de wedstrijdtafel; deze pagina is verouderd.",
            "Aucune donnée depuis {} s ; cette page n’est plus à jour.",
            "Нет связи с пультом {} с; страница устарела.";
        /// Bar above the page, before the English reason: the desk does not reach the station.
        station_silent: "The station does not answer; this page is out of date.",
            "Het station antwoordt niet; deze pagina is verouderd.",
            "La station ne répond pas ; cette page n’est plus à jour.",
            "Станция не отвечает; страница устарела.";
        /// Alarm read aloud, in place of the name of a board: the alarm concerns the whole station.
        the_station: "The station", "Het station", "La station", "Станция";

        // The dialog of every change, which shows the effect first.
        /// Heading in the dialog, above the effect of a change. `{}`: the text of the button, as “Open round”.
        preview: "Effect of “{}”", "Gevolg van “{}”", "Effet de « {} »", "Действие «{}»";
        /// In place of the effect of a change.
        fields_missing: "Fill in the missing fields.", "Vul de ontbrekende velden in.", "Remplissez les champs manquants.", "Заполните недостающие поля.";
        /// In place of the effect of a change.
        no_change: "Nothing changes.", "Er verandert niets.", "Rien ne change.", "Ничего не изменится.";
        /// In place of the effect of a change, before the English reason: the station rejects the change.
        would_be_refused: "The station would refuse this:", "Het station zou dit weigeren:", "La station refuserait ceci :", "Станция отклонит это:";
        /// Below the effect, after the button was pressed. `{}`: the English reason.
        not_done: "Not done: {}", "Niet uitgevoerd: {}", "Pas fait : {}", "Не выполнено: {}";
        /// Label of a box, shown if the station asks for a confirmation of the change.
        confirm: "Confirm", "Bevestigen", "Confirmer", "Подтвердить";
        /// Label of a box, shown if the game has a result already.
        replace_result: "Replace the recorded result", "De vastgelegde uitslag vervangen", "Remplacer le résultat enregistré", "Заменить записанный результат";
        /// Effect of a change. `{}`: lines of the game’s file.
        written: "written: {}", "geschreven: {}", "écrit : {}", "записано: {}";
        /// Bar above the page after a change, and outcome in the log.
        done: "Done.", "Uitgevoerd.", "C’est fait.", "Выполнено.";
        /// Button of the dialog.
        cancel: "Cancel", "Annuleren", "Annuler", "Отмена";
        /// Label of a field: why the user makes this change.
        reason: "Reason", "Reden", "Motif", "Причина";
        /// Below the field for the reason.
        reason_hint: "Kept in the tournament log.", "Wordt in het toernooilogboek bewaard.", "Conservé dans le journal du tournoi.", "Сохраняется в журнале турнира.";
        /// Example in the field for the reason.
        signed_sheet: "signed score sheet", "ondertekend notatiebiljet", "feuille de notation signée", "подписанный бланк записи";

        // Kinds of results.
        /// Label of the choice that follows, as “forfeit”.
        kind: "Kind of result", "Soort uitslag", "Nature du résultat", "Вид результата";
        /// Choice in the dialog of a result.
        kind_played: "played", "gespeeld", "partie jouée", "сыграна";
        /// Choice in the dialog of a result, and behind a result: a player did not show up.
        kind_forfeit: "forfeit", "niet opgekomen", "forfait", "неявка";
        /// Choice in the dialog of a result, and behind a result.
        kind_both_lost: "both lost", "beiden verloren", "perdue pour les deux", "поражение обоим";
        /// Choice in the dialog of a result, and behind a result.
        kind_arbiter: "arbiter’s decision", "beslissing van de arbiter", "décision de l’arbitre", "решение судьи";
        /// Choice in the dialog of a result, and behind a result.
        kind_not_played: "not played", "niet gespeeld", "non jouée", "не сыграна";
        /// Choice in the dialog of a result, and behind a result: the pairing has one player.
        kind_bye: "bye", "vrij", "exempt", "свободен от игры";
        /// Behind a draw: White has the advantage of the final position.
        kind_white_plus: "plus for White", "plusremise voor wit", "avantage aux Blancs", "плюс у белых";
        /// Behind a draw: Black has the advantage of the final position.
        kind_black_plus: "plus for Black", "plusremise voor zwart", "avantage aux Noirs", "плюс у чёрных";
        /// Behind a result: the game does not count for ratings.
        kind_unrated: "unrated", "telt niet voor de rating", "hors classement Elo", "без учёта рейтинга";
    }
    counts {}
}
