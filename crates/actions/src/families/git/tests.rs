//! What git commands would do in several worlds: command × world → actions with flags and loss.

use crate::testing::{Fixture, PROJECT};
use model::{Action, Fact};
use proptest::prelude::*;

/// An action in one line: `discard git:/p +mass ! a.rs modified, 1 stash`; ` ?` for a loss that is
/// not known. The project is `/p`.
fn line(action: &Action) -> String {
    let flags: String = action
        .flags
        .iter()
        .map(|flag| format!(" +{}", flag.name()))
        .collect();
    let loss = match &action.loss {
        Fact::Known(loss) if loss.is_nothing() => String::new(),
        Fact::Known(loss) => {
            let files = loss.files.iter().map(|file| file.in_words());
            let all: Vec<String> = files.chain(loss.other.iter().cloned()).collect();
            format!(" ! {}", all.join(", "))
        }
        Fact::Unknown(_) => " ?".to_owned(),
    };
    let line = format!("{}{flags}{loss}", action.canonical());
    line.replace(PROJECT, "/p")
}

fn lines(world: &Fixture, command: &str) -> Vec<String> {
    world.read(command).actions.iter().map(line).collect()
}

/// Checks commands against the actions that they must have, all of them, in order.
fn check(world: &Fixture, cases: &[(&str, &[&str])]) {
    for (command, expected) in cases {
        assert_eq!(lines(world, command), *expected, "{command}");
    }
}

/// Checks commands that must lose exactly this, whatever else they do.
fn loses(world: &Fixture, cases: &[(&str, &str)]) {
    for (command, expected) in cases {
        let lines = lines(world, command);
        let losses: Vec<&str> = lines
            .iter()
            .filter_map(|line| line.split_once(" ! ").map(|(_, loss)| loss))
            .collect();
        let unknown = lines.iter().any(|line| line.ends_with(" ?"));
        assert!(!unknown, "{command}: {lines:?}");
        assert_eq!(losses.join("; "), *expected, "{command}: {lines:?}");
    }
}

/// Commands that lose nothing and leave nothing unknown.
fn harmless(world: &Fixture, commands: &[&str]) {
    let cases: Vec<(&str, &str)> = commands.iter().map(|command| (*command, "")).collect();
    loses(world, &cases);
}

/// Commands that do nothing worth a line.
fn silent(world: &Fixture, commands: &[&str]) {
    for command in commands {
        assert_eq!(lines(world, command), [""; 0], "{command}");
    }
}

fn clean() -> Fixture {
    Fixture::new().repo(".").branch("feat")
}

/// Two changed files, one staged, one new, one ignored.
fn dirty() -> Fixture {
    clean()
        .modified("a.rs")
        .modified("src/b.rs")
        .staged("s.rs")
        .untracked("n.txt")
        .ignored(".env")
}

#[test]
fn what_was_newly_staged_is_untracked_after_a_reset() {
    loses(
        &clean().added("src/new.rs").staged("s.rs"),
        &[
            ("git reset && git clean -fd", "src/new.rs untracked"),
            ("git reset -q; git clean -fq src", "src/new.rs untracked"),
            (
                "git restore --staged . && git clean -f",
                "src/new.rs untracked",
            ),
            ("git clean -fd", ""),
        ],
    );
}

#[test]
fn reset() {
    let all = "a.rs modified, src/b.rs modified, s.rs staged";
    loses(
        &dirty(),
        &[
            ("git reset --hard", all),
            ("git reset --har", all),
            ("git reset -q --hard HEAD", all),
            ("git reset HEAD --hard", all),
            ("git -C /home/dev/proj/src reset --hard", all),
            ("git -C src reset --hard", all),
            ("cd src && git reset --hard", all),
            ("git -c foo=bar --no-pager reset --hard", all),
            ("/usr/lib/git-core/git-reset --hard", all),
            (
                "git --git-dir=/home/dev/proj/.git --work-tree=/home/dev/proj reset --hard",
                all,
            ),
            ("git reset --merge", "s.rs staged"),
            ("git reset --keep", ""),
            ("git reset", ""),
            ("git reset HEAD a.rs", ""),
            ("git reset -- a.rs", ""),
            ("git reset a.rs", ""),
            ("git reset -p", ""),
            ("git reset --hard --help", ""),
            ("git reset --help", ""),
            ("git reset HEAD && git checkout -- .", all),
            ("git restore --staged . && git restore .", all),
            ("git reset --keep HEAD~1 && git checkout .", all),
            ("git rebase --autostash main && git checkout .", all),
        ],
    );
    check(
        &dirty(),
        &[
            ("git reset HEAD a.rs", &["write git:/p +keeps_files"]),
            (
                "git --git-dir=/q/.git reset --hard",
                &["discard git: +mass ?"],
            ),
            ("git --work-tree=/q reset --hard", &["discard git: +mass ?"]),
        ],
    );
    harmless(&clean(), &["git reset --hard", "git reset --hard HEAD"]);
}

#[test]
fn reset_moves_the_branch() {
    check(
        &clean().orphans("HEAD", 9),
        &[
            (
                "git reset HEAD~9",
                &["rewrite git:/p#feat +keeps_files ! 9 commits on no other branch"],
            ),
            (
                "git reset --hard origin/main",
                &[
                    "discard git:/p +mass",
                    "rewrite git:/p#feat ! 9 commits on no other branch",
                ],
            ),
            (
                "git reset --hard \"$UNSET\"",
                &["discard git:/p +mass", "rewrite git:/p#feat ?"],
            ),
        ],
    );
    check(
        &clean().orphans("HEAD", 1),
        &[
            (
                "git reset --soft HEAD~1",
                &["rewrite git:/p#feat +keeps_files"],
            ),
            ("git reset HEAD^", &["rewrite git:/p#feat +keeps_files"]),
            (
                "git reset --keep HEAD~1",
                &[
                    "write git:/p +keeps_files",
                    "rewrite git:/p#feat ! 1 commit on no other branch",
                ],
            ),
        ],
    );
    check(
        &clean(),
        &[(
            "git reset --hard 1f0b0d9",
            &["discard git:/p +mass", "rewrite git:/p#feat"],
        )],
    );
}

#[test]
fn checkout_of_files() {
    let unstaged = "a.rs modified, src/b.rs modified";
    let all = "a.rs modified, src/b.rs modified, s.rs staged";
    loses(
        &dirty(),
        &[
            ("git checkout .", unstaged),
            ("git checkout -- .", unstaged),
            ("git checkout ./", unstaged),
            ("git checkout :/", unstaged),
            ("git checkout -- ':(top)'", unstaged),
            ("git checkout -- a.rs", "a.rs modified"),
            ("git checkout a.rs", "a.rs modified"),
            ("git checkout ./a.rs", "a.rs modified"),
            ("git checkout -q -- src", "src/b.rs modified"),
            ("git checkout -- '*.rs'", unstaged),
            ("git checkout -- 'src/*'", "src/b.rs modified"),
            ("git checkout -- . ':!src'", "a.rs modified"),
            ("git checkout -- . ':(exclude)a.rs'", "src/b.rs modified"),
            ("git checkout -- ':(icase)A.RS'", unstaged),
            ("git checkout HEAD .", all),
            ("git checkout HEAD -- .", all),
            ("git checkout HEAD~1 -- src", "src/b.rs modified"),
            ("git checkout main s.rs", "s.rs staged"),
            ("cd src && git checkout .", "src/b.rs modified"),
            ("git -C src checkout -- b.rs", "src/b.rs modified"),
            ("git checkout -- \"$FILE\"", unstaged),
            ("git checkout --pathspec-from-file=list", unstaged),
            ("git checkout-index -f -a", unstaged),
            ("git checkout -- clean.rs", ""),
        ],
    );
    check(
        &dirty(),
        &[
            (
                "git checkout .",
                &["discard git:/p +mass ! a.rs modified, src/b.rs modified"],
            ),
            ("git checkout -- a.rs", &["discard git:/p ! a.rs modified"]),
        ],
    );
    harmless(&clean(), &["git checkout .", "git checkout ./src/main.rs"]);
}

