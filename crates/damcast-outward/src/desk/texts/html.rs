//! Texts of the desk's HTML, which need no script. Each row has English, Dutch, French and Russian, in this order.

use crate::web::texts::texts;

texts! {
    /// Texts of the desk's HTML, in one language.
    HtmlTexts
    texts {
        /// Name of the desk: heading of the page, and name of the navigation, read aloud.
        desk: "Desk", "Wedstrijdtafel", "Table d’arbitrage", "Пульт";
        /// Link before the head, visible with the keyboard only: jumps over the navigation.
        skip: "To the boards", "Naar de borden", "Vers les damiers", "К доскам";
        /// Heading of the login form, and its button.
        log_in: "Log in", "Inloggen", "Se connecter", "Войти";
        /// Button in the head.
        log_out: "Log out", "Uitloggen", "Se déconnecter", "Выйти";
        /// Label of the field for the login code.
        code: "Code", "Code", "Code", "Код";
        /// Below the field for the login code. `{}`: a shell command.
        code_hint: "Six digits, valid for a minute. {} on the station creates one.",
            "Zes cijfers, een minuut geldig. {} op het station maakt er een.",
            "Six chiffres, valables une minute. {} sur la station en crée un.",
            "Шесть цифр, действует минуту. Код создаёт {} на станции.";
        /// Label of the field for the password.
        password: "Password", "Wachtwoord", "Mot de passe", "Пароль";
        /// Button in the head, while alarms are silent; the script replaces the text by `sound_on`.
        sound_off: "Sound off", "Geluid uit", "Son coupé", "Звук выключен";
        /// In place of everything, if the browser runs no scripts.
        no_script: "The desk needs JavaScript. `damcast ctl` and `damcast status` do the same without it.",
            "De wedstrijdtafel heeft JavaScript nodig. `damcast ctl` en `damcast status` doen hetzelfde zonder.",
            "Cette page a besoin de JavaScript. `damcast ctl` et `damcast status` font la même chose sans.",
            "Пульту нужен JavaScript. `damcast ctl` и `damcast status` делают то же без него.";
    }
    counts {}
}
