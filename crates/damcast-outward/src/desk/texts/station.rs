//! Texts of `station.js`: the log, the station and its users. Each row has English, Dutch, French and Russian, in this order.

use crate::web::texts::texts;

texts! {
    /// Texts about the log, the station and its users, in one language.
    StationTexts
    texts {
        // The log.
        /// Tab of the desk.
        log: "Log", "Logboek", "Journal", "Журнал";
        /// Heading of the log.
        audit_log: "Who did what", "Wie deed wat", "Qui a fait quoi", "Кто что сделал";
        /// Name of the table of the log, read aloud.
        newest_first: "Who did what, newest first", "Wie deed wat, nieuwste eerst", "Qui a fait quoi, le plus récent d’abord", "Кто что сделал, сначала новое";
        /// Heading of a column of the log.
        time: "Time", "Tijd", "Heure", "Время";
        /// Heading of a column of the log and of the list of users.
        user: "User", "Gebruiker", "Utilisateur", "Пользователь";
        /// Heading of a column of the log.
        action: "Action", "Actie", "Action", "Действие";
        /// Heading of a column of the log: the answer of the station.
        outcome: "Outcome", "Resultaat", "Résultat", "Итог";
        /// Outcome in the log. `{}`: the English reason.
        refused: "refused: {}", "geweigerd: {}", "refusé : {}", "отклонено: {}";
        /// In place of the log.
        log_empty: "Nothing was done yet.", "Er is nog niets gedaan.", "Rien n’a encore été fait.", "Ничего ещё не сделано.";

        // Alarms, lines, folders.
        /// Tab of the desk; place of an alarm that concerns no board.
        station: "Station", "Station", "Station", "Станция";
        /// Heading of a column: the time at which an alarm or a session started.
        since_column: "Since", "Sinds", "Depuis", "С";
        /// Heading of a column of alarms: a board, or a file.
        place: "Where", "Waar", "Où", "Где";
        /// Heading of a column of alarms: an English sentence.
        description: "Description", "Omschrijving", "Description", "Описание";
        /// Heading of the list of lines; a line is a port with one or more boards.
        lines: "Lines", "Lijnen", "Lignes", "Линии";
        /// Heading of a column: name of a line.
        line: "Line", "Lijn", "Ligne", "Линия";
        /// Heading of a column of lines: the serial port.
        port: "Port", "Poort", "Port", "Порт";
        /// Heading of a column of lines: whether the port is connected.
        link: "Link", "Verbinding", "Liaison", "Связь";
        /// Heading of a column of lines and of folders.
        state: "State", "Toestand", "État", "Состояние";
        /// Heading of a column of lines: number of recorded plies; a ply is a move of one side.
        plies_column: "Plies", "Halve zetten", "Demi-coups", "Полуходы";
        /// Heading of a column of lines: number of positions that operators entered, or that the station took from a board.
        set_ups: "Set-up positions", "Opgezette standen", "Positions saisies", "Заданные позиции";
        /// Heading of a column of lines: bytes that belong to no message.
        noise: "Noise, bytes", "Ruis, bytes", "Bruit, octets", "Помехи, байты";
        /// Heading of a column of lines: number of damaged messages.
        checksums: "Wrong checksums", "Foute controlegetallen", "Sommes de contrôle fausses", "Неверные контрольные суммы";
        /// Heading of a column of lines: English remarks.
        notes: "Notes", "Opmerkingen", "Remarques", "Примечания";
        /// Name of the table of outlets, read aloud; an outlet is a folder of files for viewers and programs.
        outlets: "Outlets", "Publicatiemappen", "Dossiers de publication", "Папки публикации";
        /// Heading of a column: name of an outlet.
        outlet: "Outlet", "Publicatiemap", "Dossier de publication", "Папка публикации";
        /// Heading of a column of outlets: path of the folder.
        folder: "Folder", "Pad", "Chemin", "Путь";
        /// Heading of a column of outlets: how much later moves appear there.
        delay: "Delay", "Vertraging", "Décalage", "Задержка";
        /// Delay of an outlet.
        no_delay: "none", "geen", "aucun", "нет";
        /// State of an outlet.
        outlet_active: "active", "actief", "actif", "работает";
        /// Below the outlets. `{}`: as “5 viewers”; `{}`: as “5 connections”; `{}`: number of refused connections.
        viewers_connected: "Viewers’ pages: {}, {}, {} refused.",
            "Kijkerspagina’s: {}, {}, {} geweigerd.",
            "Pages des spectateurs : {}, {}, {} refusées.",
            "Страницы для зрителей: {}, {}, отказано: {}.";
        /// Below the outlets. `{}`, `{}`: gigabytes that are free, and all; `{}`: path of the folder of recordings.
        recording_disk: "Disk: {} of {} GB are free. Recordings go to {}.",
            "Schijf: {} van {} GB zijn vrij. Opnamen komen in {}.",
            "Disque : {} Go libres sur {}. Enregistrements dans {}.",
            "Диск: свободно {} из {} ГБ. Записи в {}.";

        // Address of the viewers’ pages.
        /// Heading, above a QR code.
        viewers_address: "Address for viewers", "Adres voor kijkers", "Adresse pour les spectateurs", "Адрес для зрителей";
        /// In place of the QR code. The word “viewers” and [desk] are names in the configuration.
        viewers_local: "Only this machine reaches the viewers’ pages, so there is no code for phones. Set “viewers” of [desk] to another address.",
            "Alleen deze machine bereikt de kijkerspagina’s; daarom is er geen code voor telefoons. Zet “viewers” van [desk] op een ander adres.",
            "Seule cette machine atteint les pages des spectateurs : il n’y a donc pas de code pour téléphones. Indiquez une autre adresse dans « viewers » de [desk].",
            "Страницы для зрителей доступны только этой машине. Другой адрес задаёт «viewers» в [desk].";
        /// In place of the QR code. The word “viewers” and [desk] are names in the configuration.
        viewers_address_unknown: "The address of the viewers’ pages is unknown. Set “viewers” of [desk] to it.",
            "Het adres van de kijkerspagina’s is onbekend. Zet het in “viewers” van [desk].",
            "L’adresse des pages des spectateurs est inconnue. Indiquez-la dans « viewers » de [desk].",
            "Адрес страниц для зрителей неизвестен. Его задаёт «viewers» в [desk].";

        // Configuration, alarm command, messages.
        /// Heading of the buttons for the configuration.
        configuration: "Configuration", "Configuratie", "Configuration", "Настройки";
        /// Below `configuration`. `{}`: version of damcast; `{}`: date and time.
        started: "damcast {}, started {}.", "damcast {}, gestart {}.", "damcast {}, démarré {}.", "damcast {}, запущен {}.";
        /// Below `configuration`, before the English outcome. `{}`: a time.
        reloaded_at: "Reloaded at {}: ", "Opnieuw gelezen om {}: ", "Relue à {} : ", "Прочитаны заново в {}: ";
        /// Button, title of its dialog and its button.
        reload: "Reload the configuration", "Configuratie opnieuw lezen", "Relire la configuration", "Прочесть настройки заново";
        /// Effect of `reload`.
        reload_effect: "Games continue. A configuration with errors changes nothing.",
            "Partijen gaan door. Een configuratie met fouten verandert niets.",
            "Les parties continuent. Une configuration erronée ne change rien.",
            "Партии продолжаются. Настройки с ошибками ничего не меняют.";
        /// Button, title of its dialog and its button: runs the command of the configuration that reports alarms.
        test_alarm: "Test the alarm command", "Alarmopdracht testen", "Tester la commande d’alarme", "Проверить команду оповещения";
        /// Effect of `test_alarm`.
        test_alarm_effect: "The station runs the alarm command as for a real alarm.",
            "Het station voert de alarmopdracht uit zoals bij een echt alarm.",
            "La station lance la commande d’alarme comme pour une vraie alarme.",
            "Станция запускает команду, как при оповещении.";
        /// Button, and title of its dialog: which messages the station writes to its log.
        messages: "Log messages", "Logmeldingen", "Messages du journal", "Сообщения журнала";
        /// Button of the dialog `messages`.
        messages_verb: "Apply", "Toepassen", "Appliquer", "Применить";
        /// Label of a field in the dialog `messages`.
        level: "Level", "Niveau", "Niveau", "Уровень";
        /// Below `level`. The words in parentheses and “reset” are typed as they are, in every language.
        level_hint: "A level (error, warn, info, debug, trace), MODULE=LEVEL, or reset. Leave empty to show the active levels.",
            "Een niveau (error, warn, info, debug, trace), MODULE=NIVEAU, of reset. Leeg laten toont de actieve niveaus.",
            "Un niveau (error, warn, info, debug, trace), MODULE=NIVEAU, ou reset. Champ vide : montre les niveaux actifs.",
            "error, warn, info, debug, trace, МОДУЛЬ=УРОВЕНЬ или reset. Пустое поле: показать действующие.";
        /// Effect of `messages`. `{}`: the text of the field.
        level_effect: "The station logs messages at {}.", "Het station logt meldingen op {}.", "La station journalise au niveau {}.", "Станция пишет сообщения уровня {}.";
        /// Effect of `messages`, if the field is empty.
        level_query: "Shows the active levels.", "Toont de actieve niveaus.", "Montre les niveaux actifs.", "Покажет действующие уровни.";

        // Users.
        /// Heading of the list of users.
        users: "Users", "Gebruikers", "Utilisateurs", "Пользователи";
        /// Name of the table of users, read aloud.
        logged_in: "Users who are logged in", "Ingelogde gebruikers", "Utilisateurs connectés", "Пользователи в сети";
        /// Heading of a column of users, and label of a choice: operator or arbiter.
        role: "Role", "Rol", "Rôle", "Роль";
        /// Heading of a column of users: the network address.
        address: "Address", "Adres", "Adresse", "Адрес";
        /// Heading of a column of users: number of pages that are open.
        open_pages: "Pages", "Pagina’s", "Pages", "Страницы";
        /// In the row of a user, in place of `end_session`.
        this_is_you: "this is you", "dit bent u", "c’est vous", "это вы";
        /// Button in the row of a user: logs that user out.
        end_session: "End session", "Sessie beëindigen", "Fermer la session", "Завершить сеанс";
        /// Button, and title of its dialog.
        code_for: "Code for another user", "Code voor een andere gebruiker", "Code pour un autre utilisateur", "Код для другого пользователя";
        /// Below the field for the name of the other user.
        code_name_hint: "Logged with every request of this user.",
            "Staat in het logboek bij elk verzoek van deze gebruiker.",
            "Figure au journal avec chaque demande de cet utilisateur.",
            "Записывается в журнал с каждым запросом.";
        /// Choice under `role`.
        arbiter_may: "Arbiter: results, names, rounds", "Arbiter: uitslagen, namen, rondes", "Arbitre : résultats, noms, rondes", "Судья: результаты, имена, туры";
        /// Choice under `role`.
        operator_may: "Operator: everything", "Operator: alles", "Opérateur : tout", "Оператор: всё";
        /// Button of the dialog `code_for`.
        make_code: "Create a code", "Code maken", "Créer un code", "Создать код";
        /// Effect of `make_code`.
        code_effect: "Creates a six-digit code. It is valid for one login within a minute.",
            "Maakt een code van zes cijfers, geldig voor één keer inloggen binnen een minuut.",
            "Crée un code de six chiffres, valable pour une connexion dans la minute.",
            "Создаёт код из шести цифр для одного входа в течение минуты.";
        /// Bar above the page. `{}`: the code.
        code_is: "The code is {}. It is valid for one login within a minute.",
            "De code is {}, geldig voor één keer inloggen binnen een minuut.",
            "Le code est {}, valable pour une connexion dans la minute.",
            "Код {}. Он действует для одного входа в течение минуты.";
    }
    counts {
        /// Part of `viewers_connected`. `{}`: number of viewers.
        number_of_viewers: "{} viewer" "{} viewers", "{} kijker" "{} kijkers", "{} spectateur" "{} spectateurs", "{} зритель" "{} зрителя" "{} зрителей";
        /// Part of `viewers_connected`. `{}`: number of connections.
        connections: "{} connection" "{} connections", "{} verbinding" "{} verbindingen", "{} connexion" "{} connexions",
            "{} соединение" "{} соединения" "{} соединений";
    }
}