#[test]
fn checkout_of_a_side_of_a_conflict() {
    let world = clean().conflicted("f.txt").modified("a.rs");
    loses(
        &world,
        &[
            ("git checkout --ours -- f.txt && git add f.txt", ""),
            ("git checkout --theirs f.txt", ""),
            ("git restore --ours f.txt", ""),
            ("git checkout --ours .", "a.rs modified"),
        ],
    );
    loses(
        &world.solved("g.txt"),
        &[
            (
                "git checkout --theirs g.txt",
                "g.txt conflict solved by hand",
            ),
            ("git restore --ours f.txt", ""),
            ("git reset --merge", "g.txt conflict solved by hand"),
        ],
    );
}

#[test]
fn other_branches() {
    let all = "a.rs modified, src/b.rs modified, s.rs staged";
    loses(
        &dirty(),
        &[
            ("git checkout -f", all),
            ("git checkout -f main", all),
            ("git checkout --forc main", all),
            ("git checkout -qf main", all),
            ("git switch -f main", all),
            ("git switch --discard-ch main", all),
            ("git switch --force main", all),
            ("git checkout -f -b x", all),
            ("git read-tree --reset -u HEAD", all),
            ("git read-tree -m HEAD", ""),
        ],
    );
    check(
        &dirty(),
        &[
            ("git checkout main", &["write git:/p#main"]),
            ("git checkout -b new", &["write git:/p#new +creates"]),
            ("git checkout --detach main", &["write git:/p#"]),
            ("git checkout HEAD~1", &["write git:/p#"]),
            ("git checkout -", &["write git:/p#"]),
            (
                "git checkout --orphan docs",
                &["write git:/p#docs +creates"],
            ),
            ("git switch main", &["write git:/p#main"]),
            (
                "git switch -c new origin/main",
                &["write git:/p#new +creates"],
            ),
            ("git switch --detach main", &["write git:/p#"]),
            ("git switch -", &["write git:/p#"]),
        ],
    );
    let world = clean().orphans("old", 3);
    check(
        &world,
        &[(
            "git checkout -B old",
            &[
                "rewrite git:/p#old +force ! 3 commits on no other branch",
                "write git:/p#old +creates",
            ],
        )],
    );
}

/// An ignored and a new file that other revisions have too.
fn with_obstacles() -> Fixture {
    let files = [".env", "n.txt", "a.rs", "absent.md"];
    let mut world = clean()
        .ignored(".env")
        .untracked("n.txt")
        .repos(|repo| repo.stashes = 1);
    for revision in [
        "old",
        "HEAD~3",
        "@{-1}",
        "origin/feat",
        "origin/old",
        "HEAD...old",
        "HEAD...origin/feat",
        "HEAD...origin/old",
        "old^..old",
        "old..old^",
        "a..b",
        "stash@{0}^..stash@{0}",
    ] {
        world = world.revision(revision, &files);
    }
    world
}

#[test]
fn ignored_and_new_files_in_the_way_of_a_revision() {
    let world = with_obstacles();
    let ignored = ".env ignored";
    let both = ".env ignored, n.txt untracked";
    loses(
        &world,
        &[
            ("git checkout old", ignored),
            ("git checkout -", ignored),
            ("git checkout -b new old", ignored),
            ("git checkout --detach HEAD~3", ignored),
            ("git switch old", ignored),
            ("git switch --detach HEAD~3", ignored),
            ("git merge old", ignored),
            ("git merge", ignored),
            ("git merge --squash old", ignored),
            ("git pull", ignored),
            ("git pull origin old", ignored),
            ("git pull --rebase origin old", ignored),
            ("git rebase old", ignored),
            ("git rebase --onto old main feat", ignored),
            ("git cherry-pick old", ignored),
            ("git cherry-pick a..b", ignored),
            ("git revert --no-edit old", ignored),
            ("git stash pop", ignored),
            ("git stash apply 0", ignored),
            ("git read-tree -u -m old", ignored),
            ("git checkout -f old", both),
            ("git switch --discard-changes old", both),
            ("git reset --hard old", both),
            ("git read-tree --reset -u old", both),
            ("git checkout old -- .", both),
            ("git checkout old -- n.txt", "n.txt untracked"),
            ("git restore --source old .env", ignored),
            ("git restore -s old .", both),
            ("git merge $(git rev-parse old)", ""),
            ("cp .env /tmp/env && git checkout old", ""),
            ("git stash -u && git checkout -f old", ignored),
        ],
    );
}

#[test]
fn what_brings_no_files_writes_over_none() {
    let world = with_obstacles();
    harmless(
        &world,
        &[
            "git checkout main",
            "git checkout -b new",
            "git checkout old -- src",
            "git checkout --no-overwrite-ignore old",
            "git merge --no-overwrite-ignore old",
            "git merge main",
            "git merge --abort",
            "git merge --continue",
            "git rebase main",
            "git cherry-pick main",
            "git reset old",
            "git reset --soft old",
            "git restore --staged --source old .",
            "git fetch origin old",
            "git log HEAD...old",
            "git diff old -- .env",
            "git branch new old",
            "git worktree add ../w old",
        ],
    );
    let born = world.clone().created_paths(".env");
    harmless(&born, &["git checkout old"]);
}

#[test]
fn restore() {
    let unstaged = "a.rs modified, src/b.rs modified";
    loses(
        &dirty(),
        &[
            ("git restore .", unstaged),
            ("git restore a.rs", "a.rs modified"),
            ("git restore --worktree .", unstaged),
            ("git restore --source=HEAD a.rs", "a.rs modified"),
            ("git restore --source=HEAD~1 s.rs", "s.rs staged"),
            ("git restore -s HEAD~2 -- a.rs", "a.rs modified"),
            (
                "git restore -SW .",
                "a.rs modified, src/b.rs modified, s.rs staged",
            ),
            ("git restore --staged --worktree s.rs", "s.rs staged"),
            ("git restore . --staged", ""),
            ("git restore --stage a.rs", ""),
            ("git restore -S .", ""),
            ("git restore --help", ""),
            ("git restore -h", ""),
        ],
    );
}

#[test]
fn clean_removes_untracked_files() {
    let world = clean()
        .untracked("n.txt")
        .untracked("tmp/x.keep")
        .ignored(".env");
    loses(
        &world,
        &[
            ("git clean -f", "n.txt untracked, tmp/x.keep untracked"),
            ("git clean -fd", "n.txt untracked, tmp/x.keep untracked"),
            (
                "git clean -xf",
                "n.txt untracked, tmp/x.keep untracked, .env ignored",
            ),
            (
                "git clean -fdx",
                "n.txt untracked, tmp/x.keep untracked, .env ignored",
            ),
            ("git clean -fX", ".env ignored"),
            ("git clean . -f", "n.txt untracked, tmp/x.keep untracked"),
            (
                "git clean -f .git/..",
                "n.txt untracked, tmp/x.keep untracked",
            ),
            ("git clean -f -- tmp", "tmp/x.keep untracked"),
            ("cd tmp && git clean -fd", "tmp/x.keep untracked"),
            ("git -C tmp clean -f", "tmp/x.keep untracked"),
            (
                "cd tmp && git clean -f :/",
                "n.txt untracked, tmp/x.keep untracked",
            ),
            ("cd src && git clean -fd", ""),
            ("git clean -f -e '*.keep' .", "n.txt untracked"),
            ("git clean -fd --exclude=tmp/", "n.txt untracked"),
            ("git clean -fd -e n.txt -e /tmp", ""),
            ("git clean -i", "n.txt untracked, tmp/x.keep untracked"),
            (
                "git -c clean.requireForce=no clean",
                "n.txt untracked, tmp/x.keep untracked",
            ),
            ("git clean -nd", ""),
            ("git clean -ndx", ""),
            ("git clean -fd --dry-run", ""),
            ("git clean", ""),
            ("git clean -d", ""),
            ("git add n.txt && git clean -f", "tmp/x.keep untracked"),
        ],
    );
    silent(&world, &["git clean -nd", "git clean"]);
    loses(
        &clean().ignored("_private_docs/x").ignored(".env"),
        &[
            (
                "git checkout --orphan docs-only && git rm -rf . && git clean -fd",
                ".env ignored, _private_docs/x ignored",
            ),
            ("git clean -fd", ""),
        ],
    );
}

