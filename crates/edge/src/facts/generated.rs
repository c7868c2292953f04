//! Recognises what a tool made and can make again: build output, caches, installed packages.
//!
//! Nothing is build output by its name alone unless only tools use that name; else a sign must be
//! there: a manifest beside it, a file inside it, an ignore rule. Tracked files inside are not
//! judged here: a change in one is a loss wherever it lies.

use super::paths::{self, file_name, is_within, join, parent, relative_to};
use super::repository::{Repository, is_kind, stat};
use super::view::View;
use model::PathKind;
use std::path::Path;

/// What shows that a directory with a telling name was made by a tool.
enum Sign {
    /// Its being inside a project: only tools use the name.
    InProject,
    /// A file or directory inside it.
    Inside(&'static str),
    /// A file or directory beside it.
    Beside(&'static str),
    /// The name of the directory that holds it, while nothing in that is tracked.
    InsideOf(&'static str),
    /// A manifest of a build system beside it, and nothing in it that is tracked.
    Manifest,
    /// That git ignores it.
    Ignored,
    /// The same, and a directory beside it that a tool makes along with it.
    IgnoredWith(&'static str),
}

use Sign::{Beside, Ignored, IgnoredWith, InProject, Inside, InsideOf, Manifest};

/// Names of directories, and the signs of which one suffices.
const NAMES: &[(&str, &[Sign])] = &[
    (
        "node_modules",
        &[
            Beside("package.json"),
            Inside(".package-lock.json"),
            Ignored,
        ],
    ),
    ("bower_components", &[Beside("bower.json"), Ignored]),
    (
        "target",
        &[
            Beside("Cargo.toml"),
            Beside("pom.xml"),
            Beside("build.sbt"),
            Ignored,
        ],
    ),
    (".venv", &[Inside("pyvenv.cfg")]),
    ("venv", &[Inside("pyvenv.cfg")]),
    ("env", &[Inside("pyvenv.cfg")]),
    ("vendor", &[Inside("autoload.php"), Inside("modules.txt")]),
    ("bundle", &[Beside("../Gemfile")]),
    ("deps", &[Beside("mix.exs")]),
    (
        "_build",
        &[
            Beside("mix.exs"),
            Beside("rebar.config"),
            Beside("dune-project"),
            Ignored,
        ],
    ),
    ("Pods", &[Inside("Manifest.lock"), Beside("Podfile")]),
    (
        "DerivedData",
        &[
            Inside("info.plist"),
            Inside("ModuleCache.noindex"),
            Beside("Podfile"),
            Ignored,
        ],
    ),
    (
        "obj",
        &[
            Inside("project.assets.json"),
            Inside("Debug"),
            Inside("Release"),
            Ignored,
        ],
    ),
    ("Debug", &[InsideOf("bin")]),
    ("Release", &[InsideOf("bin")]),
    ("zig-out", &[Beside("build.zig"), Ignored]),
    ("artifacts", &[Inside("build-info")]),
    (
        "cache",
        &[Beside("foundry.toml"), Beside("hardhat.config.js")],
    ),
    ("site", &[Inside("sitemap.xml")]),
    ("_site", &[Beside("_config.yml"), Ignored]),
    ("_gen", &[Beside("../hugo.toml"), Beside("../config.toml")]),
    ("storybook-static", &[Inside("project.json"), Ignored]),
    (
        "cdk.out",
        &[Inside("cdk.out"), Inside("manifest.json"), Ignored],
    ),
    ("cdktf.out", &[Inside("manifest.json"), Ignored]),
    (".aws-sam", &[Inside("build.toml"), Ignored]),
    (".serverless", &[Ignored]),
    ("playwright-report", &[Inside("index.html"), Ignored]),
    ("test-results", &[Inside(".last-run.json"), Ignored]),
    (".yarn", &[Ignored]),
    (".clangd", &[Inside("index")]),
    (".wrangler", &[InProject]),
    (".nx", &[Ignored]),
    ("__pycache__", &[InProject]),
    (".pytest_cache", &[InProject]),
    (".mypy_cache", &[InProject]),
    (".ruff_cache", &[InProject]),
    (".tox", &[InProject]),
    (".nox", &[InProject]),
    (".next", &[InProject]),
    (".nuxt", &[InProject]),
    (".svelte-kit", &[InProject]),
    (".turbo", &[InProject]),
    (".parcel-cache", &[InProject]),
    (".cache", &[InProject]),
    (".gradle", &[InProject]),
    (".terraform", &[InProject]),
    (".angular", &[InProject]),
    (".astro", &[InProject]),
    (".bloop", &[InProject]),
    (
        ".build",
        &[Beside("Package.swift"), Inside("debug.yaml"), Ignored],
    ),
    (".ccls-cache", &[InProject]),
    (".dart_tool", &[InProject]),
    (".docusaurus", &[InProject]),
    (".expo", &[InProject]),
    (".hypothesis", &[InProject]),
    (".ipynb_checkpoints", &[InProject]),
    (".metals", &[InProject]),
    (".nyc_output", &[InProject]),
    (".output", &[InProject]),
    (".pnpm-store", &[InProject]),
    (".rollup.cache", &[InProject]),
    (".sass-cache", &[InProject]),
    (".stack-work", &[InProject]),
    (".swc", &[InProject]),
    (".vite", &[InProject]),
    (".webpack", &[InProject]),
    (".zig-cache", &[InProject]),
    ("dist-newstyle", &[InProject]),
    ("elm-stuff", &[InProject]),
    ("zig-cache", &[InProject]),
    ("tmp", &[Ignored]),
    (
        "bin",
        &[Beside("obj/project.assets.json"), IgnoredWith("obj")],
    ),
    ("dist", &[Ignored, Manifest]),
    ("build", &[Ignored, Manifest]),
    ("out", &[Ignored, Manifest]),
    ("coverage", &[Ignored, Manifest]),
    ("htmlcov", &[Ignored, Manifest]),
];

/// Files that show that their directory is built by a tool.
const MANIFESTS: &[&str] = &[
    "package.json",
    "Cargo.toml",
    "CMakeLists.txt",
    "Makefile",
    "meson.build",
    "setup.py",
    "pyproject.toml",
    "build.gradle",
    "build.gradle.kts",
    "pom.xml",
    "go.mod",
    "mix.exs",
    "pubspec.yaml",
];

/// Directories inside others that only tools fill.
const INNER: &[&str] = &[".nx/cache", ".yarn/cache", ".yarn/unplugged"];

/// Folders of a home in which package managers and compilers keep what they fetch or build anew.
const CACHES_OF_HOME: &[&str] = &[
    ".bun/install/cache",
    ".cache/Cypress",
    ".cache/bazel",
    ".cache/bazelisk",
    ".cache/ccache",
    ".cache/clangd",
    ".cache/composer",
    ".cache/deno",
    ".cache/electron",
    ".cache/go-build",
    ".cache/golangci-lint",
    ".cache/ms-playwright",
    ".cache/mypy",
    ".cache/node-gyp",
    ".cache/pip",
    ".cache/pipenv",
    ".cache/pnpm",
    ".cache/pre-commit",
    ".cache/puppeteer",
    ".cache/pypoetry",
    ".cache/ruff",
    ".cache/sccache",
    ".cache/typescript",
    ".cache/uv",
    ".cache/yarn",
    ".cache/zig",
    ".cargo/git",
    ".cargo/registry",
    ".ccache",
    ".composer/cache",
    ".gradle/caches",
    ".hex/packages",
    ".npm/_cacache",
    ".npm/_logs",
    ".npm/_npx",
    ".nuget/packages",
    ".pnpm-store",
    ".pub-cache/hosted",
    ".yarn/berry/cache",
    ".yarn/cache",
    "Library/Caches/CocoaPods",
    "Library/Caches/Homebrew",
    "Library/Caches/Yarn",
    "Library/Caches/go-build",
    "Library/Caches/ms-playwright",
    "Library/Caches/pip",
    "go/pkg/mod",
];

/// Folders in output that people put there, since no build makes them.
const KEPT: &[&str] = &["backup", "backups"];

/// Names under which packages are installed: what lies in them is theirs, whatever its name.
const INSTALLED: &[&str] = &[
    ".venv",
    "Pods",
    "bower_components",
    "bundle",
    "deps",
    "node_modules",
    "vendor",
    "venv",
];

/// Files that a tool leaves inside whatever directory it fills: an environment, a build.
const INSIDE_ANY: &[&str] = &["pyvenv.cfg", "CMakeCache.txt"];

/// Endings of files that only tools make.
const FILE_ENDINGS: &[&str] = &[
    ".pyc",
    ".pyo",
    ".tsbuildinfo",
    "/.DS_Store",
    "/.coverage",
    "/.eslintcache",
    "/.phpunit.result.cache",
    "/.stylelintcache",
];

/// What a cache directory's tag begins with (`bford.info/cachedir`).
const TAG: &str = "Signature: 8a477f597d28d172789f06886806bc55";
const TAG_FILE: &str = "CACHEDIR.TAG";
/// Most bytes of a tag file.
const TAG_MAX: u64 = 64 * 1024;

/// Whether a file, by its name, is made by a tool.
pub(super) fn is_generated_file(path: &str) -> bool {
    FILE_ENDINGS.iter().any(|ending| path.ends_with(ending))
}

fn has_beside(dir: &str, name: &str) -> bool {
    match name.strip_prefix("../") {
        Some(above) => stat(&join(parent(parent(dir)), above)).is_some(),
        None => is_kind(&join(parent(dir), name), PathKind::File),
    }
}

impl View<'_> {
    /// Whether a path is build output or lies in some. `repository` is the one it belongs to.
    pub fn is_generated(&mut self, path: &str, repository: Option<&Repository>) -> bool {
        let top = repository.map_or("/", |repository| repository.root.as_str());
        let mut here = path;
        let mut is_kept = false;
        while here != top && here != "/" && !here.is_empty() {
            if self.is_generated_dir(here, repository) {
                return !is_kept || INSTALLED.contains(&file_name(here));
            }
            is_kept |= KEPT.contains(&file_name(here));
            here = parent(here);
        }
        is_generated_file(path)
    }

    /// Whether exactly this directory is build output.
    pub fn is_generated_dir(&mut self, dir: &str, repository: Option<&Repository>) -> bool {
        if let Some(known) = self.generated.get(dir) {
            return *known;
        }
        let is_generated = !self.is_root(dir, repository) && self.has_sign(dir, repository);
        self.generated.insert(dir.to_owned(), is_generated);
        is_generated
    }

    /// Whether a directory holds a whole project or a home, whatever it is called.
    fn is_root(&self, dir: &str, repository: Option<&Repository>) -> bool {
        is_within(&self.place.project, dir)
            || (!self.place.home.is_empty() && is_within(&self.place.home, dir))
            || repository.is_some_and(|repository| is_within(&repository.root, dir))
    }

    fn has_sign(&mut self, dir: &str, repository: Option<&Repository>) -> bool {
        let home = &self.place.home;
        let of_home = relative_to(dir, home).filter(|_| !home.is_empty());
        if of_home.is_some_and(|path| CACHES_OF_HOME.contains(&path)) {
            return true;
        }
        let name = file_name(dir);
        let found = NAMES.iter().find(|(known, _)| *known == name);
        if let Some((_, signs)) = found
            && signs.iter().any(|sign| self.shows(sign, dir, repository))
        {
            return true;
        }
        let is_known = name.ends_with(".egg-info")
            || INNER.iter().any(|inner| dir.ends_with(inner))
            || INSIDE_ANY
                .iter()
                .any(|file| stat(&join(dir, file)).is_some());
        self.is_in_project(dir, repository)
            && (is_known && !self.may_be_tracked(dir, repository) || self.has_tag(dir))
    }

    fn shows(&mut self, sign: &Sign, dir: &str, repository: Option<&Repository>) -> bool {
        match sign {
            InProject => self.is_in_project(dir, repository),
            Inside(name) => stat(&join(dir, name)).is_some(),
            InsideOf(name) => {
                file_name(parent(dir)) == *name && !self.may_be_tracked(parent(dir), repository)
            }
            Beside(name) => has_beside(dir, name),
            Manifest => {
                let beside = |name: &&str| is_kind(&join(parent(dir), name), PathKind::File);
                !self.may_be_tracked(dir, repository) && MANIFESTS.iter().any(beside)
            }
            IgnoredWith(name) => {
                is_kind(&join(parent(dir), name), PathKind::Dir)
                    && self.shows(&Ignored, dir, repository)
            }
            Ignored => repository.is_some_and(|repository| {
                relative_to(dir, &repository.root).is_some_and(|path| {
                    !self.may_be_tracked(dir, Some(repository))
                        && self.is_ignored(repository, path, true)
                })
            }),
        }
    }

    fn is_in_project(&self, dir: &str, repository: Option<&Repository>) -> bool {
        let roots = repository.map(|repository| &repository.root);
        let mut roots = roots.into_iter().chain([&self.place.project]);
        parent(dir) != self.place.home && roots.any(|root| is_within(dir, root))
    }

    fn may_be_tracked(&mut self, dir: &str, repository: Option<&Repository>) -> bool {
        let Some(repository) = repository else {
            return false;
        };
        let Some(path) = relative_to(dir, &repository.root) else {
            return true;
        };
        self.tracked(repository)
            .map_or(true, |tracked| tracked.has_within(path))
    }

    fn has_tag(&mut self, dir: &str) -> bool {
        let file = join(dir, TAG_FILE);
        let text = paths::read_text(Path::new(&file), TAG_MAX, self.budget);
        text.is_some_and(|text| text.starts_with(TAG))
    }
}
