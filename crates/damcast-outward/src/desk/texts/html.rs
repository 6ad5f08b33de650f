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
        /// Below the field for the login code.
        code_hint: "Six digits, valid for a minute. An operator who is logged in makes one on the page Station; the first comes from the station’s computer.",
            "Zes cijfers, een minuut geldig. Een operator die is ingelogd maakt er een op de pagina Station; de eerste komt van de computer van het station.",
            "Six chiffres, valables une minute. Un opérateur connecté en crée un à la page Station ; le premier vient de l’ordinateur de la station.",
            "Шесть цифр, действует минуту. Код создаёт оператор на странице «Станция»; первый — компьютер станции.";
        /// Label of the field for the password.
        password: "Password", "Wachtwoord", "Mot de passe", "Пароль";
        /// Button in the head, while alarms are silent; the script replaces the text by `sound_on`.
        sound_off: "Sound off", "Geluid uit", "Son coupé", "Звук выключен";
        /// In place of everything, if the browser runs no scripts.
        no_script: "The desk needs JavaScript: allow it for this address.",
            "De wedstrijdtafel heeft JavaScript nodig: sta het toe voor dit adres.",
            "Cette page a besoin de JavaScript : autorisez-le pour cette adresse.",
            "Пульту нужен JavaScript: разрешите его для этого адреса.";
    }
    counts {}
}