#[test]
fn rm_and_mv() {
    let world = dirty().file("c.rs", "x");
    check(
        &world,
        &[
            ("git rm c.rs", &["delete file:/p/c.rs"]),
            (
                "git rm -f a.rs",
                &["delete file:/p/a.rs +force ! a.rs modified"],
            ),
            ("git rm -r src", &["delete file:/p/src +recursive"]),
            (
                "git rm -rf src",
                &["delete file:/p/src +recursive +force ! src/b.rs modified"],
            ),
            ("git rm --cached -f a.rs", &["write git:/p +keeps_files"]),
            ("git rm -n -f a.rs", &[]),
            ("git rm --dry-run --force a.rs", &[]),
            (
                "git mv a.rs d.rs",
                &["move file:/p/a.rs", "write file:/p/d.rs +creates"],
            ),
            (
                "git rm -rf .",
                &["discard git:/p +recursive +force +mass \
                   ! a.rs modified, src/b.rs modified, s.rs staged"],
            ),
        ],
    );
}

#[test]
fn stash() {
    let world = clean().repos(|repo| repo.stashes = 2);
    check(
        &world,
        &[
            ("git stash", &["write git:/p#stash"]),
            ("git stash push -m wip -- src", &["write git:/p#stash"]),
            (
                "git stash drop",
                &["discard git:/p#stash@{0} ! the stash stash@{0}"],
            ),
            (
                "git stash drop 1",
                &["discard git:/p#stash@{1} ! the stash stash@{1}"],
            ),
            (
                "git stash clear",
                &["discard git:/p#stash +mass ! 2 stashes"],
            ),
            ("git stash list", &[]),
            ("git stash show -p", &[]),
            ("git stash pop", &["write git:/p#stash"]),
            ("git stash apply", &["write git:/p#stash"]),
            ("git stash branch recovered", &["write git:/p#stash"]),
        ],
    );
    harmless(
        &clean(),
        &["git stash drop", "git stash clear", "git stash pop"],
    );
    loses(
        &clean(),
        &[
            ("git stash && git stash drop", "the stash stash@{0}"),
            ("git stash && git stash pop && git stash clear", ""),
        ],
    );
    loses(
        &world,
        &[
            (
                "git stash pop; git reset --hard",
                "what the stash brought back",
            ),
            ("git stash apply; git reset --hard", ""),
            ("git stash pop && git commit -am x && git reset --hard", ""),
        ],
    );
}

#[test]
fn saved_work_is_not_lost() {
    harmless(
        &dirty(),
        &[
            "git commit -am wip && git reset --hard",
            "git add -A && git commit -m wip && git reset --hard",
            "git add . && git commit -m wip && git checkout .",
            "git stash && git checkout .",
            "git stash -u && git clean -fd",
            "git stash push --include-untracked && git reset --hard && git clean -fd",
            "git add -A && git commit -qm wip && git clean -fd && git reset --hard",
            "git add a.rs && git commit -m a && git checkout a.rs",
            "git add -u && git checkout .",
            "git add -u && git commit -m x && git reset --hard",
            "git commit -m staged && git restore -SW s.rs",
            "set -e; git commit -am wip; git reset --hard",
        ],
    );
    loses(
        &dirty(),
        &[
            ("git stash && git clean -fd", "n.txt untracked"),
            (
                "git add -u && git commit -m x && git clean -fd",
                "n.txt untracked",
            ),
            (
                "git rm --cached a.rs && git clean -f",
                "n.txt untracked, a.rs modified, src/b.rs modified, s.rs staged",
            ),
            (
                "git add -A && git reset && git commit -m x && git checkout .",
                "a.rs modified, src/b.rs modified, s.rs staged",
            ),
            (
                "git commit -m x a.rs && git reset --hard",
                "src/b.rs modified, s.rs staged",
            ),
            (
                "git commit -im x a.rs && git reset --hard",
                "src/b.rs modified",
            ),
            (
                "git commit -m x && git reset --hard",
                "a.rs modified, src/b.rs modified",
            ),
            ("git commit -am wip; git checkout a.rs", "a.rs modified"),
            (
                "git commit -am wip || true; git checkout a.rs",
                "a.rs modified",
            ),
            ("git stash -- src && git checkout .", "a.rs modified"),
            (
                "git add -A && git reset --hard",
                "s.rs staged, a.rs modified, src/b.rs modified, n.txt untracked",
            ),
            (
                "git add src && git commit -m x && git checkout .",
                "a.rs modified",
            ),
        ],
    );
}

#[test]
fn copies_and_patches_keep_what_is_taken_back() {
    let world = dirty();
    harmless(
        &world,
        &[
            "cp a.rs /tmp/a.rs && git checkout a.rs",
            "cp a.rs a.rs.bak && git restore a.rs",
            "cp -r src /tmp/src && git checkout -- src",
            "cp n.txt /tmp/n && git clean -f n.txt",
            "git diff a.rs > /tmp/a.patch && git checkout a.rs",
            "git diff > /tmp/all.patch && git checkout -- .",
            "git diff --binary HEAD > /tmp/all.patch && git reset --hard",
            "git diff --cached > i.patch && git diff > w.patch && git reset --hard",
            "git diff > /tmp/a.patch && git checkout a.rs && git apply /tmp/a.patch",
            "git diff > /tmp/a.patch && rm /tmp/a.patch",
            "git diff > /tmp/a.patch; git checkout .",
            "git diff > a.patch && mv a.patch /tmp/b.patch && git checkout .",
            "git diff HEAD > wip.patch\ngit reset --hard\ngit apply wip.patch",
            "git diff | tee /tmp/a.patch && git checkout .",
            "git diff | tee /tmp/a.patch | head -20; git checkout -- .",
        ],
    );
    let unstaged = "a.rs modified, src/b.rs modified";
    loses(
        &world,
        &[
            ("cp a.rs /tmp/a.rs && git checkout .", "src/b.rs modified"),
            (
                "git diff a.rs > /tmp/a.patch && git checkout .",
                "src/b.rs modified",
            ),
            ("git diff > /tmp/a.patch && git reset --hard", "s.rs staged"),
            ("git diff --stat > /tmp/a.txt && git checkout .", unstaged),
            ("git diff main > /tmp/a.patch && git checkout .", unstaged),
            ("git diff > /dev/null && git checkout .", unstaged),
            ("git diff > gone/a.patch; git checkout .", unstaged),
            ("git diff | tee -a /tmp/a | git checkout . | cat", unstaged),
            ("git diff | wc -l && git checkout .", unstaged),
            ("false && git diff > /tmp/a.patch; git checkout .", unstaged),
            ("git diff > /tmp/p && rm /tmp/p && git checkout .", unstaged),
            ("git diff > /tmp/p; rm /tmp/p; git checkout .", unstaged),
            (
                "git diff > /tmp/p; if make; then rm /tmp/p; fi; git checkout .",
                unstaged,
            ),
            (
                "git diff > /tmp/p && mv /tmp/p /tmp/q && rm /tmp/q && git checkout .",
                unstaged,
            ),
            ("git diff > /tmp/p; echo > /tmp/p; git checkout .", unstaged),
            (
                "cp a.rs /tmp/a && git checkout a.rs && rm /tmp/a",
                "/tmp/a, where alone discarded work is by now",
            ),
            (
                "git diff > /tmp/p && git checkout . && rm -f /tmp/p",
                "/tmp/p, where alone discarded work is by now",
            ),
        ],
    );
}

#[test]
fn a_copy_of_an_earlier_call_keeps_what_is_taken_back() {
    let world = dirty().copied_paths("a.rs", "kept.rs");
    let copied = world.clone().file("kept.rs", "changed a.rs\n");
    harmless(&copied, &["git checkout a.rs", "git restore a.rs"]);
    let unlike = world.file("kept.rs", "other");
    loses(&unlike, &[("git checkout a.rs", "a.rs modified")]);
    let unstaged = "a.rs modified, src/b.rs modified";
    loses(
        &copied,
        &[
            ("git checkout .", "src/b.rs modified"),
            ("rm kept.rs; git checkout .", unstaged),
            (
                "git checkout a.rs; rm kept.rs",
                "kept.rs, where alone discarded work is by now",
            ),
        ],
    );
}

