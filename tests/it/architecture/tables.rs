//! Modules of each crate and of the big folders, and what each may name.

/// Libraries that the station names like modules.
pub const LIBRARIES: [&str; 3] = ["draughts", "draughts_pdn", "draughts_tournament"];

/// Modules, and the modules that each may name.
pub type Table = &'static [(&'static str, &'static [&'static str])];

/// Every module of the station's library, and the modules it may name. A module may only name earlier ones.
pub const EDGES: Table = &[
    // the core
    ("engine/millis", &[]),
    ("engine/calendar", &["millis"]),
    ("draughts", &[]),
    ("engine/protocol", &[]),
    ("engine/bytelog", &["protocol"]),
    ("draughts_pdn", &["draughts"]),
    ("engine/profile", &["draughts", "draughts_pdn"]),
    ("draughts_tournament", &["draughts", "draughts_pdn"]),
    ("engine/game_tags", &["draughts", "draughts_pdn"]),
    ("engine/recognition", &["millis", "draughts"]),
    ("engine/livefile", &["draughts", "draughts_pdn", "game_tags"]),
    ("engine/score_sheet", &["draughts", "draughts_pdn", "livefile"]),
    (
        "engine/session",
        &[
            "millis",
            "calendar",
            "draughts",
            "protocol",
            "bytelog",
            "draughts_pdn",
            "game_tags",
            "recognition",
            "livefile",
        ],
    ),
    ("engine/playback", &["millis", "calendar", "bytelog", "livefile", "session"]),
    ("engine/broadcast", &["draughts", "draughts_pdn", "profile", "draughts_tournament", "game_tags", "livefile"]),
    // the shell
    ("station/link", &[]),
    ("station/disk", &[]),
    ("station/escape", &[]),
    (
        "station/config",
        &["draughts", "bytelog", "draughts_pdn", "profile", "session", "broadcast", "disk", "link", "escape"],
    ),
    ("station/heartbeat", &[]),
    ("station/file_problems", &[]),
    ("station/counters", &[]),
    ("station/journal", &["millis", "bytelog", "disk"]),
    ("station/tournament_log", &["draughts_tournament", "disk", "journal"]),
    ("station/live_files", &["livefile", "session", "disk"]),
    (
        "station/recorder",
        &["millis", "bytelog", "livefile", "session", "disk", "journal", "live_files", "file_problems"],
    ),
    (
        "station/outlets",
        &[
            "draughts",
            "bytelog",
            "draughts_pdn",
            "profile",
            "draughts_tournament",
            "game_tags",
            "livefile",
            "session",
            "playback",
            "broadcast",
            "disk",
            "tournament_log",
            "config",
            "heartbeat",
            "file_problems",
            "journal",
            "live_files",
        ],
    ),
    (
        "station/line",
        &[
            "millis",
            "calendar",
            "bytelog",
            "livefile",
            "session",
            "playback",
            "link",
            "disk",
            "config",
            "heartbeat",
            "file_problems",
            "counters",
            "journal",
            "live_files",
            "recorder",
            "outlets",
        ],
    ),
    (
        "station/tournament_service",
        &[
            "draughts_pdn",
            "livefile",
            "score_sheet",
            "broadcast",
            "session",
            "draughts_tournament",
            "disk",
            "journal",
            "tournament_log",
            "outlets",
        ],
    ),
    ("station/output", &["escape"]),
    ("station/operate/overview", &["draughts_pdn", "session", "file_problems", "counters", "line"]),
    ("station/operate/logging", &[]),
    ("station/operate/notify", &[]),
    ("station/operate/limits", &[]),
    ("station/operate/alarm", &["config", "file_problems", "overview"]),
    ("station/operate/metrics", &["session", "counters", "overview"]),
    (
        "station/operate/tournament_actor",
        &[
            "draughts_tournament",
            "session",
            "broadcast",
            "disk",
            "config",
            "journal",
            "live_files",
            "outlets",
            "line",
            "tournament_service",
            "overview",
        ],
    ),
    (
        "station/operate/control",
        &["session", "line", "tournament_service", "overview", "logging", "tournament_actor", "escape"],
    ),
    (
        "station/operate/supervisor",
        &[
            "session",
            "link",
            "config",
            "disk",
            "heartbeat",
            "file_problems",
            "counters",
            "journal",
            "recorder",
            "outlets",
            "line",
            "overview",
            "logging",
            "notify",
            "limits",
            "alarm",
            "metrics",
            "tournament_actor",
            "control",
        ],
    ),
    (
        "station/folder",
        &[
            "millis",
            "calendar",
            "protocol",
            "bytelog",
            "draughts_pdn",
            "profile",
            "session",
            "playback",
            "broadcast",
            "draughts_tournament",
            "tournament_log",
            "disk",
            "config",
            "journal",
            "live_files",
            "recorder",
            "outlets",
        ],
    ),
    // the public side: it reads the outlets and names nothing of the station
    ("outward/follow", &[]),
    ("outward/state_file", &[]),
    ("outward/web", &["draughts", "draughts_pdn", "follow"]),
    // except the desk, which sends operator requests to the station with the same types
    (
        "outward/desk",
        &["draughts", "draughts_pdn", "escape", "tournament_service", "overview", "control", "state_file", "web"],
    ),
    // simulated boards
    (
        "simulation",
        &[
            "millis",
            "calendar",
            "draughts",
            "protocol",
            "bytelog",
            "draughts_pdn",
            "recognition",
            "livefile",
            "session",
            "playback",
            "broadcast",
            "link",
            "disk",
            "config",
            "journal",
            "live_files",
            "outlets",
            "folder",
            "draughts_tournament",
            "tournament_log",
            "tournament_service",
            "tournament_actor",
        ],
    ),
];

