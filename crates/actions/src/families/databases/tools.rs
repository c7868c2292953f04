//! Tools of frameworks and of migrations: what drops, empties or resets a database. Data only.

use super::super::table::{Row, destroys, does};
use super::clients::{client, restore};
use super::{CONTENT, KIND, PROGRAM, wipes};
use crate::family::{Family, family};
use crate::starts::Starts;
use crate::stdout;
use crate::wrappers::table;
use model::{ResourceKind, Verb};

/// The family.
pub const TOOLS: Family = family! {
    "ace" => |context| wipes(context, ACE),
    "aerich" => |context| wipes(context, PLAIN),
    "airflow" => |context| wipes(context, AIRFLOW),
    "alembic" => |context| wipes(context, PLAIN),
    "arangosh" => client,
    "artisan" => |context| wipes(context, ARTISAN),
    "atlas" => |context| wipes(context, ATLAS),
    "beeline" => client,
    "celery" => |context| wipes(context, CELERY),
    "clickhouse" => client,
    "clickhouse-client" => client,
    "console" => |context| wipes(context, SYMFONY),
    "convex" => |context| wipes(context, CONVEX),
    "cqlsh" => client,
    "cypher-shell" => client,
    "dbmate" => |context| wipes(context, &[destroys("drop", KIND, CONTENT)]),
    "diesel" => |context| wipes(context, DIESEL),
    "django-admin" => |context| wipes(context, MANAGE); prints stdout::managed,
    "dolt" => client,
    "dotnet" => |context| wipes(context, DOTNET),
    "dotnet-ef" => |context| wipes(context, DOTNET),
    "drizzle-kit" => |context| wipes(context, DRIZZLE),
    "drush" => |context| wipes(context, DRUSH),
    "flask" => |context| wipes(context, FLASK),
    "flyway" => |context| wipes(context, &[destroys("clean", KIND, CONTENT)]),
    "goose" => |context| wipes(context, GOOSE),
    "gradle" => |context| wipes(context, BUILDS),
    "gradlew" => |context| wipes(context, BUILDS),
    "hanami" => |context| wipes(context, &[destroys("db drop", KIND, CONTENT)]),
    "hasura" => |context| wipes(context, HASURA),
    "hive" => client,
    "impala-shell" => client,
    "influx" => |context| wipes(context, INFLUX),
    "influxd" => |context| wipes(context, INFLUX),
    "isql" => client,
    "keydb-cli" => super::keys::redis,
    "knex" => |context| wipes(context, PLAIN),
    "ksql" => client,
    "lein" => |context| wipes(context, LEIN),
    "liquibase" => |context| wipes(context, LIQUIBASE),
    "litecli" => client,
    "magento" => |context| wipes(context, &[destroys("setup:uninstall", KIND, CONTENT)]),
    "manage.py" => |context| wipes(context, MANAGE); prints stdout::managed,
    "medusa" => |context| wipes(context, &[destroys("db:drop", KIND, CONTENT)]),
    "migrate" => |context| wipes(context, MIGRATE),
    "mikro-orm" => |context| wipes(context, MIKRO),
    "mix" => |context| wipes(context, MIX); starts Starts::Rows(table::MIX),
    "mongoimport" => restore,
    "mongorestore" => restore,
    "mvn" => |context| wipes(context, BUILDS),
    "mvnw" => |context| wipes(context, BUILDS),
    "mycli" => client,
    "mysqlsh" => client,
    "neo4j-admin" => |context| wipes(context, NEO),
    "osqlplus" => client,
    "payload" => |context| wipes(context, PAYLOAD),
    "pgcli" => client,
    "phinx" => |context| wipes(context, PLAIN),
    "presto" => client,
    "prisma" => |context| wipes(context, PRISMA),
    "rails" => |context| wipes(context, RAILS),
    "rake" => |context| wipes(context, RAILS),
    "rq" => |context| wipes(context, &[destroys("empty", KIND, "the jobs in this queue")]),
    "sea-orm-cli" => |context| wipes(context, SEA),
    "sequelize" => |context| wipes(context, SEQUELIZE),
    "sequelize-cli" => |context| wipes(context, SEQUELIZE),
    "snow" => client,
    "snowsql" => client,
    "spark-sql" => client,
    "sqlcmd" => client,
    "sqlplus" => client,
    "sqlx" => |context| wipes(context, SQLX),
    "strapi" => |context| wipes(context, &[destroys("import", KIND, CONTENT).with("--force")]),
    "supabase" => |context| wipes(context, SUPABASE),
    "superset" => |context| wipes(context, PLAIN),
    "surreal" => client,
    "trino" => client,
    "typeorm" => |context| wipes(context, TYPEORM),
    "typeorm-ts-node-commonjs" => |context| wipes(context, TYPEORM),
    "typeorm-ts-node-esm" => |context| wipes(context, TYPEORM),
    "usql" => client,
    "valkey-cli" => super::keys::redis,
    "wp" => |context| wipes(context, WORDPRESS),
    "ysqlsh" => client,
};