#[test]
fn other_spellings_of_taking_back() {
    let unstaged = "a.rs modified, src/b.rs modified";
    let world = dirty();
    loses(
        &world,
        &[
            ("git diff | git apply -R", unstaged),
            ("git diff -R | git apply", unstaged),
            ("git diff -R a.rs | git apply", "a.rs modified"),
            ("git diff a.rs | patch -R -p1", "a.rs modified"),
            ("git checkout $(git ls-files -m)", unstaged),
            ("git ls-files -m | xargs git checkout --", unstaged),
            ("git ls-files -mz | xargs -0 git restore", unstaged),
            (
                "git ls-files -o --exclude-standard | xargs rm",
                "n.txt untracked",
            ),
        ],
    );
    for command in ["git diff -R | patch -p1", "git diff HEAD | patch -R -p1"] {
        assert!(is_lossy(&world, command), "{command}");
    }
    harmless(
        &world,
        &[
            "git diff | git apply --check",
            "git diff -R | git apply --check -",
            "git diff | git apply -R --cached",
            "git diff --cached | git apply -R --index --check",
            "git diff | patch -R -p1 --dry-run",
            "git ls-files -m | xargs wc -l",
            "git ls-files -o --exclude-standard | xargs git add",
            "git checkout --help .",
            "git checkout . --help",
            "git clean -fd --help",
            "git rm -rf . --help",
        ],
    );
    let lost = clean().orphans("refs/heads/*", 3).unpushed(".", 3);
    for command in [
        "git for-each-ref --format='git branch -D %(refname:short)' refs/heads | sh",
        "git for-each-ref --shell --format='git update-ref -d %(refname)' refs/heads | bash",
        "git branch --format='git branch -D %(refname:short)' | sh",
    ] {
        assert!(is_lossy(&lost, command), "{command}");
    }
    harmless(
        &lost,
        &[
            "git for-each-ref --format='%(refname) %(objectname)' refs/heads",
            "git for-each-ref --format='%(refname:short)' | sort",
            "git branch --format='%(refname:short) %(upstream)' | grep gone",
            "git symbolic-ref HEAD refs/heads/x",
            "git symbolic-ref --short HEAD",
        ],
    );
    let kept = clean().orphans("refs/heads/old", 2);
    loses(
        &kept,
        &[(
            "git symbolic-ref refs/heads/old refs/heads/main",
            "2 commits on no other branch",
        )],
    );
}

#[test]
fn what_a_clone_of_this_call_is_copied_over() {
    let all = "a.rs modified, src/b.rs modified";
    loses(
        &dirty(),
        &[
            ("git clone -q x ../cl && cp -r ../cl/. .", all),
            ("git clone -q x ../cl && cp -r ../cl/* .", all),
            ("git clone -q x ../cl && rsync -a ../cl/ ./", all),
        ],
    );
    harmless(
        &dirty(),
        &[
            "git clone -q x ../cl && cp -rn ../cl/* .",
            "git clone -q x ../cl && cp -r ../cl/docs /tmp/docs",
            "git clone -q x ../cl && cp ../cl/LICENSE .",
            "git clone -q x ../cl && ls ../cl/*",
        ],
    );
    harmless(&clean(), &["git clone -q x ../cl && cp -r ../cl/* ."]);
}

#[test]
fn branches() {
    let world = clean().orphans("old", 2);
    let lost = "rewrite git:/p#old +force +deletes_ref ! 2 commits on no other branch";
    check(
        &world,
        &[
            ("git branch -D old", &[lost]),
            ("git branch --delete --force old", &[lost]),
            ("git branch -d -f old", &[lost]),
            ("git branch -df old", &[lost]),
            ("git branch -d old", &["rewrite git:/p#old +deletes_ref"]),
            (
                "git branch -D merged",
                &["rewrite git:/p#merged +force +deletes_ref"],
            ),
            (
                "git branch -rD origin/x",
                &["rewrite git:/p#origin/x +force +deletes_ref"],
            ),
            (
                "git branch -D \"$B\"",
                &["rewrite git:/p +force +deletes_ref"],
            ),
            (
                "git branch topic",
                &["write git:/p#topic +keeps_files +creates"],
            ),
            (
                "git branch -f old",
                &["rewrite git:/p#old +force ! 2 commits on no other branch"],
            ),
            (
                "git branch -M old",
                &["rewrite git:/p#old +force ! 2 commits on no other branch"],
            ),
            ("git branch -m new", &["write git:/p"]),
        ],
    );
    silent(
        &world,
        &[
            "git branch",
            "git branch -a",
            "git branch --list 'x*'",
            "git branch -r --contains abc123",
            "git branch --points-at HEAD",
            "git branch --show-current",
            "git branch -vv",
        ],
    );
}

#[test]
fn refs_whose_names_come_from_a_command() {
    let world = clean()
        .orphans("refs/heads/*", 3)
        .orphans("refs/tags/*", 2)
        .unpushed(".", 4);
    let branches = "3 commits on no other branch";
    let tags = "2 commits on no other branch";
    let every = "4 commits on no other branch";
    loses(
        &world,
        &[
            ("git branch -D $(git branch | grep feat)", branches),
            ("git branch -D feat/$x", branches),
            ("git branch | grep -v main | xargs git branch -D", branches),
            (
                "git branch | xargs -n1 git branch --delete --force",
                branches,
            ),
            (
                "for b in $(git branch | grep feat); do git branch -D $b; done",
                branches,
            ),
            ("git tag -d $(git tag)", tags),
            ("git tag | xargs git tag -d", tags),
            ("git update-ref -d $(cat name)", every),
            (
                "git for-each-ref --format='delete %(refname)' | git update-ref --stdin",
                every,
            ),
            ("git fetch -f origin $spec:$spec", branches),
        ],
    );
    harmless(
        &world,
        &[
            "git branch -d $(git branch --merged)",
            "git branch --merged | xargs git branch -d",
            "git branch | xargs -n1 git log -1",
            "git branch | grep -v main | cat",
            "git branch -D nonexistent",
            "git branch -D cafe",
            "git branch -rD $(git branch -r)",
            "git tag | xargs git show",
            "printf 'create refs/heads/x HEAD\\n' | git update-ref --stdin",
        ],
    );
    let all_kept = clean();
    harmless(
        &all_kept,
        &[
            "git branch -D $(git branch | grep feat)",
            "git tag -d $(git tag)",
        ],
    );
}

#[test]
fn branches_of_ours_that_a_fetch_puts_elsewhere() {
    let world = clean().orphans("feat", 2).orphans("refs/heads/old", 1);
    let lost = "2 commits on no other branch";
    loses(
        &world,
        &[
            ("git pull --force origin other:feat", lost),
            ("git pull origin +other:feat", lost),
            ("git fetch origin +other:refs/heads/feat", lost),
            ("git fetch -f origin other:feat", lost),
            (
                "echo 'delete refs/heads/old' | git update-ref --stdin",
                "1 commit on no other branch",
            ),
        ],
    );
    harmless(
        &world,
        &[
            "git pull origin feat",
            "git pull --rebase origin feat",
            "git fetch origin other:feat",
            "git fetch origin +refs/heads/*:refs/remotes/origin/*",
            "git fetch --force --tags",
        ],
    );
}

#[test]
fn tags_and_refs() {
    let world = clean()
        .orphans("refs/heads/old", 2)
        .orphans("refs/tags/v2", 1);
    check(
        &world,
        &[
            ("git tag v2", &["write git:/p#v2 +keeps_files +creates"]),
            (
                "git tag -a v2 -m 'x y'",
                &["write git:/p#v2 +keeps_files +creates"],
            ),
            (
                "git tag -d v1",
                &["rewrite git:/p#refs/tags/v1 +deletes_ref"],
            ),
            (
                "git tag -f v2",
                &["rewrite git:/p#refs/tags/v2 +force ! 1 commit on no other branch"],
            ),
            (
                "git update-ref -d refs/heads/old",
                &["rewrite git:/p#old +deletes_ref ! 2 commits on no other branch"],
            ),
        ],
    );
    silent(&world, &["git tag", "git tag -l v1*", "git tag -n"]);
}

