//! The command that describes the event.

use std::collections::BTreeMap;

use super::{Draft, Messages};
use crate::messages::describe_event;
use crate::{Event, EventInfo, ScheduledMoment, pdn_replacement};

/// Sets the named facts of the event, and the schedule if there is one.
pub(super) fn describe(
    draft: &mut Draft,
    facts: &BTreeMap<String, String>,
    schedule: Option<&[ScheduledMoment]>,
) -> Messages {
    let mut info = draft.state.event.clone();
    let mut faults: Vec<String> = facts.iter().filter_map(|(fact, value)| info.set_fact(fact, value).err()).collect();
    faults.extend(schedule.and_then(|moments| info.set_schedule(moments).err()));
    faults.extend(info.check_days().err());
    if !faults.is_empty() {
        faults.push("nothing was changed".to_owned());
        return Err(super::Refusal::Impossible(faults));
    }
    let mut messages: Vec<String> =
        [&info.name, &info.site].into_iter().filter_map(|text| pdn_replacement(text)).collect();
    let is_first = draft.state.event == EventInfo::default() && info != EventInfo::default();
    messages.extend(is_first.then(|| describe_event(&info)));
    draft.emit(Event::EventDescribed(info))?;
    Ok(messages)
}
