//! What a session and a project are asked as a whole.

use model::section::{Section, Sections};
use model::{Project, Session, Time};

use super::*;

/// A session that remembers this.
fn session(section: &impl Section) -> Session {
    let mut sections = Sections::default();
    sections.put(section);
    Session {
        sections,
        ..Session::default()
    }
}

/// A project that remembers this.
fn project(section: &impl Section) -> Project {
    let Session { sections, .. } = session(section);
    Project {
        sections,
        ..Project::default()
    }
}

#[test]
fn a_session_with_a_question_or_a_verdict_is_contested() {
    use approvals::{Approval, Approvals};
    use tickets::{Ticket, Tickets};
    let questions = |list| {
        session(&Approvals {
            list,
            ..Approvals::default()
        })
    };
    let verdicts = |list| session(&Tickets { list });
    for (session, is) in [
        (Session::default(), false),
        (questions(Vec::new()), false),
        (verdicts(Vec::new()), false),
        (questions(vec![Approval::default()]), true),
        (verdicts(vec![Ticket::default()]), true),
    ] {
        assert_eq!(is_contested(&session), is, "{session:?}");
    }
    let mut both = questions(vec![Approval::default()]);
    both.sections.put(&Tickets {
        list: vec![Ticket::default()],
    });
    assert!(is_contested(&both));
}

/// Whether what was put into a session comes out of it again.
fn is_kept<T: Section>(kept: &T, of: impl Fn(&Session) -> T) -> bool {
    assert_ne!(*kept, T::default(), "{} says nothing", T::NAME);
    of(&session(kept)) == *kept && of(&Session::default()) == T::default()
}

#[test]
fn what_a_session_remembers_is_asked_by_its_section() {
    let text = || "a".to_owned();
    let altered = altered::Altered {
        calls: vec![altered::AlteredCall::default()],
    };
    assert!(is_kept(&altered, altered::Altered::of));
    let breaker = breaker::Breaker {
        tokens: 1,
        ..breaker::Breaker::default()
    };
    assert!(is_kept(&breaker, breaker::Breaker::of));
    let edits = edits::Edits {
        files: vec![model::EditedFile::default()],
    };
    assert!(is_kept(&edits, edits::Edits::of));
    let moved = moved::Moved {
        paths: vec![text()],
        ..moved::Moved::default()
    };
    assert!(is_kept(&moved, moved::Moved::of));
    let observations = observations::Observations {
        count: 1,
        ..observations::Observations::default()
    };
    assert!(is_kept(&observations, observations::Observations::of));
    let reviews = reviews::Reviews {
        held: 1,
        ..reviews::Reviews::default()
    };
    assert!(is_kept(&reviews, reviews::Reviews::of));
    let evidence = test_evidence::Evidence {
        edited: Time(1),
        ..test_evidence::Evidence::default()
    };
    assert!(is_kept(&evidence, test_evidence::Evidence::of));
}

#[test]
fn what_a_project_remembers_is_asked_by_its_section() {
    let streaks = streaks::Streaks {
        right: 1,
        ..streaks::Streaks::default()
    };
    assert_eq!(streaks::Streaks::of(&project(&streaks)), streaks);
    let strikes = strikes::Strikes {
        denials: vec![strikes::Denial::default()],
        ..strikes::Strikes::default()
    };
    assert_eq!(strikes::Strikes::of(&project(&strikes)), strikes);
}