/// Files of the game library.
pub const DRAUGHTS: Table = &[
    ("draw_rules", &[]),
    ("piece", &[]),
    ("square", &[]),
    ("game_type", &["piece"]),
    ("moves", &["square"]),
    ("results", &["piece"]),
    ("geometry", &["piece", "square", "game_type"]),
    ("ruleset", &["geometry"]),
    ("variant_table", &["draw_rules", "piece", "game_type", "results", "ruleset"]),
    ("tag", &["piece", "square", "game_type", "variant_table"]),
    (
        "variant",
        &["draw_rules", "piece", "square", "game_type", "results", "geometry", "ruleset", "variant_table", "tag"],
    ),
    ("position", &["piece", "square", "moves", "variant"]),
    ("captures", &["piece", "square", "moves", "geometry", "ruleset", "variant", "position"]),
    ("draws", &["draw_rules", "piece", "square", "moves", "variant", "position"]),
    ("perft", &["moves", "position"]),
    ("lookup", &["square", "moves", "geometry", "ruleset", "position", "captures"]),
    ("movegen", &["piece", "square", "moves", "geometry", "ruleset", "variant", "position", "captures"]),
];

/// Files of the notation library: values, reading, checking, writing, in this order.
pub const DRAUGHTS_PDN: Table = &[
    ("value/clock", &[]),
    ("value/game", &[]),
    ("value/notation", &[]),
    ("value/tag", &[]),
    ("value/time_control", &[]),
    ("value/fen", &["notation"]),
    ("value/tag_values", &["game"]),
    ("read/encoding", &[]),
    ("read/problem", &[]),
    ("read/words", &[]),
    ("read/lexer", &["problem", "words"]),
    ("read/syntax", &["game", "tag", "tag_values", "problem", "words", "lexer"]),
    ("read/plain", &["game", "problem", "words", "lexer", "syntax"]),
    ("read/scan", &["encoding", "problem", "lexer", "syntax"]),
    ("read/reader", &["game", "encoding", "problem", "lexer", "syntax", "scan"]),
    ("check/tape", &["game", "problem", "syntax"]),
    ("check/replay", &["game", "notation", "fen", "problem", "reader"]),
    ("check/infer", &["game", "tag_values", "problem", "reader", "replay"]),
    ("check/checked", &["encoding", "problem", "syntax", "scan", "reader", "tape", "replay", "infer"]),
    (
        "check/strict",
        &[
            "game",
            "notation",
            "tag",
            "time_control",
            "fen",
            "tag_values",
            "encoding",
            "problem",
            "words",
            "lexer",
            "syntax",
            "scan",
            "reader",
            "replay",
            "infer",
        ],
    ),
    ("write/writer", &["game", "notation", "tag", "syntax"]),
    ("write/pdn2", &["game", "tag_values", "encoding", "problem", "writer"]),
    ("write/renumber", &["game", "fen", "problem", "replay"]),
    (
        "write/standard",
        &[
            "game",
            "notation",
            "tag",
            "time_control",
            "fen",
            "tag_values",
            "problem",
            "syntax",
            "reader",
            "replay",
            "infer",
            "strict",
            "writer",
        ],
    ),
];

/// Parts of the tournament library; all of them name its values.
pub const DRAUGHTS_TOURNAMENT: Table = &[
    ("berger", &[]),
    ("event", &[]),
    ("state", &[]),
    ("standings", &[]),
    ("messages", &[]),
    ("dry_run", &["standings"]),
    ("import", &[]),
    ("export", &["import"]),
    ("command", &["messages", "import"]),
];

/// Files of the recorder of one line.
pub const SESSION: Table = &[
    ("notes", &[]),
    ("clock_filter", &[]),
    ("codes", &[]),
    ("question_queue", &[]),
    ("endings", &[]),
    ("delayed_event", &[]),
    ("from_header", &[]),
    ("hold", &[]),
    ("identity", &[]),
    ("lever", &[]),
    ("request", &[]),
    ("result_piece", &[]),
    ("wait", &[]),
    ("record", &["request"]),
    ("game", &["endings"]),
    ("sensors", &["codes", "result_piece"]),
    ("settings", &["codes"]),
    (
        "table",
        &["notes", "clock_filter", "delayed_event", "lever", "request", "result_piece", "wait", "game", "sensors"],
    ),
    ("catchup", &["delayed_event", "hold", "request", "sensors", "table"]),
    ("single_board", &["question_queue", "delayed_event", "hold", "identity", "request", "wait", "table", "catchup"]),
    ("bus", &["delayed_event", "hold", "request", "wait", "table", "catchup"]),
];