const ACE: &[Row] = &[
    destroys("db:wipe", KIND, CONTENT),
    destroys("db:truncate", KIND, CONTENT),
    destroys("migration:fresh", KIND, CONTENT),
    destroys("migration:refresh", KIND, CONTENT),
    destroys("migration:reset", KIND, CONTENT),
];
/// Of what these do only the way back takes anything.
const PLAIN: &[Row] = &[];
const AIRFLOW: &[Row] = &[
    destroys("db reset", KIND, CONTENT),
    destroys("db clean", KIND, "the records of earlier runs"),
    destroys("db downgrade", KIND, "what later migrations brought"),
    destroys("dags delete", KIND, "the records of earlier runs"),
    does("", Verb::Execute, PROGRAM),
];
const ARTISAN: &[Row] = &[
    destroys("db:wipe", KIND, CONTENT),
    destroys("migrate:fresh", KIND, CONTENT),
    destroys("migrate:refresh", KIND, CONTENT),
    destroys("migrate:reset", KIND, CONTENT),
    does("", Verb::Execute, PROGRAM),
];
const ATLAS: &[Row] = &[
    destroys("schema clean", KIND, CONTENT),
    destroys("clusters delete", KIND, CONTENT),
    destroys("backups snapshots delete", KIND, CONTENT),
    destroys("projects delete", KIND, CONTENT),
];
const BUILDS: &[Row] = &[
    destroys("flyway:clean", KIND, CONTENT),
    destroys("flywayClean", KIND, CONTENT),
    destroys("liquibase:dropAll", KIND, CONTENT),
    destroys("dropAll", KIND, CONTENT),
    does("publishToMavenLocal", Verb::Execute, PROGRAM),
    does("closeAndRelease*", Verb::Publish, ResourceKind::Package),
    does("deploy", Verb::Publish, ResourceKind::Package),
    does("deploy:deploy*", Verb::Publish, ResourceKind::Package),
    does("jib", Verb::Publish, ResourceKind::Package),
    does("jib:build", Verb::Publish, ResourceKind::Package),
    does(
        "nexus-staging:release",
        Verb::Publish,
        ResourceKind::Package,
    ),
    does("publish", Verb::Publish, ResourceKind::Package),
    does("publishAll*", Verb::Publish, ResourceKind::Package),
    does("publishPlugins", Verb::Publish, ResourceKind::Package),
    does("publishTo*", Verb::Publish, ResourceKind::Package),
    does("release:perform", Verb::Publish, ResourceKind::Package),
    does("uploadArchives", Verb::Publish, ResourceKind::Package),
    does("", Verb::Execute, PROGRAM),
];
const CELERY: &[Row] = &[destroys("purge", KIND, "the tasks that wait")];
const CONVEX: &[Row] = &[
    destroys("data clear", KIND, CONTENT),
    destroys("env remove", KIND, "this variable").with("--prod"),
    destroys("import", KIND, CONTENT).with("--replace --replace-all"),
];
const DIESEL: &[Row] = &[
    destroys("database reset", KIND, CONTENT),
    destroys("database drop", KIND, CONTENT),
    destroys("migration redo", KIND, CONTENT).with("--all -a"),
];
const DOTNET: &[Row] = &[
    destroys("ef database drop", KIND, CONTENT),
    destroys("database drop", KIND, CONTENT),
    destroys("ef database update 0", KIND, CONTENT),
    destroys("nuget delete", ResourceKind::Package, "a published version"),
    does("nuget push", Verb::Publish, ResourceKind::Package),
    does("", Verb::Execute, PROGRAM),
];
const DRIZZLE: &[Row] = &[
    destroys("push", KIND, CONTENT).with("--force"),
    destroys("push:*", KIND, CONTENT).with("--force"),
    destroys("drop", KIND, "a migration"),
];
const DRUSH: &[Row] = &[
    destroys("sql:drop", KIND, CONTENT),
    destroys("sql-drop", KIND, CONTENT),
    destroys("site:install", KIND, CONTENT),
    destroys("site-install", KIND, CONTENT),
    destroys("entity:delete", KIND, CONTENT),
    does("", Verb::Execute, PROGRAM),
];
const GOOSE: &[Row] = &[destroys("reset", KIND, CONTENT)];
const HASURA: &[Row] = &[
    destroys("migrate apply", KIND, CONTENT).with("--down"),
    destroys(
        "metadata clear",
        KIND,
        "what the service knows of the database",
    ),
];
const INFLUX: &[Row] = &[
    destroys("delete", KIND, CONTENT),
    destroys("restore", KIND, CONTENT).with("--full"),
    destroys("bucket delete", KIND, CONTENT),
    destroys("org delete", KIND, CONTENT),
    does("", Verb::Execute, PROGRAM),
];
const LEIN: &[Row] = &[
    destroys("migratus reset", KIND, CONTENT),
    does("deploy", Verb::Publish, ResourceKind::Package),
];
const LIQUIBASE: &[Row] = &[
    destroys("drop-all", KIND, CONTENT),
    destroys("dropAll", KIND, CONTENT),
];
const MANAGE: &[Row] = &[
    destroys("flush", KIND, CONTENT),
    destroys("reset_db", KIND, CONTENT),
    destroys("reset_schema", KIND, CONTENT),
    destroys("delete_all", KIND, CONTENT),
    destroys("zero", KIND, CONTENT),
    does("", Verb::Execute, PROGRAM),
];
const MIGRATE: &[Row] = &[destroys("drop", KIND, CONTENT)];
/// Commands of its own that projects name so.
const FLASK: &[Row] = &[
    destroys("database drop", KIND, CONTENT),
    destroys("database reset", KIND, CONTENT),
    destroys("db drop", KIND, CONTENT),
    destroys("db reset", KIND, CONTENT),
    destroys("drop-db", KIND, CONTENT),
    destroys("reset-db", KIND, CONTENT),
    does("", Verb::Execute, PROGRAM),
];
const MIKRO: &[Row] = &[
    destroys("schema:drop", KIND, CONTENT),
    destroys("schema:fresh", KIND, CONTENT),
    destroys("migration:fresh", KIND, CONTENT),
];
const MIX: &[Row] = &[
    destroys("ecto.drop", KIND, CONTENT),
    destroys("ecto.reset", KIND, CONTENT),
    does("hex.publish", Verb::Publish, ResourceKind::Package),
    does("", Verb::Execute, PROGRAM),
];
const NEO: &[Row] = &[
    destroys("load", KIND, CONTENT).with("--overwrite-destination --force"),
    destroys("restore", KIND, CONTENT).with("--overwrite-destination --force"),
    does("", Verb::Execute, PROGRAM),
];
const PAYLOAD: &[Row] = &[
    destroys("migrate:fresh", KIND, CONTENT),
    destroys("migrate:refresh", KIND, CONTENT),
    destroys("migrate:reset", KIND, CONTENT),
];
const PRISMA: &[Row] = &[
    destroys("migrate reset", KIND, CONTENT),
    destroys("db push", KIND, CONTENT)
        .with("--accept-data-loss --force-reset")
        .answered(),
    destroys("migrate dev", KIND, CONTENT).answered(),
    does("migrate deploy", Verb::Deploy, KIND),
    does("db push", Verb::Deploy, KIND),
    does("", Verb::Execute, PROGRAM),
];
const RAILS: &[Row] = &[
    destroys("db:drop*", KIND, CONTENT),
    destroys("db:reset*", KIND, CONTENT),
    destroys("db:purge*", KIND, CONTENT),
    destroys("db:migrate:reset", KIND, CONTENT),
    destroys("db:truncate_all", KIND, CONTENT),
    destroys("db:schema:load", KIND, CONTENT),
    destroys("db:structure:load", KIND, CONTENT),
    destroys("db:seed:replant", KIND, CONTENT),
    does("", Verb::Execute, PROGRAM),
];
const SEA: &[Row] = &[
    destroys("migrate fresh", KIND, CONTENT),
    destroys("migrate refresh", KIND, CONTENT),
    destroys("migrate reset", KIND, CONTENT),
];
const SEQUELIZE: &[Row] = &[
    destroys("db:drop", KIND, CONTENT),
    destroys("db:migrate:undo:all", KIND, CONTENT),
    destroys("db:seed:undo:all", KIND, CONTENT),
];
const SQLX: &[Row] = &[
    destroys("database drop", KIND, CONTENT),
    destroys("database reset", KIND, CONTENT),
];
const SUPABASE: &[Row] = &[
    destroys("db reset", KIND, CONTENT),
    destroys("projects delete", KIND, CONTENT),
    destroys("branches delete", KIND, CONTENT),
    destroys("functions delete", KIND, "this function"),
    destroys("secrets unset", KIND, "this secret"),
    destroys("storage rm", KIND, "stored objects that exist nowhere else"),
    does("db push", Verb::Deploy, KIND),
    does("", Verb::Execute, PROGRAM),
];
const SYMFONY: &[Row] = &[
    destroys("doctrine:database:drop", KIND, CONTENT),
    destroys("d:d:d", KIND, CONTENT),
    destroys("doctrine:schema:drop", KIND, CONTENT).with("--force -f"),
    destroys("d:s:d", KIND, CONTENT).with("--force -f"),
    destroys("doctrine:schema:update", KIND, CONTENT).with("--complete"),
    does("doctrine:fixtures:load", Verb::Execute, PROGRAM).with("--append"),
    destroys("doctrine:fixtures:load", KIND, CONTENT),
    does("d:f:l", Verb::Execute, PROGRAM).with("--append"),
    destroys("d:f:l", KIND, CONTENT),
    destroys("messenger:failed:remove", KIND, CONTENT).with("--all"),
    does("", Verb::Execute, PROGRAM),
];
const TYPEORM: &[Row] = &[destroys("schema:drop", KIND, CONTENT)];
const WORDPRESS: &[Row] = &[
    destroys("db reset", KIND, CONTENT),
    destroys("db drop", KIND, CONTENT),
    destroys("db clean", KIND, CONTENT),
    destroys("site empty", KIND, CONTENT),
    destroys("site delete", KIND, CONTENT),
    destroys("post delete", KIND, CONTENT).with("--force"),
    destroys("user delete", KIND, CONTENT),
    does("", Verb::Execute, PROGRAM),
];
