//! One step of every name of every section, for the tests of whoever writes or reads them.

use model::Time;
use model::section::AnyStep;

use crate::approvals::{Approval, ApprovalState, ApprovalStep, OverrideStep};
use crate::change::Change;
use crate::discipline::{
    ComplianceStep, Guidance, HintStep, HydrationStep, KnowledgeStep, SkillStep, Standing, TaskStep,
};
use crate::tickets::{Ticket, TicketState, TicketStep};

/// One step of every name, with nothing left out.
#[must_use]
pub fn samples() -> Vec<AnyStep> {
    let mut all = Vec::new();
    for (_, state) in ApprovalState::NAMES {
        for tries in [0, 2] {
            let to = Approval {
                id: "A7F3".into(),
                code: "kestrel-42".into(),
                state: *state,
                tag: "rules/git.discard".into(),
                by: model::GrantLevel::Terminal,
                needs: model::GrantLevel::Key,
                tries,
                ..Approval::default()
            };
            all.push(ApprovalStep(Change { from: None, to }).into());
        }
    }
    for (_, state) in TicketState::NAMES {
        let to = Ticket {
            id: "R1".into(),
            kind: "x:reviewer".into(),
            state: *state,
            why: "what is reviewed changed".into(),
            ..Ticket::default()
        };
        all.push(TicketStep(Change { from: None, to }).into());
    }
    let (text, line) = (|| "some text".to_owned(), || "a line".to_owned());
    let time = Time(1_700_000_000_000);
    let fault = text();
    all.extend([
        OverrideStep::Overridden { fault }.into(),
        TaskStep::Prompted {
            text: text(),
            scope: true,
        }
        .into(),
        TaskStep::Called {
            line: line(),
            error: text(),
            touched: line(),
        }
        .into(),
        HydrationStep::Reset {}.into(),
        HydrationStep::Armed {
            request: line(),
            bytes: 7,
            time,
        }
        .into(),
        HydrationStep::Started { call: 9 }.into(),
        HydrationStep::Runs { agent: line() }.into(),
        HydrationStep::Answered {
            guidance: Box::new(Guidance::default()),
            note: text(),
            time,
        }
        .into(),
        HydrationStep::Held { time }.into(),
        HydrationStep::Released {}.into(),
        SkillStep::Loaded { name: line() }.into(),
        SkillStep::Drifted { name: line() }.into(),
        ComplianceStep::Reset {}.into(),
        ComplianceStep::Counted {}.into(),
        ComplianceStep::Held { time }.into(),
        ComplianceStep::Checked {
            standing: Standing::Block,
            words: text(),
            time,
        }
        .into(),
        KnowledgeStep::Learned { line: line() }.into(),
        KnowledgeStep::Stopped {}.into(),
        KnowledgeStep::Offered {}.into(),
        HintStep::Hinted {
            why: vec![line()],
            lines: vec![3],
            withheld: true,
        }
        .into(),
    ]);
    all
}
