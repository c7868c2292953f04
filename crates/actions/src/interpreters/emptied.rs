//! Records that a program deletes: calls of libraries that empty tables, stores and accounts. Names
//! in the program, no more: which database it is connected to nobody knows.

use super::records::last_part;
use super::tokens::Token;

/// Last parts of names of calls that empty a table, a store or an account, whatever object they
/// are called on. (ActiveRecord, Ecto, SQLAlchemy, Sequelize, Mongoose, TypeORM, Prisma, redis
/// clients, the SDKs of AWS and Kubernetes.)
const EMPTYING: &[&str] = &[
    "DeleteBucketCommand",
    "DeleteClusterCommand",
    "DeleteDBClusterCommand",
    "DeleteDBInstanceCommand",
    "DeleteObjectsCommand",
    "DeleteStackCommand",
    "DeleteTableCommand",
    "TerminateInstancesCommand",
    "__table__.drop",
    "deleteBucket",
    "deleteCollection",
    "deleteFrom",
    "deleteFiles",
    "deleteIndex",
    "deleteMany",
    "deleteStack",
    "deleteTable",
    "delete_all",
    "delete_bucket",
    "delete_cluster",
    "delete_collection",
    "delete_db_cluster",
    "delete_db_instance",
    "delete_index",
    "delete_many",
    "delete_namespace",
    "delete_stack",
    "delete_table",
    "destroy_all",
    "dropAllTables",
    "dropCollection",
    "dropDatabase",
    "dropSchema",
    "dropTable",
    "dropTableIfExists",
    "drop_all",
    "drop_collection",
    "drop_database",
    "drop_table",
    "flushAll",
    "flushDb",
    "flushall",
    "flushdb",
    "indices.delete",
    "recursiveDelete",
    "sequelize.drop",
    "terminateInstances",
    "terminate_instances",
    "truncate_tables",
];

/// Calls that empty what they are called on only if that is a table.
const EMPTYING_TABLES: &[&str] = &["del", "delete", "destroy", "truncate"];

/// Parts of names that say that what is called on is a table.
const TABLES: &[&str] = &[
    "Bucket",
    "DB",
    "Table",
    "bucket",
    "connection",
    "createQueryBuilder",
    "knex",
    "objects",
    "query",
    "table",
];

/// Calls that take what an object says, whose first word is the condition.
const BY_OBJECT: &[&str] = &["delete", "deleteMany", "delete_many", "destroy", "remove"];

/// What an object says besides a condition.
const BESIDES: &[&str] = &[
    "cascade",
    "force",
    "individualHooks",
    "restartIdentity",
    "silent",
    "transaction",
];

/// Owners of calls that are a connection to a database.
const CONNECTIONS: &[&str] = &["database", "db", "drizzle", "orm", "trx", "tx"];

/// Parts of names and arguments that name one record among others.
const MEMBERS: &[&str] = &["blob", "file", "Object"];

/// Parts of names and arguments that leave some records.
const FILTERS: &[&str] = &[
    "exclude",
    "filter",
    "filter_by",
    "find",
    "find_by",
    "first",
    "get",
    "last",
    "limit",
    "take",
    "where",
    "whereIn",
    "where_in",
];

/// Words before a name that is only said, not called.
const DEFINING: &[&str] = &["class", "def", "defp", "fn", "func", "function", "import"];

/// Of these, those that leave more than one to be taken.
const CONDITIONS: &[&str] = &[
    "exclude",
    "filter",
    "filter_by",
    "where",
    "whereIn",
    "where_in",
];

/// What a class is, and what is taken of it, where a program runs.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Where {
    /// In a console a class is a table, too.
    pub(super) is_console: bool,
    /// Where others' records are, no condition says enough.
    pub(super) is_live: bool,
}

/// The calls with which a program empties tables.
pub(super) fn emptied(tokens: &[Token], place: Where) -> Option<String> {
    let mut start = 0;
    for own in tokens.split(|token| token.is_end() || is_brace(token)) {
        let rest = tokens.get(start + own.len()..).unwrap_or_default();
        start += own.len() + 1;
        let given = given(own, rest);
        let found = match given {
            Some(Given::All) => own.iter().rev().find_map(Token::name).map(str::to_owned),
            Some(Given::Some) if !place.is_live => None,
            _ => emptied_by(own, place).or_else(|| of_connection(own)),
        };
        if found.is_some() {
            return found.map(|name| name.trim_start_matches('.').to_owned());
        }
    }
    None
}

/// What an object says of what goes.
enum Given {
    /// `{}`, `{where: {}}`, `{truncate: true}`
    All,
    Some,
}