#[test]
fn history() {
    check(
        &clean(),
        &[
            ("git commit -m x", &["write git:/p#feat +keeps_files"]),
            (
                "git commit --amend --no-edit",
                &["rewrite git:/p#feat +keeps_files"],
            ),
            ("git rebase main", &["rewrite git:/p#feat"]),
            ("git rebase -i main topic", &["rewrite git:/p#topic"]),
            ("git merge main", &["write git:/p#feat"]),
            ("git cherry-pick abc", &["write git:/p#feat"]),
            ("git merge --abort", &["discard git:/p#merge +keeps_files"]),
            ("git rebase --abort", &[]),
            ("git pull", &["fetch url:origin", "write git:/p#feat"]),
            (
                "git pull --rebase origin main",
                &["fetch url:origin", "rewrite git:/p#feat"],
            ),
            (
                "git filter-branch -f -- --all",
                &["rewrite git:/p +force +mass \
                   ! the commits as they are now, on every branch it rewrites"],
            ),
            ("git gc", &["write git:/p"]),
            ("git gc --prune=2.weeks.ago", &["write git:/p"]),
            ("git -c gc.pruneExpire=now gc --no-prune", &["write git:/p"]),
        ],
    );
    let gone = "commits and stashes that only the reflog or nothing holds";
    let reflog = "the reflog, the way back to commits that no branch holds";
    loses(
        &clean(),
        &[
            ("git gc --prune=now", gone),
            ("git gc --prune=all", gone),
            ("git -c gc.pruneExpire=now gc", gone),
            ("git prune", gone),
            ("git prune --dry-run", ""),
            ("git prune --expire=2.weeks.ago", ""),
            ("git reflog expire --expire=now --all", reflog),
            ("git reflog expire --expire=all --all", reflog),
            ("git reflog expire --expire=90.days --all", ""),
            ("git reflog delete HEAD@{1}", reflog),
            ("git reflog", ""),
            ("git reflog show expire", ""),
        ],
    );
}

#[test]
fn what_is_under_way_is_given_up() {
    let under_way = |fixture: Fixture| fixture.repos(|repo| repo.under_way = "rebase".to_owned());
    check(
        &under_way(clean()),
        &[("git rebase --abort", &["discard git:/p +mass"])],
    );
    loses(
        &under_way(clean().conflicted("f.txt").modified("a.rs")),
        &[
            ("git rebase --abort", "a.rs modified"),
            ("git merge --abort", ""),
        ],
    );
    loses(
        &under_way(clean().solved("f.txt").modified("a.rs")),
        &[
            (
                "git rebase --abort",
                "a.rs modified, f.txt conflict solved by hand",
            ),
            ("git merge --abort", "f.txt conflict solved by hand"),
            ("git cherry-pick --skip", "f.txt conflict solved by hand"),
        ],
    );
}

#[test]
fn push() {
    check(
        &clean(),
        &[
            ("git push", &["publish remote:origin/feat"]),
            ("git push origin HEAD", &["publish remote:origin/feat"]),
            ("git push -u origin topic", &["publish remote:origin/topic"]),
            (
                "git push --force origin main",
                &["publish remote:origin/main +force"],
            ),
            ("git push -f", &["publish remote:origin/feat +force"]),
            (
                "git push --for\\\nce origin main",
                &["publish remote:origin/main +force"],
            ),
            (
                "git -C lib push -f origin HEAD",
                &["publish remote:origin/feat +force"],
            ),
            (
                "git push origin +main",
                &["publish remote:origin/main +force"],
            ),
            (
                "git push origin -- +refs/heads/main",
                &["publish remote:origin/main +force"],
            ),
            (
                "git push origin refs/heads/main:+refs/heads/main",
                &["publish remote:origin/main +force"],
            ),
            ("git push origin HEAD:main", &["publish remote:origin/main"]),
            (
                "git push origin a b",
                &["publish remote:origin/a", "publish remote:origin/b"],
            ),
            (
                "git push --force-with-lease",
                &["publish remote:origin/feat +force_with_lease"],
            ),
            (
                "git push --force-with-lease=feat:abc origin feat",
                &["publish remote:origin/feat +force_with_lease"],
            ),
            (
                "git push -f --force-with-lease",
                &["publish remote:origin/feat +force +force_with_lease"],
            ),
            (
                "git push origin --delete old",
                &["publish remote:origin/old +deletes_ref"],
            ),
            (
                "git push origin :old",
                &["publish remote:origin/old +deletes_ref"],
            ),
            (
                "git push --force --dry-run origin main",
                &["publish remote:origin/main +force +dry_run"],
            ),
            ("git push -n", &["publish remote:origin/feat +dry_run"]),
            (
                "git push --mirror origin",
                &["publish remote:origin/* +force +mass +deletes_ref"],
            ),
            (
                "git push --tags",
                &["publish remote:origin/refs/tags/* +mass"],
            ),
            ("git push --all", &["publish remote:origin/* +mass"]),
            (
                "git push -f origin \"$B\"",
                &["publish remote:origin/ +force"],
            ),
            (
                "git push origin HEAD && [ -f .done ] && echo finished",
                &["publish remote:origin/feat"],
            ),
            (
                "git checkout main && git push -f",
                &["write git:/p#main", "publish remote:origin/main +force"],
            ),
            ("git push --no-verify", &["publish remote:origin/feat"]),
        ],
    );
    check(
        &clean().file(".git/hooks/pre-push", "npm test"),
        &[(
            "git push --no-verify",
            &["bypass git:hooks", "publish remote:origin/feat"],
        )],
    );
    let read = clean().read("git push origin HEAD:refs/heads/main");
    assert_eq!(read.actions[0].branch, "main");
}

#[test]
fn bypass() {
    let world = clean().file(".git/hooks/pre-commit", "npm test");
    let world = world.file(".git/hooks/pre-merge-commit", "npm test");
    let hooks = ["bypass git:hooks", "write git:/p#feat +keeps_files"];
    check(
        &world,
        &[
            ("git commit --no-verify -m x", &hooks),
            ("git commit --no-ver -m x", &hooks),
            ("git commit -nm x", &hooks),
            ("git commit -anm x", &hooks),
            ("git -c core.hooksPath=/dev/null commit -m x", &hooks),
            ("git -c CORE.hookspath= commit -m x", &hooks),
            ("HUSKY=0 git commit -m x", &hooks),
            ("export HUSKY=0; git commit -m x", &hooks),
            ("SKIP=lint git commit -m x", &hooks),
            ("LEFTHOOK=0 git commit -m x", &hooks),
            ("HUSKY=1 git commit -m x", &hooks[1..]),
            (
                "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.hooksPath GIT_CONFIG_VALUE_0=/x \
                 git commit -m x",
                &hooks,
            ),
            ("git commit -m 'explain --no-verify in docs'", &hooks[1..]),
            ("git commit -m x -- -n", &hooks[1..]),
            ("git commit -C HEAD", &hooks[1..]),
            (
                "git merge --no-verify main",
                &["bypass git:hooks", "write git:/p#feat"],
            ),
            ("git config core.hooksPath /dev/null", &["bypass git:hooks"]),
            ("git config --unset core.hooksPath", &["bypass git:hooks"]),
            ("git config core.hooksPath", &[]),
        ],
    );
    silent(&world, &["git log -n 5", "git -c core.hooksPath=/x status"]);
}

