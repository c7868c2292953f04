# A project in the middle of work, with everything that can be lost in one of its kinds.
# Runs in the project's directory; $HOME is the home around it.
set -e
git init -q -b main .
git config core.autocrlf false
git config filter.upper.clean 'tr a-z A-Z'
git config filter.upper.smudge 'tr A-Z a-z'
printf 'target/\nnode_modules/\n.env\nprivate/\n*.secret\n' > .gitignore
printf '*.up filter=upper\n*.win text eol=crlf\n' > .gitattributes
mkdir -p src docs lib/deep
for n in a b c d e; do printf 'fn %s() {}\n' "$n" > "src/$n.rs"; done
printf '# read me\n' > README.md
printf 'page\n' > docs/page.md
printf 'deep\n' > lib/deep/c.txt
printf '#!/bin/sh\necho run\n' > run.sh
chmod 755 run.sh
printf 'one\r\ntwo\r\n' > text.win
printf 'filtered\n' > asset.up
printf 'version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 7\n' > pointer.bin
ln -s README.md tracked-link
git add -A
git commit -qm one
printf 'two\n' > two.txt; git add two.txt; git commit -qm two
printf 'three\n' > three.txt; git add three.txt; git commit -qm three
git checkout -qb feat
printf 'feat\n' > feat.txt; git add feat.txt; git commit -qm feat-one
printf 'more\n' >> feat.txt; git commit -qam feat-two
git checkout -q main
git tag -f v1 HEAD~1
git checkout -q --detach
printf 'tagged\n' > tagged.txt; git add tagged.txt; git commit -qm tagged
git tag only-tag
git checkout -q main
git branch side HEAD~1
# Stashes.
printf 'stash one\n' >> src/e.rs; git stash push -q
printf 'stash two\n' > with-untracked.txt; git stash push -qu
# Work that is in no commit.
printf 'changed\n' >> src/a.rs
printf 'staged\n' >> src/b.rs; git add src/b.rs; printf 'and changed again\n' >> src/b.rs
printf 'staged only\n' >> src/c.rs; git add src/c.rs
printf 'private\n' >> docs/page.md; chmod 600 docs/page.md
printf 'echo more\n' >> run.sh
printf 'three\r\n' >> text.win
printf 'raw Bytes\n' > asset.up
printf 'big object\n' > pointer.bin
printf 'added\n' > added.txt; git add added.txt
printf 'notes\n' > notes.md
printf 'key\n' > id.key; chmod 600 id.key
printf 'umlaut\n' > 'mit lücke.txt'
: > empty.txt
mkdir -p draft/sub/deep draft/hollow
printf '1\n' > draft/one.txt
printf '2\n' > draft/two.txt; chmod 640 draft/two.txt
printf '3\n' > draft/sub/deep/three.txt
printf '#!/bin/sh\n' > draft/tool; chmod 755 draft/tool
chmod 700 draft/sub
ln -s nowhere draft/dangling
ln -s one.txt draft/good
ln -s nowhere dangling
ln -s README.md good
printf 'SECRET=1\n' > .env; chmod 600 .env
mkdir private; printf 'p\n' > private/p.txt; printf 'q\n' > private/q.txt
printf 's\n' > x.secret
mkdir -p target/debug node_modules/m
printf 'CACHEDIR.TAG\n' > target/CACHEDIR.TAG
printf 'built\n' > target/debug/app
printf 'm\n' > node_modules/m/index.js
# Repositories inside.
git init -q nest; printf 'n\n' > nest/n.txt; git -C nest add n.txt; printf 'u\n' > nest/u.txt
git init -q -b main nest2; printf 'x\n' > nest2/x.txt; git -C nest2 add x.txt
git -C nest2 commit -qm x; printf 'y\n' >> nest2/x.txt; printf 'z\n' > nest2/z.txt
# Outside of the repository.
mkdir -p "$HOME/other/inner"
printf 'o\n' > "$HOME/other/o.txt"
printf 'i\n' > "$HOME/other/inner/i.txt"; chmod 600 "$HOME/other/inner/i.txt"