/// Recognition: its folders, and the modules that all of them name.
pub const RECOGNITION: Table = &[
    ("tuning", &[]),
    ("settings", &[]),
    ("verdict", &[]),
    ("wait", &[]),
    ("rationale", &["wait"]),
    ("evidence", &["tuning", "settings", "verdict"]),
    ("search", &["tuning", "verdict", "evidence"]),
    ("decide", &["tuning", "settings", "verdict", "wait", "rationale", "evidence", "search"]),
];

/// Observations and publication.
pub const EVIDENCE: Table = &[
    ("presses", &[]),
    ("occupancy", &[]),
    ("squares", &["occupancy"]),
    ("anomalies", &["squares"]),
    ("chronology", &["occupancy", "squares"]),
    ("published", &["anomalies", "occupancy", "squares"]),
    ("missed_events", &["squares"]),
    ("facts", &["chronology", "presses", "published", "squares", "missed_events"]),
];

/// Search for possible moves.
pub const SEARCH: Table = &[
    ("budget", &[]),
    ("explain", &[]),
    ("interpretations", &[]),
    ("searcher", &["budget", "explain", "interpretations"]),
];

/// Decisions.
pub const DECIDE: Table = &[
    ("kings", &[]),
    ("accepted_positions", &[]),
    ("origin", &["kings", "accepted_positions"]),
    ("proposal", &["kings", "accepted_positions"]),
    ("waiting_rules", &["proposal"]),
    ("forecast", &["proposal"]),
    ("resumption", &["kings", "origin", "proposal", "accepted_positions"]),
    ("fallback", &["waiting_rules", "forecast", "proposal", "resumption", "accepted_positions"]),
    ("publish", &["waiting_rules", "proposal", "accepted_positions"]),
    ("recogniser", &["waiting_rules", "fallback", "kings", "forecast", "proposal", "publish", "accepted_positions"]),
];

/// Files of a table: its values, and the start and end of its games.
pub const TABLE: Table = &[
    ("board_model", &[]),
    ("game_sequence", &[]),
    ("clock", &["board_model"]),
    ("live_updates", &["board_model", "game_sequence", "clock"]),
    ("ending", &["clock"]),
    ("start", &["board_model", "game_sequence", "clock"]),
    ("status", &["board_model", "game_sequence", "clock", "start"]),
    ("requests", &[]),
];

/// The public documents: the record of games and of the tournament, the delay, and the files.
pub const BROADCAST: Table = &[
    ("hidden_names", &[]),
    ("json", &[]),
    ("record", &[]),
    ("delay", &["record"]),
    ("snapshot", &["record"]),
    ("archive", &["record", "snapshot"]),
    ("events", &["json", "record"]),
    ("tournament_history", &["hidden_names", "json", "events"]),
    ("documents", &["json"]),
];

/// Logs on the disk.
pub const JOURNAL: Table = &[
    ("chained", &[]),
    ("witness", &["chained"]),
    ("commits", &["chained", "witness"]),
    ("holes", &[]),
    ("logs", &[]),
    ("chain", &["holes", "logs"]),
    ("history", &["chain"]),
    ("rescue", &["commits"]),
];

/// Files for readers.
pub const OUTLETS: Table = &[
    ("finished_files", &[]),
    ("order", &[]),
    ("plan", &[]),
    ("streams", &[]),
    ("boards", &["plan"]),
    ("rounds", &["boards"]),
    ("events_file", &["order", "streams"]),
    ("files", &["boards", "plan", "rounds"]),
    ("outlet", &["boards", "events_file", "files", "order", "plan", "streams"]),
];

/// Crates and big modules whose files have a direction: their sources, and their table.
pub const CRATES: &[(&str, Table)] = &[
    ("crates/draughts/src", DRAUGHTS),
    ("crates/draughts-pdn/src", DRAUGHTS_PDN),
    ("crates/draughts-tournament/src", DRAUGHTS_TOURNAMENT),
    ("src", EDGES),
    ("src/engine/recognition", RECOGNITION),
    ("src/engine/recognition/evidence", EVIDENCE),
    ("src/engine/recognition/search", SEARCH),
    ("src/engine/recognition/decide", DECIDE),
    ("src/engine/session", SESSION),
    ("src/engine/session/table", TABLE),
    ("src/engine/broadcast", BROADCAST),
    ("src/station/journal", JOURNAL),
    ("src/station/outlets", OUTLETS),
];

/// Folders of these crates that contain modules only.
pub const FOLDERS: &[&str] = &["engine", "station", "station/operate", "outward", "value", "read", "check", "write"];
