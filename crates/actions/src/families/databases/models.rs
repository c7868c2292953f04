//! Code of applications that deletes records by the whole table, through whatever maps records to
//! objects. Text in, what is lost out.

/// Calls that take every record, or the tables themselves.
const CALLS: &[&str] = &[
    "$executeRawUnsafe('DROP",
    "->truncate(",
    ".delete_all",
    ".deleteAll(",
    ".destroy_all",
    ".drop_all(",
    ".drop_database",
    ".dropDatabase(",
    ".objects.all().delete(",
    "::query()->delete(",
    "::truncate(",
    "call_command('flush'",
    "call_command(\"flush\"",
    "call_command('reset_db'",
    "dropAllTables(",
    "db:drop",
    "db:reset",
    "db:wipe",
    "migrate:fresh",
    "migrate:refresh",
    "migrate:reset",
];

/// Calls that take every record, unless something before them in the statement says which.
const UNLESS_CHOSEN: &[&str] = &["->delete()", "->forceDelete()"];

/// Words that say which records are meant.
const CHOOSING: &[&str] = &["find(", "first(", "where", ".filter(", "find_by", "from("];

/// What code would destroy, in words.
pub(super) fn destroyed(code: &str) -> Option<String> {
    for statement in code.split([';', '\n']) {
        let mut dense = statement.to_owned();
        dense.retain(|c| !c.is_whitespace());
        let chooses = CHOOSING.iter().any(|word| dense.contains(word));
        let call = CALLS.iter().find(|call| dense.contains(**call));
        let whole = UNLESS_CHOSEN
            .iter()
            .find(|call| dense.contains(**call) && dense.contains("table("));
        if let Some(call) = call.or(whole).filter(|_| !chooses) {
            let call = call.trim_matches(['.', '(', ')', '-', '>', ':']);
            return Some(format!("every record that {call} takes"));
        }
    }
    let mut statements = quoted(code).flat_map(crate::sql::destroyed);
    statements
        .next()
        .map(|name| format!("the content of {name}"))
}

/// Texts in quotes.
fn quoted(code: &str) -> impl Iterator<Item = &str> {
    code.split(['\'', '"', '`']).skip(1).step_by(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_tables_are_told_from_chosen_records() {
        for code in [
            "User.delete_all",
            "User.destroy_all",
            "User::truncate();",
            "DB::table('users')->delete();",
            "DB::statement('DROP TABLE users');",
            "Artisan::call('migrate:fresh', ['--force' => true]);",
            "from app.models import User; User.objects.all().delete()",
            "App.Repo.delete_all(App.User)",
            "ActiveRecord::Base.connection.execute(\"DROP TABLE users\")",
        ] {
            assert!(destroyed(code).is_some(), "{code}");
        }
        for code in [
            "puts User.count",
            "User.where(id: 1).delete_all",
            "DB::table('users')->where('id', 1)->delete();",
            "User.find(1).destroy",
            "print(User.objects.count())",
            "echo User::count();",
        ] {
            assert_eq!(destroyed(code), None, "{code}");
        }
    }
}
