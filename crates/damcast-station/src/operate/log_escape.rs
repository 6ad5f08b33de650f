//! Escapes the texts of log messages, so that a name or a reason from outside cannot begin a line of its own or control the terminal.

use std::borrow::Cow;
use std::fmt;

use damcast_control::escape;
use tracing::field::{Field, Value, Visit, display};
use tracing::subscriber::Interest;
use tracing::{Event, Metadata, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context;
use tracing_subscriber::registry::LookupSpan;

/// A layer that receives events with escaped texts.
pub struct Escaped<L>(pub L);

/// Values of the fields of an event that are texts.
#[derive(Default)]
struct Texts {
    values: Vec<(Field, FieldText)>,
    needs_escape: bool,
}

enum FieldText {
    /// Written in quotes.
    Quoted(String),
    Plain(String),
}

impl Texts {
    fn add(&mut self, field: &Field, text: &str, kind: fn(String) -> FieldText) {
        let shown = escape_line(text);
        self.needs_escape |= matches!(shown, Cow::Owned(_));
        self.values.push((field.clone(), kind(shown.into_owned())));
    }
}

impl Visit for Texts {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.add(field, value, FieldText::Quoted);
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.add(field, &format!("{value:?}"), FieldText::Plain);
    }
}

/// Escapes line feeds and tabs too.
fn escape_line(text: &str) -> Cow<'_, str> {
    match escape::escape_text(text) {
        shown if shown.contains(['\n', '\t']) => Cow::Owned(shown.replace('\n', "\\n").replace('\t', "\\t")),
        shown => shown,
    }
}

impl<S: Subscriber + for<'s> LookupSpan<'s>, L: Layer<S>> Layer<S> for Escaped<L> {
    fn on_layer(&mut self, subscriber: &mut S) {
        self.0.on_layer(subscriber);
    }

    fn register_callsite(&self, metadata: &'static Metadata<'static>) -> Interest {
        self.0.register_callsite(metadata)
    }

    fn on_event(&self, event: &Event<'_>, context: Context<'_, S>) {
        let mut texts = Texts::default();
        event.record(&mut texts);
        if !texts.needs_escape {
            return self.0.on_event(event, context);
        }
        let plain: Vec<_> = texts.values.iter().map(|(_, text)| display(text)).collect();
        let values: Vec<Option<&dyn Value>> = event
            .metadata()
            .fields()
            .iter()
            .map(|field| {
                let at = texts.values.iter().position(|(known, _)| *known == field)?;
                Some(match &texts.values[at].1 {
                    FieldText::Quoted(text) => text as &dyn Value,
                    FieldText::Plain(_) => &plain[at],
                })
            })
            .collect();
        self.0.on_event(&Event::new(event.metadata(), &event.metadata().fields().value_set_all(&values)), context);
    }
}

impl fmt::Display for FieldText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (FieldText::Quoted(text) | FieldText::Plain(text)) = self;
        f.write_str(text)
    }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::{Arc, Mutex};

    use tracing_subscriber::layer::SubscriberExt;

    use super::*;

    #[derive(Clone, Default)]
    struct Output(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Output {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn text_from_outside_stays_on_its_line() {
        let output = Output::default();
        let writer = output.clone();
        let layer =
            tracing_subscriber::fmt::layer().with_ansi(false).without_time().with_writer(move || writer.clone());
        let forged = "1-0\n2027-07-10T09:30:00Z  INFO request of root: \u{1b}[2Jresult";
        tracing::subscriber::with_default(tracing_subscriber::registry().with(Escaped(layer)), || {
            tracing::warn!(line = "a\nb", plies = 3, "request of {forged}");
            tracing::info!(line = "board-1", "as it is");
        });
        let text = String::from_utf8(output.0.lock().unwrap().clone()).unwrap();
        assert_eq!(text.lines().count(), 2, "{text}");
        assert!(
            text.contains(r#"request of 1-0\n2027-07-10T09:30:00Z  INFO request of root: \u001b[2Jresult"#),
            "{text}"
        );
        assert!(text.contains("plies=3") && text.contains(r#"as it is line="board-1""#), "{text}");
    }
}