/// Where no hook would check a command, leaving the hooks out skips nothing.
#[test]
fn hooks_that_are_not_there() {
    let forms = ["git commit --no-verify -m x", "HUSKY=0 git commit -m x"];
    let commits = ["write git:/p#feat +keeps_files"];
    let skips = ["bypass git:hooks", commits[0]];
    let config = |value: &str| {
        let text = format!("[core]\n\thooksPath = {value}\n");
        clean().file(".git/config", &text)
    };
    for (world, expected) in [
        (clean(), &commits[..]),
        (clean().file(".git/hooks/pre-commit.sample", "x"), &commits),
        (clean().file(".git/hooks/post-commit", "x"), &commits),
        (clean().file(".git/hooks/pre-push", "x"), &commits),
        (clean().file(".git/hooks/commit-msg", "x"), &skips),
        (config("githooks").file("githooks/pre-commit", "x"), &skips),
        (
            config("githooks").file(".git/hooks/pre-commit", "x"),
            &commits,
        ),
        (
            config("/home/dev/h").file("/home/dev/h/commit-msg", "x"),
            &skips,
        ),
        (config("~/h").file("/home/dev/h/commit-msg", "x"), &skips),
        (
            config(".husky/_").file(".husky/_/commit-msg", "x"),
            &commits,
        ),
        (config(".husky/_").file(".husky/pre-commit", "x"), &skips),
    ] {
        for form in forms {
            check(&world, &[(form, expected)]);
        }
    }
    let made = "echo 'npm test' > .git/hooks/pre-commit; git commit -nm x";
    let read = clean().actions(made);
    assert!(read.contains(&"bypass git:hooks".to_owned()), "{read:?}");
}

#[test]
fn branches_that_go_on_a_remote() {
    let key = "refs/remotes/origin/topic";
    let deletes = ["publish remote:origin/topic +deletes_ref"];
    let merged = ["publish remote:origin/topic +deletes_ref +merged"];
    let forms = ["git push origin --delete topic", "git push origin :topic"];
    for (world, expected) in [
        (clean(), &deletes),
        (clean().orphans(key, 2), &deletes),
        (clean().orphans(key, 0), &merged),
    ] {
        for form in forms {
            check(&world, &[(form, &expected[..])]);
        }
    }
    // Which of many are merged is not asked.
    let many = clean().orphans("refs/remotes/origin/*", 0);
    check(
        &many,
        &[(
            "git push --prune origin 'refs/heads/*'",
            &["publish remote:origin/* +mass +deletes_ref"],
        )],
    );
}

#[test]
fn config() {
    check(
        &clean(),
        &[
            (
                "git config user.name Alice",
                &["write git:/p/.git/config +append"],
            ),
            (
                "git config --global user.email a@b",
                &["write git:/home/dev/.gitconfig +append"],
            ),
            (
                "git config --global core.editor vim",
                &["write git:/home/dev/.gitconfig +append"],
            ),
            (
                "git config --global alias.co checkout",
                &["write git:/home/dev/.gitconfig +append"],
            ),
            (
                "git config --global alias.x '!rm -rf ~'",
                &["write autorun:/home/dev/.gitconfig +append"],
            ),
            (
                "git config core.fsmonitor ./x.sh",
                &["write autorun:/p/.git/config +append"],
            ),
            (
                "git config core.fsmonitor true",
                &["write git:/p/.git/config +append"],
            ),
            (
                "git config set core.sshCommand 'sh x'",
                &["write autorun:/p/.git/config +append"],
            ),
            (
                "git config filter.x.clean 'sh -c y'",
                &["write autorun:/p/.git/config +append"],
            ),
            (
                "git config credential.helper store",
                &["write git:/p/.git/config +append"],
            ),
            (
                "git config credential.helper '!sh x'",
                &["write autorun:/p/.git/config +append"],
            ),
            (
                "git config --unset user.name",
                &["write git:/p/.git/config +append"],
            ),
        ],
    );
    silent(
        &clean(),
        &[
            "git config user.name",
            "git config --get user.name",
            "git config --global --list",
            "git config get user.name",
            "git config -l",
        ],
    );
}

#[test]
fn programs_that_git_runs() {
    let all = "a.rs modified, src/b.rs modified, s.rs staged";
    let world = dirty();
    loses(
        &world,
        &[
            ("git -c 'alias.nuke=!git reset --hard' nuke", all),
            ("git -c alias.nuke=reset nuke --hard", all),
            ("git -c 'alias.nuke=reset --hard' nuke", all),
            (
                "GIT_CONFIG_PARAMETERS=\"'alias.nuke=reset'\" git nuke --hard",
                all,
            ),
            (
                "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.nuke GIT_CONFIG_VALUE_0=reset \
                 git nuke --hard",
                all,
            ),
            ("git config alias.nuke 'reset --hard' && git nuke", all),
            ("git -c 'alias.status=reset --hard' status", ""),
            (
                "GIT_SSH_COMMAND='sh -c \"git reset --hard\"' git fetch",
                all,
            ),
            ("EDITOR='bash -c \"git reset --hard\"' git commit", all),
            ("git -c core.pager='git reset --hard;' log", all),
            ("git rebase -x 'git reset --hard' main", all),
            ("git bisect run git reset --hard", all),
            ("git clone -u 'git reset --hard' x", all),
        ],
    );
    check(
        &world,
        &[
            ("git frobnicate --hard", &["execute program:git frobnicate"]),
            ("EDITOR=vim git commit", &["write git:/p#feat +keeps_files"]),
            (
                "GIT_SEQUENCE_EDITOR=: git rebase -i main",
                &["rewrite git:/p#feat"],
            ),
        ],
    );
    let endless = world.read("git -c alias.a=b -c alias.b=a a");
    assert!(
        endless.unread.iter().any(|what| what.contains("alias")),
        "{endless:?}"
    );
}

#[test]
fn output_files() {
    let world = clean().file("/home/dev/.profile", "x").file(".envrc", "x");
    check(
        &world,
        &[
            (
                "git diff --output=/home/dev/.profile",
                &["write autorun:/home/dev/.profile +truncate ! /home/dev/.profile not in git"],
            ),
            (
                "git log --output new.txt",
                &["write file:/p/new.txt +truncate +creates"],
            ),
            (
                "git archive -o x.tar HEAD",
                &["write file:/p/x.tar +truncate +creates"],
            ),
            (
                "git bundle create b.bundle main",
                &["write file:/p/b.bundle +truncate +creates"],
            ),
            ("git diff .envrc", &["read file:/p/.envrc +secret"]),
            ("git show HEAD:.env", &["read file:/p/.env +secret"]),
        ],
    );
    silent(
        &world,
        &["git archive --prefix=project/ HEAD", "git diff HEAD~1"],
    );
}

#[test]
fn files_that_plumbing_writes() {
    let world = clean().untracked("notes.md");
    for command in [
        "git format-patch -1 --output=notes.md",
        "git diff-files --output=notes.md",
        "git diff-index --output notes.md HEAD",
        "git range-diff --output=notes.md HEAD~1..HEAD HEAD~1..HEAD",
        "git stash show -p --output=notes.md",
        "git shortlog --output=notes.md",
        "git fast-export --all --export-marks=notes.md",
        "git index-pack -o notes.md x.pack",
        "git mailinfo notes.md patch.diff",
        "git show HEAD:notes.md | sponge notes.md",
        "git cat-file -p HEAD:notes.md > notes.md",
    ] {
        assert!(is_lossy(&world, command), "{command}");
    }
    for command in [
        "git format-patch -1 --stdout",
        "git format-patch -1 --output=new.patch",
        "git diff-files --output=new.txt",
        "git range-diff a...b",
        "git shortlog -sn",
        "git merge-file -p notes.md a b",
        "git merge-file notes.md a b",
        "git interpret-trailers --in-place --trailer 'a: b' notes.md",
        "git log --grep=--output=notes.md",
        "sed s/a/b/ notes.md | sponge notes.md",
        "git log | sponge -a notes.md",
    ] {
        assert!(!is_lossy(&world, command), "{command}");
    }
}

