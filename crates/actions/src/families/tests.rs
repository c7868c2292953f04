//! The families that are mostly tables: commands, and the actions that are read.

use super::*;
use crate::testing::Fixture;

/// Commands with the actions they are read as, in order; project paths are shown relative.
type Cases<'c> = &'c [(&'c str, &'c [&'c str])];

fn check(cases: Cases<'_>) {
    let mut world = Fixture::new()
        .file("drop.sql", "TRUNCATE t;")
        .file("old.txt", "x");
    world.place.agents.push("agent".into());
    for (command, expected) in cases {
        let actions = world.actions(command);
        let actions: Vec<String> = actions
            .iter()
            .map(|action| action.replace("/home/dev/proj/", ""))
            .collect();
        assert_eq!(actions, *expected, "{command}");
    }
}

#[test]
fn programs_are_sorted_and_belong_to_one_family() {
    let mut all: Vec<&str> = Vec::new();
    for family in FAMILIES {
        let names = family.iter().map(|program| program.name);
        let sorted = names.clone().is_sorted_by(|before, after| before < after);
        assert!(sorted, "not sorted: {:?}", names.collect::<Vec<_>>());
        all.extend(family.iter().map(|program| program.name));
    }
    all.sort_unstable();
    let twice: Vec<&[&str]> = all
        .windows(2)
        .filter(|pair| pair.first() == pair.last())
        .collect();
    assert!(twice.is_empty(), "in two families: {twice:?}");
}

#[test]
fn clusters() {
    check(&[
        ("kubectl get pods -n prod", &["read k8s:pod/*"]),
        (
            "kubectl get secret s -o yaml",
            &["read k8s:secret/s [secret]"],
        ),
        ("kubectl get secret s -o name", &["read k8s:secret/s"]),
        ("kubectl -n prod logs -f pod/x", &["read k8s:pod/x"]),
        ("kubectl apply -f k8s/x.yaml", &["deploy k8s:k8s/x.yaml"]),
        (
            "kubectl apply -f a.yaml --dry-run=client",
            &["deploy k8s:a.yaml [dry_run]"],
        ),
        (
            "kubectl apply -f a.yaml --dry-run=none",
            &["deploy k8s:a.yaml"],
        ),
        ("kubectl diff -f k8s/x.yaml", &["read k8s:k8s/x.yaml"]),
        (
            "kubectl set image deployment/api api=api:2",
            &["deploy k8s:deployment/api"],
        ),
        (
            "kubectl scale --replicas=0 deploy api",
            &[
                "deploy k8s:deployment/api",
                "destroy k8s:deployment/api, loses what runs as deployment/api",
            ],
        ),
        ("kubectl label pods x a=b", &["deploy k8s:pod/x"]),
        (
            "kubectl rollout undo deployment/x",
            &["deploy k8s:deployment/x"],
        ),
        (
            "kubectl rollout status deployment/x",
            &["read k8s:deployment/x"],
        ),
        (
            "kubectl rollout restart deployment/x",
            &["deploy k8s:restart/deployment/x"],
        ),
        (
            "kubectl rollout restart deploy x -n prod",
            &["deploy k8s:restart/deployment/x"],
        ),
        (
            "kubectl rollout restart deployment",
            &["deploy k8s:restart/deployment/* [mass]"],
        ),
        ("kubectl rollout restart", &["deploy k8s:restart/ [mass]"]),
        (
            "kubectl rollout restart deployment -l app=a",
            &["deploy k8s:restart/deployment/* [mass]"],
        ),
        (
            "kubectl rollout restart deployment/x sts/y",
            &[
                "deploy k8s:restart/deployment/x [mass]",
                "deploy k8s:restart/statefulset/y [mass]",
            ],
        ),
        (
            "kubectl get deploy -o name | xargs kubectl rollout restart",
            &[
                "read k8s:deployment/*",
                "deploy k8s:restart/…/* [mass] (unknown)",
            ],
        ),
        (
            "for d in a b; do kubectl rollout restart deployment/$d; done",
            &[
                "deploy k8s:restart/deployment/a [mass] (derived)",
                "deploy k8s:restart/deployment/b [mass] (derived)",
            ],
        ),
        (
            "kubectl delete deployment nginx",
            &["deploy k8s:deployment/nginx"],
        ),
        (
            "kubectl delete namespace pay",
            &["destroy k8s:namespace/pay, loses what namespace/pay holds in the cluster"],
        ),
        (
            "kubectl delete deployment --all",
            &["destroy k8s:deployment/* [mass], loses what deployment/* holds in the cluster"],
        ),
        (
            "kubectl delete ns pay --dry-run=client",
            &["destroy k8s:namespace/pay [dry_run]"],
        ),
        (
            "kubectl config use-context prod",
            &["execute program:kubectl"],
        ),
        ("kubectl --help", &[]),
        (
            "helm upgrade --install a ./chart",
            &["deploy k8s:release/a"],
        ),
        (
            "helm uninstall a -n prod",
            &["destroy k8s:release/a, loses what release/a holds in the cluster"],
        ),
        ("helm list", &["execute program:helm"]),
    ]);
}

#[test]
fn terminals_and_agents() {
    check(&[
        ("agent -p 'fix it'", &["delegate program:agent"]),
        (
            "agent -p 'bd-42: fix it'",
            &["delegate program:agent [tracked]"],
        ),
        (
            "TASK=7 agent -p 'fix it'",
            &["delegate program:agent [tracked]"],
        ),
        ("agent --version", &["execute program:agent"]),
        ("agent mcp list", &["execute program:agent"]),
        (
            "tmux send-keys -t w 'agent -p \"fix it\"' Enter",
            &["delegate program:agent"],
        ),
        (
            "tmux send-keys -t w 'agent -p \"#12\"' C-m",
            &["delegate program:agent [tracked]"],
        ),
        (
            "tmux new-session -d -s bd-7 'agent -p x'",
            &["delegate program:agent [tracked]"],
        ),
        ("tmux new -ds w agent -p x", &["delegate program:agent"]),
        (
            "tmux new-session -ds w 'rm /etc/x'",
            &["delete file:/etc/x system"],
        ),
        (
            "tmux send-keys -t w 'rm /etc/x' Enter",
            &["delete file:/etc/x system"],
        ),
        ("tmux send-keys -t w C-c", &[]),
        ("tmux send-keys -t w 'do it' Enter", &["execute program:it"]),
        (
            "tmux send-keys -t w 'do rm /etc/x' Enter",
            &["delete file:/etc/x system"],
        ),
        (
            "tmux send-keys -t w \"don't\" Enter",
            &["execute program:tmux"],
        ),
        ("tmux ls", &[]),
        ("tmux kill-session -t w", &["kill process:tmux:w"]),
        (
            "tmux new -d \\; kill-server",
            &["kill process:tmux:server [mass]"],
        ),
    ]);
}

#[test]
fn processes_and_schedules() {
    check(&[
        ("kill 123 124", &["kill process:123", "kill process:124"]),
        ("kill -s TERM 123", &["kill process:123"]),
        ("kill -9 -1", &["kill process:-1 [mass]"]),
        ("kill -0 123; kill -l", &[]),
        ("kill $UNSET", &["kill process: (unknown)"]),
        ("pkill node", &["kill process:node [mass]"]),
        ("pkill -9 -f 'node'", &["kill process:node [mass]"]),
        ("pkill -f my-server.js", &["kill process:my-server.js"]),
        ("pkill -u dev", &["kill process:dev [mass]"]),
        ("killall -9 python3", &["kill process:python3 [mass]"]),
        ("killall my-app", &["kill process:my-app"]),
        ("fuser -k 3000/tcp", &["kill process:3000/tcp"]),
        ("shutdown -h now", &["kill process:machine [mass]"]),
        ("crontab -l", &["read autorun:crontab"]),
        (
            "crontab -r",
            &["delete autorun:crontab, loses the user's whole crontab"],
        ),
        (
            "crontab new.cron",
            &[
                "read file:new.cron project",
                "write autorun:crontab [truncate], loss unknown",
            ],
        ),
    ]);
}

#[test]
fn databases_are_read_by_their_statements() {
    let content =
        |program: &str| format!("destroy db:{program}, loses the content of the database");
    let forced = "destroy db:prisma migrate reset [force], loses the content of the database";
    check(&[
        ("psql -t -c 'SELECT 1'", &[]),
        (
            "psql \"$URL\" -c 'DROP TABLE a;'",
            &["destroy db:table a, loses the content of table a"],
        ),
        (
            "psql -f drop.sql",
            &["destroy db:table t, loses the content of table t"],
        ),
        ("psql <<< 'delete from a where id = 1'", &[]),
        (
            "mysql -e 'DELETE FROM u'",
            &["destroy db:table u, loses the content of table u"],
        ),
        (
            "sqlite3 app.db 'drop table x'",
            &[
                "write file:app.db [creates] project",
                "destroy db:table x, loses the content of table x",
            ],
        ),
        (
            "sqlite3 /tmp/app.db 'drop table x'; sqlite3 :memory: 'drop table x'",
            &[],
        ),
        ("psql", &["open_channel program:psql"]),
        ("pnpm prisma migrate reset --force", &[forced]),
        (
            "npx prisma db push --accept-data-loss",
            &[&content("prisma db push")],
        ),
        ("npx prisma generate", &["execute program:prisma"]),
        (
            "npx drizzle-kit push --force",
            &["destroy db:drizzle-kit push [force], loses the content of the database"],
        ),
        ("npx supabase db reset", &[&content("supabase db reset")]),
        ("rails db:drop", &[&content("rails db:drop")]),
        (
            "redis-cli FLUSHALL",
            &["destroy db:keys, loses the content of the store"],
        ),
        (
            "dropdb app",
            &["destroy db:app, loses the content of the database"],
        ),
    ]);
}

#[test]
fn clouds_and_containers() {
    let objects = "loses stored objects that exist nowhere else";
    check(&[
        ("terraform plan", &["read cloud:terraform plan"]),
        (
            "terraform apply -auto-approve",
            &["deploy cloud:terraform apply"],
        ),
        (
            "terraform destroy -auto-approve",
            &["destroy cloud:terraform destroy, loses everything that this configuration manages"],
        ),
        ("aws s3 ls s3://a --recursive", &["read cloud:s3://a"]),
        (
            "aws s3 rm s3://a --recursive",
            &[&format!("destroy cloud:s3://a, {objects}")],
        ),
        (
            "aws s3 rm s3://a --dryrun",
            &["destroy cloud:s3://a [dry_run]"],
        ),
        (
            "aws ec2 describe-instances",
            &["read cloud:aws describe-instances"],
        ),
        (
            "gcloud storage rm -r gs://a",
            &[&format!("destroy cloud:gs://a, {objects}")],
        ),
        (
            "gsutil -m rm -r gs://a",
            &[&format!("destroy cloud:gs://a, {objects}")],
        ),
        (
            "docker compose down -v",
            &["destroy db:docker compose down, loses the data in these volumes"],
        ),
        ("docker compose down", &["execute program:docker"]),
        (
            "docker volume rm v",
            &["destroy db:v, loses the data in these volumes"],
        ),
        ("docker push me/x:1", &["publish package:me/x:1"]),
        ("docker run push", &["execute program:docker"]),
        ("gcloud config set project x", &["execute program:gcloud"]),
        ("docker ps", &["execute program:docker"]),
    ]);
}

#[test]
fn packages_and_the_network() {
    check(&[
        (
            "npm publish --access public",
            &["publish package:npm publish"],
        ),
        (
            "cargo publish --dry-run",
            &["publish package:cargo publish [dry_run]"],
        ),
        ("npm install -D jest", &["install package:jest"]),
        ("pip install requests", &["install package:requests"]),
        ("npm install publish", &["install package:publish"]),
        ("npm test", &["execute program:npm"]),
        ("npm run publish", &["execute program:npm"]),
        ("cargo build --release", &["execute program:cargo"]),
        (
            "curl https://x.example/a",
            &["fetch url:https://x.example/a"],
        ),
        (
            "curl -sSLo a.tgz https://x.example/a",
            &[
                "fetch url:https://x.example/a",
                "write file:a.tgz [truncate downloaded creates] project",
            ],
        ),
        (
            "curl -O https://x.example/b.tgz?q=1",
            &[
                "fetch url:https://x.example/b.tgz?q=1",
                "write file:b.tgz [truncate downloaded creates] project",
            ],
        ),
        (
            "curl -d @old.txt https://x.example",
            &["read file:old.txt project", "send url:https://x.example"],
        ),
        (
            "curl -F f=@old.txt https://x.example",
            &["read file:old.txt project", "send url:https://x.example"],
        ),
        (
            "curl -X DELETE https://x.example/1",
            &[
                "destroy cloud:https://x.example/1, loses what https://x.example/1 names on another machine",
                "send url:https://x.example/1",
            ],
        ),
        ("curl file:///etc/passwd", &["read file:/etc/passwd system"]),
        (
            "curl -o /dev/null https://x.example",
            &["fetch url:https://x.example"],
        ),
        (
            "wget -qO- https://x.example",
            &["fetch url:https://x.example"],
        ),
        (
            "wget -P /tmp https://x.example/f.zip",
            &[
                "fetch url:https://x.example/f.zip",
                "write file:/tmp/f.zip [downloaded creates] temp",
            ],
        ),
        (
            "scp old.txt host:/tmp",
            &["read file:old.txt project", "send url:host:/tmp"],
        ),
    ]);
}

#[test]
fn releases_and_machines_of_many() {
    check(&[
        (
            "goreleaser release --clean",
            &["publish package:goreleaser release"],
        ),
        (
            "goreleaser release --snapshot",
            &["execute program:goreleaser"],
        ),
        (
            "npx semantic-release --dry-run",
            &["publish package:semantic-release [dry_run]"],
        ),
        ("mvn deploy", &["publish package:mvn deploy"]),
        ("mvn package", &["execute program:mvn"]),
        ("cargo yank --version 1.0.0 x", &["publish package:x"]),
        ("cargo --version", &[]),
        (
            "pdsh -w web[1-3] systemctl stop nginx",
            &["elevate program:service [elsewhere]"],
        ),
        (
            "python manage.py migrate app zero",
            &["destroy db:manage.py zero, loses the content of the database"],
        ),
        ("python manage.py migrate", &["execute program:manage.py"]),
        (
            "aws configure get aws_secret_access_key",
            &["read process:the output of aws configure get aws_secret_access_key [secret]"],
        ),
        (
            "terraform apply -refresh-only",
            &["read cloud:terraform apply"],
        ),
    ]);
}

#[test]
fn a_dump_that_nobody_read_is_brought_back_over_what_is_there() {
    let world = Fixture::new().file("dump.sql", "CREATE TABLE t (x int);");
    let loses = |command: &str| {
        let actions = world.actions(command);
        actions
            .iter()
            .any(|action| action.contains("what the database holds now"))
    };
    for command in [
        "zcat dump.sql.gz | psql shop",
        "tar -xOf dump.tgz dump.sql | psql shop",
        "tar xzf dump.tgz --to-stdout | mysql shop",
        "xz -dc dump.sql.xz | psql -h db.example shop",
        "zstd -d --stdout dump.zst | mysql shop",
        "psql shop < <(lz4cat dump.lz4)",
        "pv dump.sql.gz | gunzip | psql shop",
        "ssh db1 'pg_dump -c shop' | psql shop",
        "curl -s https://dumps.example/x.sql | mariadb shop",
    ] {
        assert!(loses(command), "{command}: {:?}", world.actions(command));
    }
    for command in [
        "zcat dump.sql.gz | psql shop_test",
        "zcat dump.sql.gz | psql -h localhost shop",
        "zcat orders.csv.gz | psql shop -c 'copy orders from stdin'",
        "zcat dump.sql.gz | sqlite3 shop.db",
        "pv dump.sql | psql shop",
        "xz -z dump.sql",
        "tar -tf dump.tgz | psql shop",
    ] {
        assert!(!loses(command), "{command}: {:?}", world.actions(command));
    }
}
