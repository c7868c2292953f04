//! How far back a tool of migrations is told to go. A few steps back on a database that nobody
//! else works with is what people do all day; to the beginning, to a point whose distance is not
//! known, or where others work, it takes what later migrations brought.

use super::super::table::{Row, destroys};
use super::super::throwaway::{is_live, is_throwaway};

use crate::Invocation;
use model::ResourceKind;

/// Most steps that are a few.
const FEW: u32 = 3;

/// A subcommand that goes back.
struct Way {
    /// The programs that have it, parted by spaces.
    programs: &'static str,
    /// The subcommand; the words stand side by side.
    words: &'static str,
    /// How many steps.
    count: Count,
    /// Options by which it goes to a point whose distance is not known.
    far: &'static str,
}

/// Where the number of steps stands.
enum Count {
    /// One step, always.
    One,
    /// The value of one of these options or settings (`STEP=3`); without it one step.
    Named(&'static str),
    /// The next word, which is relative (`-1`); without it one step.
    Relative,
    /// The next word; without it all steps.
    Next,
    /// As far as the next word says: `first` and `0` are the beginning, others may be ahead.
    Point,
    /// The same, as the value of a setting.
    PointNamed(&'static str),
    /// To a point whose distance is not known.
    Unknown,
}

const fn way(programs: &'static str, words: &'static str, count: Count) -> Way {
    Way {
        programs,
        words,
        count,
        far: "",
    }
}

impl Way {
    const fn far(self, far: &'static str) -> Self {
        Self { far, ..self }
    }
}

use Count::{Named, Next, One, Point, PointNamed, Relative, Unknown};

const WAYS: &[Way] = &[
    way("ace", "migration:rollback", Named("--step")).far("--batch"),
    way("aerich", "downgrade", Named("-v --version")),
    way("alembic", "downgrade", Relative),
    way("artisan", "migrate:rollback", Named("--step")).far("--batch"),
    way("atlas", "migrate down", Named("--amount")).far("--to-version --to-tag"),
    way("console", "doctrine:migrations:migrate", Point),
    way("dbmate", "down", One),
    way("dbmate", "rollback", One),
    way("diesel", "migration revert", Named("-n --number")).far("-a --all"),
    way("flask superset", "db downgrade", Relative),
    way("flyway", "undo", One).far("-target"),
    way("goose", "down", One),
    way("goose", "down-to", Unknown),
    way("knex", "migrate:rollback", One).far("--all"),
    way("liquibase", "rollback", Unknown),
    way("liquibase", "rollback-count", Next),
    way("liquibase", "rollback-to-date", Unknown),
    way("liquibase", "rollbackCount", Next),
    way("migrate", "down", Next).far("-all --all"),
    way("mikro-orm", "migration:down", One).far("--to -t"),
    way("mix", "ecto.rollback", Named("-n --step")).far("--all --to -v --to-exclusive"),
    way("phinx", "rollback", One).far("-t --target -d --date"),
    way("rails rake", "db:migrate", PointNamed("VERSION")),
    way("rails rake", "db:rollback", Named("STEP")),
    way("sea-orm-cli", "migrate down", Named("-n --num")),
    way("sequelize sequelize-cli", "db:migrate:undo", One).far("--to"),
    way("sqlx", "migrate revert", One).far("--target-version"),
    way(
        "typeorm typeorm-ts-node-commonjs typeorm-ts-node-esm",
        "migration:revert",
        One,
    ),
];

/// Whether a command goes back, and what that is then: a row for what it takes, or `None` where it
/// takes nothing of worth.
pub(super) fn back(invocation: &Invocation) -> Option<Option<Row>> {
    let words: Vec<&str> = invocation
        .args
        .iter()
        .map(|arg| arg.text.as_str())
        .collect();
    let program = invocation.program.as_str();
    let mut fitting = WAYS
        .iter()
        .filter(|way| way.programs.split(' ').any(|name| name == program));
    let (way, rest) = fitting.find_map(|way| Some((way, after(&words, way.words)?)))?;
    let far = match steps(way, &words, rest, invocation)? {
        Some(steps) => steps > FEW,
        None => true,
    };
    let takes = (far || is_live(invocation)) && !is_throwaway(invocation);
    let row = destroys(way.words, ResourceKind::Db, "what later migrations brought");
    Some(takes.then_some(row))
}

/// How many steps back: `None` = it need not go back at all, `Some(None)` = far.
fn steps(way: &Way, words: &[&str], rest: &[&str], invocation: &Invocation) -> Option<Option<u32>> {
    let is_far = |word: &&str| {
        let name = word.split('=').next().unwrap_or_default();
        !name.is_empty() && way.far.split(' ').any(|option| option == name)
    };
    if words.iter().any(is_far) {
        return Some(None);
    }
    let named = |names: &str| {
        let given = names.split(' ').find_map(|name| value(words, name));
        given.or_else(|| invocation.var(names).map(|value| value.text.as_str()))
    };
    let next = || rest.iter().copied().find(|word| !word.starts_with("--"));
    let beginning = |point: &str| matches!(point, "0" | "first").then_some(None);
    match way.count {
        One => Some(Some(1)),
        Unknown => Some(None),
        Named(names) => Some(named(names).map_or(Some(1), count)),
        Relative => Some(match next() {
            None => Some(1),
            Some(point) if point.starts_with('-') => number(point),
            Some(_) => None,
        }),
        Next => Some(next().and_then(number)),
        Point => match next()? {
            "prev" => Some(Some(1)),
            point => beginning(point),
        },
        PointNamed(name) => beginning(named(name)?),
    }
}

/// A number of steps; to the version 0 is to the beginning.
fn count(text: &str) -> Option<u32> {
    number(text).filter(|steps| *steps > 0)
}

fn number(text: &str) -> Option<u32> {
    text.trim_start_matches('-').parse().ok()
}

/// What an option or a setting is given.
fn value<'w>(words: &[&'w str], name: &str) -> Option<&'w str> {
    words.iter().enumerate().find_map(|(at, word)| {
        let rest = word.strip_prefix(name)?;
        match rest.strip_prefix('=') {
            Some(value) => Some(value),
            None if rest.is_empty() => words.get(at + 1).copied(),
            None => None,
        }
    })
}