#[test]
fn history_that_other_programs_rewrite() {
    let lost = "the commits as they are now, on every branch it rewrites";
    loses(
        &clean(),
        &[
            ("git lfs migrate import --include='*.bin'", lost),
            ("git lfs migrate export --everything --include='*'", lost),
            ("bfg --delete-files id_rsa", lost),
            ("bfg --strip-blobs-bigger-than 10M .", lost),
        ],
    );
    harmless(
        &clean(),
        &[
            "git lfs pull",
            "git lfs migrate info",
            "git lfs track '*.bin'",
            "bfg --version",
            "bfg",
        ],
    );
    let world = clean().untracked("n.txt");
    assert!(
        lines(&world, "git for-each-repo --config=x.repo clean -fd")
            .join("")
            .contains(" ?")
    );
    harmless(&world, &["git for-each-repo --config=x.repo status"]);
}

#[test]
fn settings_of_every_level() {
    let all = "a.rs modified, src/b.rs modified, s.rs staged";
    let lax = "[clean]\n\trequireForce = false\n";
    let nuke = "[alias]\n\tnuke = reset --hard\n\tlast = log -1\n\twipe = !git checkout .\n";
    loses(
        &dirty().file(".git/config", lax),
        &[
            ("git clean -d", "n.txt untracked"),
            ("git clean", "n.txt untracked"),
        ],
    );
    let in_call = "git config clean.requireForce false; git clean -d";
    loses(&dirty(), &[(in_call, "n.txt untracked")]);
    harmless(&dirty(), &["git clean -d", "git clean"]);
    for file in [
        ".git/config",
        "~/.gitconfig",
        "~/.config/git/config",
        "/etc/gitconfig",
    ] {
        let world = dirty().file(file, nuke);
        let changed = "a.rs modified, src/b.rs modified";
        loses(&world, &[("git nuke", all), ("git wipe", changed)]);
        harmless(&world, &["git last", "git nuke --help", "git unheard-of"]);
    }
    let included = dirty()
        .file("~/.gitconfig", "[include]\n\tpath = more.inc\n")
        .file("~/more.inc", nuke);
    loses(&included, &[("git nuke", all)]);
    loses(
        &dirty().file("my", nuke),
        &[("git -c include.path=my nuke", all)],
    );
    loses(
        &dirty().file("my", nuke),
        &[("GIT_CONFIG_GLOBAL=my git nuke", all)],
    );
}

#[test]
fn pushes_by_setting() {
    let mirror = "[remote \"origin\"]\n\turl = x\n\tmirror = true\n";
    let forced = "[remote \"origin\"]\n\tpush = +refs/heads/feat:refs/heads/main\n";
    check(
        &clean().file(".git/config", mirror),
        &[(
            "git push",
            &["publish remote:origin/* +force +mass +deletes_ref"],
        )],
    );
    check(
        &clean().file(".git/config", forced),
        &[("git push", &["publish remote:origin/main +force"])],
    );
    check(&clean(), &[("git push", &["publish remote:origin/feat"])]);
}

#[test]
fn changes_in_submodules() {
    let listed = "[submodule \"lib\"]\n\tpath = lib\n\turl = x\n";
    let world = clean()
        .file(".gitmodules", listed)
        .repo("lib")
        .modified("lib/l.c");
    let lost = "l.c modified";
    loses(
        &world,
        &[
            ("git reset --hard --recurse-submodules", lost),
            ("git -c submodule.recurse=true reset --hard", lost),
            ("git checkout -f --recurse-submodules main", lost),
            ("git restore --recurse-submodules .", lost),
            ("git submodule update --force", lost),
            ("git submodule foreach git reset --hard", lost),
            ("git submodule foreach 'git checkout .'", lost),
        ],
    );
    loses(
        &world
            .clone()
            .file(".git/config", "[submodule]\n\trecurse = true\n"),
        &[
            ("git reset --hard", lost),
            ("git reset --hard --no-recurse-submodules", ""),
        ],
    );
    harmless(
        &world,
        &[
            "git reset --hard",
            "git checkout -f main",
            "git submodule update --init --recursive",
            "git submodule foreach git status",
            "git submodule foreach git pull",
        ],
    );
}

#[test]
fn patches() {
    let diff = "--- a/.claude/settings.json\n+++ b/.claude/settings.json\n@@ -1 +1 @@\n-x\n+y\n";
    let world = dirty()
        .file("/tmp/tweak.diff", diff)
        .file(".claude/settings.json", "x")
        .own(".claude/settings*.json");
    check(
        &world,
        &[
            (
                "git apply /tmp/tweak.diff",
                &[
                    "write file:/p/.claude/settings.json",
                    "tamper gate:/p/.claude/settings.json",
                ],
            ),
            (
                "git apply < /tmp/tweak.diff",
                &[
                    "read file:/tmp/tweak.diff",
                    "write file:/p/.claude/settings.json",
                    "tamper gate:/p/.claude/settings.json",
                ],
            ),
            ("git apply --check /tmp/tweak.diff", &[]),
            ("git apply --cached /tmp/tweak.diff", &["write git:/p"]),
            ("git apply missing.diff", &["write git:/p +mass"]),
            (
                "git diff | git apply -R",
                &["discard git:/p +mass ! a.rs modified, src/b.rs modified"],
            ),
        ],
    );
}

#[test]
fn work_trees_and_submodules() {
    let world = dirty();
    check(
        &world,
        &[
            ("git worktree list", &[]),
            (
                "git worktree add ../wt -b x origin/main",
                &["write git:/home/dev/wt +creates"],
            ),
            ("git worktree remove ../wt", &["write git:/home/dev/wt"]),
            ("git worktree prune", &["write git:/p"]),
            (
                "git worktree remove --force \"$W\"",
                &["discard git: +force ?"],
            ),
            ("git submodule status", &[]),
            ("git submodule update --init --recursive", &["write git:/p"]),
            (
                "git submodule update --force",
                &["discard git:/p#submodules +force +mass ?"],
            ),
            ("git submodule foreach 'git status'", &[]),
        ],
    );
    loses(
        &world,
        &[(
            "git worktree remove --force /home/dev/proj",
            "a.rs modified, src/b.rs modified, s.rs staged, n.txt untracked, .env ignored",
        )],
    );
}

#[test]
fn new_work_trees_have_nothing_to_lose() {
    harmless(
        &dirty(),
        &[
            "git worktree add ../wt && cd ../wt && git reset --hard origin/main",
            "git clone https://h/x.git lib && cd lib && git checkout -f v1",
            "git clone https://h/x.git lib && git -C lib/src clean -fdx",
            "cd /tmp && git clone https://h/x.git && cd x && git reset --hard HEAD~1",
        ],
    );
    loses(
        &dirty(),
        &[(
            "git clone https://h/x.git lib; git clean -f",
            "n.txt untracked",
        )],
    );
}

#[test]
fn transfer() {
    check(
        &clean(),
        &[
            ("git fetch", &["fetch url:origin"]),
            ("git fetch origin main", &["fetch url:origin"]),
            ("git fetch --all", &["fetch url:origin"]),
            ("git ls-remote origin", &["fetch url:origin"]),
            ("git remote add x https://h/x.git", &["write git:/p"]),
            (
                "git clone https://h/org/lib.git",
                &[
                    "fetch url:https://h/org/lib.git",
                    "write git:/p/lib +creates",
                ],
            ),
            (
                "git clone --depth 1 git@h:org/lib /tmp/ref",
                &["fetch url:git@h:org/lib", "write git:/tmp/ref +creates"],
            ),
            ("git init sub", &["write git:/p/sub +creates"]),
            ("git send-email x.patch", &["send url:mail"]),
        ],
    );
    silent(
        &clean(),
        &["git remote -v", "git remote", "git remote show origin"],
    );
}

#[test]
fn reading_is_silent() {
    silent(
        &dirty(),
        &[
            "git status",
            "git status --short 2>/dev/null",
            "git log --oneline -5",
            "git diff",
            "git diff --staged",
            "git diff --quiet",
            "git show HEAD",
            "git blame -L 1,5 HEAD | head -1 > /dev/null",
            "git ls-files",
            "git rev-parse --show-toplevel",
            "git rev-list --count HEAD",
            "git for-each-ref --format='%(refname)'",
            "git grep -n 'git reset --hard'",
            "git cat-file -p HEAD",
            "git count-objects -v",
            "git var GIT_AUTHOR_IDENT",
            "git check-ignore x",
            "git describe --tags",
            "git --version",
            "git",
            "PAGER=less git help config",
            "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=user.name GIT_CONFIG_VALUE_0='' git status",
            "git add -nv .",
            "git commit --dry-run",
            "git -c user.name=Alice status",
        ],
    );
}

