//! Package managers: publish and install. Running what they start is opaque.

use super::Family;
use super::scene::{Scene, family};
use super::table::{Row, destroys, does, read};
use crate::options::{Options, Spec, value};
use model::{ResourceKind, Verb};

/// The family.
pub const PACKAGES: Family = family! { "packages",
    "apk" => |scene| read(scene, SYSTEM),
    "apt" => |scene| read(scene, SYSTEM),
    "apt-get" => |scene| read(scene, SYSTEM),
    "brew" => |scene| read(scene, SYSTEM),
    "bun" => node,
    "cargo" => |scene| read(scene, CARGO),
    "dnf" => |scene| read(scene, SYSTEM),
    "flit" => |scene| read(scene, PYTHON),
    "gem" => |scene| read(scene, GEM),
    "hatch" => |scene| read(scene, PYTHON),
    "npm" => node,
    "pacman" => |scene| read(scene, PACMAN),
    "pip" => |scene| read(scene, PYTHON),
    "pip3" => |scene| read(scene, PYTHON),
    "pipx" => |scene| read(scene, PYTHON),
    "pnpm" => node,
    "poetry" => |scene| read(scene, PYTHON),
    "twine" => |scene| read(scene, PYTHON),
    "uv" => |scene| read(scene, PYTHON),
    "yarn" => node,
    "yum" => |scene| read(scene, SYSTEM),
};

const KIND: ResourceKind = ResourceKind::Package;
const PROGRAM: ResourceKind = ResourceKind::Program;
const RELEASE: &str = "a published version";

const NODE: &[Row] = &[
    does("run", Verb::Execute, PROGRAM),
    does("test", Verb::Execute, PROGRAM),
    does("publish", Verb::Publish, KIND),
    does("npm publish", Verb::Publish, KIND),
    destroys("unpublish", KIND, RELEASE),
    does("deprecate", Verb::Publish, KIND),
    does("dist-tag add", Verb::Publish, KIND),
    does("install", Verb::Install, KIND),
    does("i", Verb::Install, KIND),
    does("ci", Verb::Install, KIND),
    does("add", Verb::Install, KIND),
    does("update", Verb::Install, KIND),
];

const CARGO: &[Row] = &[
    does("run", Verb::Execute, PROGRAM),
    does("test", Verb::Execute, PROGRAM),
    does("build", Verb::Execute, PROGRAM),
    does("publish", Verb::Publish, KIND),
    does("yank", Verb::Publish, KIND),
    does("owner", Verb::Publish, KIND).with("--add --remove -a -r"),
    does("install", Verb::Install, KIND),
    does("add", Verb::Install, KIND),
];

const PYTHON: &[Row] = &[
    does("run", Verb::Execute, PROGRAM),
    does("upload", Verb::Publish, KIND),
    does("publish", Verb::Publish, KIND),
    does("pip install", Verb::Install, KIND),
    does("tool install", Verb::Install, KIND),
    does("install", Verb::Install, KIND),
    does("add", Verb::Install, KIND),
    does("sync", Verb::Install, KIND),
];

const GEM: &[Row] = &[
    does("push", Verb::Publish, KIND),
    destroys("yank", KIND, RELEASE),
    does("install", Verb::Install, KIND),
];

const SYSTEM: &[Row] = &[
    does("install", Verb::Install, KIND),
    does("add", Verb::Install, KIND),
    does("upgrade", Verb::Install, KIND),
    does("list", Verb::Read, KIND),
    does("search", Verb::Read, KIND),
];

const PACMAN: &[Row] = &[
    does("", Verb::Install, KIND).with("-S"),
    does("", Verb::Read, KIND),
];

/// Programs that the Node managers start by their bare name, and that destroy or deploy.
const BARE: &[&str] = &[
    "prisma",
    "drizzle-kit",
    "supabase",
    "wrangler",
    "vercel",
    "cdk",
    "pulumi",
];

const MANAGER: Spec = Spec {
    abbreviate: false,
    ..Spec::leading(&[
        value("prefix"),
        value("dir C"),
        value("cwd"),
        value("filter F"),
        value("workspace w"),
    ])
};

/// `npm`, `pnpm`, `yarn`, `bun`
fn node(scene: &mut Scene<'_, '_>) {
    let options = Options::read(&scene.invocation.args, &MANAGER);
    if BARE.contains(&options.word(0)) {
        let label = scene.program.clone();
        return scene
            .world
            .command(scene.invocation, &label, &options.operands);
    }
    read(scene, NODE);
}
