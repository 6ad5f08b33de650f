//! Texts of the studio: overlays for streams, and the page that lists them. Each row has English, Dutch, French and Russian, in this order.

use crate::web::texts::texts;

texts! {
    /// Texts of the studio, in one language.
    StudioTexts
    texts {
        /// Heading of the page, and link to it in the foot of all pages: pictures for people who stream the event.
        studio: "Studio: overlays for streams", "Studio: overlays voor streams", "Studio : habillages pour diffusions", "Студия: оверлеи для трансляций";
        /// Below the heading.
        purpose: "Paste an address into OBS as a browser source. The background is transparent; the overlay follows the games.",
            "Plak een adres in OBS als browserbron. De achtergrond is doorzichtig; de overlay volgt de partijen.",
            "Collez une adresse dans OBS comme source navigateur. Le fond est transparent ; l’habillage suit les parties.",
            "Вставьте адрес в OBS как источник «Браузер». Фон прозрачный; оверлей следит за партиями.";
        /// Label of the choice of an overlay.
        overlay: "Overlay", "Overlay", "Habillage", "Оверлей";
        /// Overlay with the board that the operator has chosen.
        featured: "Featured board", "Uitgelicht bord", "Damier à l’affiche", "Главная доска";
        /// Overlay with one board that is always the same.
        one_board: "One board", "Eén bord", "Un damier", "Одна доска";
        /// Overlay with the players of a board in a strip at the bottom of the picture.
        lower_third: "Players (lower third)", "Spelers (onderbalk)", "Joueurs (bandeau)", "Игроки (плашка)";
        /// Overlay with results and last moves of all boards in a strip.
        ticker: "Ticker: results and last moves", "Lichtkrant: uitslagen en laatste zetten", "Bandeau défilant : résultats et derniers coups", "Бегущая строка: результаты и последние ходы";
        /// Overlay without a game: no board is chosen. Read aloud only.
        none_featured: "No board is featured.", "Er is geen bord uitgelicht.", "Aucun damier n’est à l’affiche.", "Главная доска не выбрана.";
        /// In place of an overlay. `{}`: name or number of the board.
        no_board: "There is no board {} yet.", "Er is nog geen bord {}.", "Il n’y a pas encore de damier {}.", "Доски {} пока нет.";
        /// In place of an overlay with the standings. `{}`: name of the section.
        no_section: "There are no standings of {} yet.", "Er is nog geen stand van {}.", "Il n’y a pas encore de classement de {}.", "Таблицы {} пока нет.";
        /// In place of an overlay with the standings, without a tournament.
        no_standings: "There are no standings yet.", "Er is nog geen stand.", "Il n’y a pas encore de classement.", "Таблицы пока нет.";
        /// Label of the choice of a section, for its standings.
        section: "Section of the standings", "Groep van de stand", "Groupe du classement", "Группа таблицы";
        /// Label of a number, in pixels.
        width: "Width in pixels", "Breedte in pixels", "Largeur en pixels", "Ширина в пикселях";
        /// Label of a number, in pixels.
        height: "Height in pixels", "Hoogte in pixels", "Hauteur en pixels", "Высота в пикселях";
        /// Inside an empty field for a size: the overlay is as large as its window.
        of_window: "as the window", "als het venster", "comme la fenêtre", "как окно";
        /// Label of the choice between dark and light colours.
        theme: "Colours", "Kleuren", "Couleurs", "Цвета";
        /// Choice of colours.
        dark: "Dark", "Donker", "Sombres", "Тёмные";
        /// Choice of colours.
        light: "Light", "Licht", "Claires", "Светлые";
        /// Label of the field for a colour, as 1a7f37.
        accent: "Colour of the lines", "Kleur van de lijnen", "Couleur des traits", "Цвет линий";
        /// Label of the choice on which side of the names the clocks are.
        clocks: "Clocks", "Klokken", "Pendules", "Часы";
        /// Choice of the side of the clocks.
        right: "Right", "Rechts", "À droite", "Справа";
        /// Choice of the side of the clocks.
        left: "Left", "Links", "À gauche", "Слева";
        /// Choice of the side of the clocks: there are none.
        without: "None", "Geen", "Aucune", "Нет";
        /// Button: shows the overlay with the choices of the form.
        show: "Show", "Tonen", "Afficher", "Показать";
        /// Heading over the overlay as it will look.
        preview: "Preview", "Voorbeeld", "Aperçu", "Предпросмотр";
        /// Label of the address of the overlay.
        address: "Address for OBS", "Adres voor OBS", "Adresse pour OBS", "Адрес для OBS";
        /// Button beside the address.
        copy: "Copy", "Kopiëren", "Copier", "Копировать";
        /// Heading of the list of all overlays.
        all: "All overlays", "Alle overlays", "Tous les habillages", "Все оверлеи";
        /// Page in place of an overlay. `{}`: a part of the address, as width=9.
        wrong_parameter: "This address has a mistake: {}", "In dit adres zit een fout: {}", "Cette adresse contient une erreur : {}", "В адресе ошибка: {}";
        /// Below `wrong_parameter`. `{}`: examples, as theme=dark, theme=light.
        expected: "Possible: {}", "Mogelijk: {}", "Possible : {}", "Возможно: {}";
    }
    counts {}
}