#[test]
fn outside_a_repository_nothing_is_lost() {
    harmless(
        &Fixture::new(),
        &[
            "git reset --hard",
            "git clean -fdx",
            "git stash clear",
            "git branch -D x",
        ],
    );
}

#[test]
fn forges() {
    check(
        &clean(),
        &[
            ("gh pr merge 42 --squash", &["publish remote:pull/42"]),
            (
                "gh pr merge 42 --admin",
                &["publish remote:pull/42 +force", "bypass remote:checks"],
            ),
            ("gh pr create --title x --body y", &["publish remote:pull/"]),
            (
                "gh api -X PUT repos/acme/app/pulls/42/merge",
                &["publish remote:pull/42"],
            ),
            (
                "gh api --method=PUT /repos/acme/app/pulls/42/merge",
                &["publish remote:pull/42"],
            ),
            (
                "gh api -X DELETE repos/acme/app",
                &["destroy remote:repository/acme/app ! repository/acme/app on the forge"],
            ),
            (
                "gh api -X DELETE repos/acme/app/git/refs/heads/x",
                &["publish remote:branch/x +deletes_ref"],
            ),
            (
                "gh api -X PATCH repos/acme/app/git/refs/heads/main -F force=true -f sha=1",
                &["publish remote:branch/main +force"],
            ),
            ("gh api repos/acme/app/issues/3/comments -f body=hello", &[]),
            ("gh api repos/acme/app/pulls/42/merge", &[]),
            (
                "gh api graphql -f query='mutation { mergePullRequest(input: {}) { x } }'",
                &["publish remote:pull/"],
            ),
            (
                "gh release create v0.11.0 --title v0.11.0 --notes-file notes.md",
                &["publish remote:release/v0.11.0"],
            ),
            (
                "gh repo delete acme/app --yes",
                &["destroy remote:repository/acme/app \
                   ! the repository, its issues and pull requests"],
            ),
            (
                "hub push -f origin main",
                &["publish remote:origin/main +force"],
            ),
        ],
    );
    silent(
        &clean(),
        &[
            "gh pr list",
            "gh pr view 42",
            "gh issue edit 20 --body-file body.md",
            "gh run watch",
            "gh api repos/acme/app",
            "hub status",
        ],
    );
}

/// Commands that lose something in the dirty world, and must go on doing so however they are
/// dressed.
const LOSING: &[&str] = &[
    "reset --hard",
    "reset --merge",
    "checkout -- .",
    "checkout -f main",
    "checkout HEAD~1 -- src",
    "switch --discard-changes main",
    "restore .",
    "restore -SW src",
    "clean -fdx",
    "rm -rf .",
    "stash && git stash drop",
    "stash clear",
    "worktree remove --force .",
    "read-tree --reset -u HEAD",
    "branch -D old",
    "update-ref -d refs/heads/old",
    "filter-branch -f -- --all",
    "gc --prune=now",
    "reflog expire --expire=now --all",
];

/// Words that a git command line may be made of.
const WORDS: &[&str] = &[
    "reset",
    "checkout",
    "clean",
    "stash",
    "push",
    "config",
    "worktree",
    "submodule",
    "apply",
    "commit",
    "branch",
    "rebase",
    "remote",
    "clone",
    "tag",
    "rm",
    "mv",
    "--hard",
    "-f",
    "-D",
    "--",
    "-",
    "",
    ".",
    ":/",
    ":(",
    ":!x",
    "..",
    "HEAD~1",
    "origin/main",
    "a:b",
    "+x:y",
    ":x",
    "-c",
    "-C",
    "alias.x=!x",
    "x=y",
    "--git-dir",
    "--git-dir=",
    "=",
    "*",
    "[",
    "-m",
    "--file=",
    "é",
    "\u{fffc}",
    "stash@{0}",
    "--exec-path",
    "-x",
    "--force-with-lease=",
    "drop",
    "add",
];

fn losing_world() -> Fixture {
    dirty()
        .repos(|repo| repo.stashes = 1)
        .orphans("old", 2)
        .orphans("refs/heads/old", 2)
}

fn is_lossy(world: &Fixture, command: &str) -> bool {
    let read = world.read(command);
    let lossy = |action: &Action| action.loss.known().is_none_or(|loss| !loss.is_nothing());
    read.actions.iter().any(lossy)
}

#[test]
fn what_loses_is_seen_to_lose() {
    for command in LOSING {
        assert!(
            is_lossy(&losing_world(), &format!("git {command}")),
            "{command}"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever stands on a command line, it is read to its end.
    #[test]
    fn any_words_are_read(words in prop::collection::vec(prop::sample::select(WORDS), 0..8)) {
        let quoted: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
        for program in ["git", "gh", "hub", "git-stash"] {
            let read = dirty().read(&format!("{program} {}", quoted.join(" ")));
            prop_assert!(read.actions.len() <= 64, "{read:?}");
        }
    }

    /// Options before the subcommand hide nothing.
    #[test]
    fn global_options_hide_nothing(
        command in prop::sample::select(LOSING),
        options in prop::collection::vec(
            prop::sample::select(&[
                "--no-pager", "-P", "-p", "-c a.b=c", "-C .", "-C ''", "--no-optional-locks",
                "--literal-pathspecs", "--exec-path=/x", "--git-dir=.git", "--work-tree=.",
                "--namespace x", "-c core.editor=vim", "--config-env=a.b=HOME", "--bare",
            ][..]),
            0..4,
        ),
    ) {
        let line = format!("git {} {command}", options.join(" "));
        prop_assert!(is_lossy(&losing_world(), &line), "{line}");
    }

    /// Doing harmless things first does not make a loss disappear.
    #[test]
    fn harmless_commands_hide_nothing(
        command in prop::sample::select(LOSING),
        first in prop::sample::select(&[
            "git status", "git fetch", "git diff", "git log -1", "git branch x", "git tag x",
            "git stash list", "git add -n .", "git clean -n", "git commit --dry-run -a",
            "git config user.name x", "git worktree list", "git pull",
        ][..]),
        join in prop::sample::select(&["&&", ";", "||", "&"][..]),
    ) {
        let line = format!("{first} {join} git {command}");
        prop_assert!(is_lossy(&losing_world(), &line), "{line}");
    }
}

#[test]
fn what_this_call_has_committed_is_lost_with_its_branch() {
    let world = dirty();
    let lost = "loses what this call has committed";
    for command in [
        "git commit -qam x && git reset --hard HEAD~1",
        "git checkout -b w && git commit -am x && git checkout main && git branch -D w",
        "git branch keep && git commit -qam x && git reset --hard HEAD^",
    ] {
        let told = world.actions(command).join("; ");
        assert!(told.contains(lost), "{command}: {told}");
    }
    for command in [
        "git commit -qam x && git reset --soft HEAD~1",
        "git commit -qam x && git reset --hard HEAD",
        "git commit -qam x && git push && git reset --hard HEAD~1",
        "git commit -qam x && git branch keep && git reset --hard HEAD~1",
        "git checkout -b w && git commit -am x && git checkout main && git merge w && git branch -D w",
        "git branch w && git commit -am x && git branch -D w",
    ] {
        let told = world.actions(command).join("; ");
        assert!(!told.contains(lost), "{command}: {told}");
    }
}

#[test]
fn a_new_name_holds_what_the_old_one_held() {
    let world = clean().orphans("feat", 2).orphans("refs/tags/v1", 1);
    for (command, is_lost) in [
        ("git branch -D feat", true),
        ("git branch kept feat && git branch -D feat", false),
        ("git branch kept; git branch -D feat", true),
        ("git branch kept && git branch -D feat", true),
        ("git tag kept v1 && git tag -d v1", false),
        ("git tag -d v1", true),
    ] {
        let told = world.actions(command).join("; ");
        assert_eq!(
            told.contains("on no other branch"),
            is_lost,
            "{command}: {told}"
        );
    }
}