/// What the object says that the last call of a statement is given, if it takes one.
fn given(statement: &[Token], rest: &[Token]) -> Option<Given> {
    let [.., Token::Name(call), Token::Sign('(')] = statement else {
        return None;
    };
    let call_last = last_part(call);
    if !BY_OBJECT.contains(&call_last) {
        return None;
    }
    let has_owner = call.contains('.');
    let [Token::Sign('{'), rest @ ..] = rest else {
        return None;
    };
    // A set of values may be empty too: what is emptied is a table.
    let is_many = call_last.to_lowercase().contains("many");
    let is_table = is_many || is_repository(call);
    match rest {
        [Token::Sign('}'), ..] => (has_owner && is_table).then_some(Given::All),
        [Token::Name(key), Token::Sign(':'), value @ ..] => match (key.as_str(), value) {
            ("where", [Token::Sign('{'), Token::Sign('}'), ..]) => Some(Given::All),
            ("truncate", [Token::Name(said), ..]) if said == "true" => Some(Given::All),
            (key, _) if BESIDES.contains(&key) => None,
            _ => Some(Given::Some),
        },
        [Token::Text(_), Token::Sign(':'), ..] => Some(Given::Some),
        [Token::Sign('.'), ..] | [Token::Name(_), ..] => Some(Given::Some),
        _ => None,
    }
}

/// Whether a call is one of a class of records, or of what keeps them.
fn is_repository(call: &str) -> bool {
    let owner = call.rsplit_once('.').map_or("", |(owner, _)| owner);
    is_named_repository(call) || last_part(owner).starts_with(char::is_uppercase)
}

/// `db.delete(users)`, `repo.clear()`, `getRepository(User).clear()`: all that is there.
fn of_connection(statement: &[Token]) -> Option<String> {
    let is_narrowed = |name: &str| name.split('.').any(|part| FILTERS.contains(&part));
    if statement.iter().filter_map(Token::name).any(is_narrowed) {
        return None;
    }
    let is_kept = |token: &Token| {
        let name = token.name().unwrap_or_default().to_lowercase();
        name.ends_with("getrepository") || name.ends_with("getcustomrepository")
    };
    let of_repositories = statement.iter().any(is_kept);
    statement
        .windows(4)
        .find_map(|place| match place {
            [
                Token::Name(call),
                Token::Sign('('),
                Token::Name(table),
                Token::Sign(')'),
            ] => {
                let (owner, method) = call.rsplit_once('.')?;
                let is_one = table.contains('.')
                    || table.to_lowercase().ends_with("id")
                    || table.to_lowercase().ends_with("key")
                    || table.len() < 3;
                let is_table = CONNECTIONS.contains(&last_part(owner)) && !is_one;
                (method == "delete" && is_table).then(|| call.clone())
            }
            _ => None,
        })
        .or_else(|| {
            statement.windows(3).find_map(|place| match place {
                [Token::Name(call), Token::Sign('('), Token::Sign(')')] => {
                    let clears = last_part(call) == "clear";
                    let is_kept = is_named_repository(call) || of_repositories;
                    (clears && is_kept).then(|| call.clone())
                }
                _ => None,
            })
        })
}

/// `userRepository.clear`
fn is_named_repository(call: &str) -> bool {
    let owner = call.rsplit_once('.').map_or("", |(owner, _)| owner);
    let last = last_part(owner).to_lowercase();
    ["repo", "repository"].iter().any(|end| last.ends_with(end))
}

/// `session.execute(delete(User))`: every row, unless a condition follows.
fn deletes_class(statement: &[Token]) -> Option<String> {
    statement.windows(4).find_map(|place| match place {
        [
            Token::Name(sends),
            Token::Sign('('),
            Token::Name(deletes),
            Token::Sign('('),
        ] if last_part(sends) == "execute" && last_part(deletes) == "delete" => {
            Some(deletes.clone())
        }
        _ => None,
    })
}

/// `sequelize.sync({force: true})`, `source.synchronize(true)`: tables are made anew.
pub(super) fn made_anew(tokens: &[Token]) -> Option<String> {
    let is_true = |token: &Token| token.name() == Some("true");
    let synchronizes = |at: usize, name: &str| {
        let given = tokens.get(at + 1..).unwrap_or_default();
        match (last_part(name), given) {
            ("synchronize", [Token::Sign('('), first, ..]) => is_true(first),
            (
                "sync",
                [
                    Token::Sign('('),
                    Token::Sign('{'),
                    key,
                    Token::Sign(':'),
                    value,
                    ..,
                ],
            ) => key.name() == Some("force") && is_true(value),
            _ => false,
        }
    };
    let mut names = tokens.iter().enumerate();
    names.find_map(|(at, token)| {
        let name = token.name()?;
        synchronizes(at, name).then(|| name.trim_start_matches('.').to_owned())
    })
}

fn is_brace(token: &Token) -> bool {
    matches!(token, Token::Sign('{' | '}'))
}