/// What stands after a subcommand.
fn after<'s, 'w>(words: &'s [&'w str], subcommand: &str) -> Option<&'s [&'w str]> {
    let mut starts = 0..words.len();
    starts.find_map(|start| {
        let mut rest = words.get(start..)?;
        for part in subcommand.split(' ') {
            let (first, others) = rest.split_first()?;
            rest = others;
            (*first == part).then_some(())?;
        }
        Some(rest)
    })
}

#[cfg(test)]
mod tests {
    use crate::testing::Fixture;
    use model::{Flag, Verb};

    fn takes(command: &str) -> bool {
        let analysis = Fixture::new().read(command);
        let mut destroyed = analysis
            .actions
            .iter()
            .filter(|action| action.verb == Verb::Destroy);
        destroyed.any(|action| !action.flags.has(Flag::DryRun))
    }

    #[test]
    fn a_few_steps_back_are_daily_and_the_way_to_the_beginning_is_not() {
        for command in [
            "alembic downgrade base",
            "alembic downgrade -5",
            "alembic downgrade ae1027a6acf",
            "flask db downgrade base",
            "rails db:rollback STEP=20",
            "STEP=20 rake db:rollback",
            "rails db:migrate VERSION=0",
            "php artisan migrate:rollback --step=10",
            "npx knex migrate:rollback --all",
            "mix ecto.rollback --all",
            "mix ecto.rollback -n 12",
            "migrate -path db -database postgres://db/app down",
            "migrate -path db -database postgres://db/app down -all",
            "liquibase rollback-count 20",
            "goose down-to 0",
            "diesel migration revert --all",
            "bin/console doctrine:migrations:migrate first",
            "RAILS_ENV=production rails db:rollback",
            "APP_ENV=production php artisan migrate:rollback --force",
            "NODE_ENV=production npx sequelize-cli db:migrate:undo",
        ] {
            assert!(takes(command), "{command}");
        }
        for command in [
            "alembic downgrade -1",
            "alembic downgrade base --sql",
            "flask db downgrade",
            "rails db:rollback",
            "rails db:rollback STEP=2",
            "rails db:migrate VERSION=20240101",
            "php artisan migrate:rollback",
            "php artisan migrate:rollback --step=1",
            "npx knex migrate:rollback",
            "mix ecto.rollback -n 1",
            "goose down",
            "diesel migration revert",
            "migrate -path db -database postgres://db/app down 1",
            "liquibase rollback-count 1",
            "bin/console doctrine:migrations:migrate prev",
            "RAILS_ENV=test rails db:rollback STEP=20",
        ] {
            assert!(!takes(command), "{command}");
        }
    }
}