fn emptied_by(statement: &[Token], place: Where) -> Option<String> {
    let names = || statement.iter().filter_map(Token::name);
    let parts = || names().flat_map(|name| name.split('.'));
    let narrows =
        |part: &str| FILTERS.contains(&part) && !(place.is_live && CONDITIONS.contains(&part));
    if parts().any(|part| narrows(part) || MEMBERS.contains(&part)) {
        return None;
    }
    if parts().any(|part| part == "collection") && parts().last() == Some("drop") {
        return Some("drop".to_owned());
    }
    if let Some(call) = deletes_class(statement) {
        return Some(call);
    }
    let is_class = |name: &str| name.starts_with(char::is_uppercase);
    let is_table =
        || parts().any(|part| TABLES.contains(&part)) || place.is_console && names().any(is_class);
    let mut before = "";
    for token in statement {
        let Token::Name(name) = token else {
            continue;
        };
        let is_said = DEFINING.contains(&before);
        before = name;
        let empties = super::calls::is_one_of(name, EMPTYING)
            || EMPTYING_TABLES.contains(&last_part(name)) && is_table();
        if empties && !is_said {
            return Some(name.trim_start_matches('.').to_owned());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::super::language::{Language, NODE, PHP, PYTHON, RUBY};
    use super::super::tokens::tokens;
    use super::{Where, emptied};

    fn told(cases: &[(&Language, &str, bool)]) {
        for (language, text, expected) in cases {
            let place = Where {
                is_console: true,
                is_live: false,
            };
            let found = emptied(&tokens(text, language), place);
            assert_eq!(found.is_some(), *expected, "{text}: {found:?}");
        }
    }

    #[test]
    fn whole_tables_are_seen_and_single_records_are_not() {
        let cases: &[(&Language, &str, bool)] = &[
            (&RUBY, "User.delete_all", true),
            (&RUBY, "puts 1; User.destroy_all", true),
            (&RUBY, "User.where(old: true).delete_all", false),
            (&RUBY, "User.find(1).destroy", false),
            (&PYTHON, "User.objects.all().delete()", true),
            (&PYTHON, "User.objects.filter(pk=1).delete()", false),
            (&PYTHON, "db.drop_all()", true),
            (&PYTHON, "def drop_all(): pass", false),
            (&PYTHON, "from x import drop_all", false),
            (&PYTHON, "u.delete()", false),
            (
                &PYTHON,
                "boto3.client('s3').delete_bucket(Bucket='b')",
                true,
            ),
            (&PYTHON, "print('delete_all')", false),
            (&PHP, "User::truncate();", true),
            (&PHP, "User::query()->delete();", true),
            (&PHP, "DB::table('orders')->truncate();", true),
            (
                &PHP,
                "DB::table('orders')->where('id', 3)->delete();",
                false,
            ),
            (&PHP, "echo User::count();", false),
        ];
        told(cases);
    }

    #[test]
    fn what_an_object_says_is_a_condition() {
        let cases: &[(&Language, &str, bool)] = &[
            (&NODE, "await prisma.user.deleteMany()", true),
            (&NODE, "await prisma.user.deleteMany({})", true),
            (&NODE, "await prisma.user.deleteMany({where: {}})", true),
            (
                &NODE,
                "await prisma.user.deleteMany({where: {id: 3}})",
                false,
            ),
            (&NODE, "await User.destroy({where: {}, force: true})", true),
            (&NODE, "await User.destroy({truncate: true})", true),
            (&NODE, "await User.destroy({where: {id}})", false),
            (&NODE, "await db.delete(users)", true),
            (
                &NODE,
                "await db.delete(users).where(eq(users.id, 3))",
                false,
            ),
            (&NODE, "await db.delete(userId)", false),
            (&NODE, "await db.deleteFrom('t').execute()", true),
            (
                &NODE,
                "await db.deleteFrom('t').where('id', '=', 3).execute()",
                false,
            ),
            (&NODE, "await userRepository.delete({})", true),
            (&NODE, "await repo.delete({id: 3})", false),
            (&NODE, "await source.getRepository(User).clear()", true),
            (&NODE, "cache.clear(); cache.delete({})", false),
            (&PYTHON, "db.users.delete_many({'a': 1})", false),
            (&PYTHON, "db.users.delete_many({})", true),
        ];
        told(cases);
    }

    #[test]
    fn where_others_records_are_a_condition_is_not_enough() {
        assert_eq!(
            emptied(&tokens("f.truncate()", &PYTHON), Where::default()),
            None
        );
        let live = Where {
            is_console: true,
            is_live: true,
        };
        for (text, expected) in [
            ("Order.where(old: true).delete_all", true),
            ("Order.find(1).destroy", false),
        ] {
            let found = emptied(&tokens(text, &RUBY), live);
            assert_eq!(found.is_some(), expected, "{text}");
        }
    }
}
