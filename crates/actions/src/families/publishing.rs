//! Programs that make a release for everybody: registries of packages, shops of apps and
//! extensions. A table; what else they do is opaque.

use super::table::{Row, destroys, does, read};
use crate::family::{Family, family};
use crate::starts::Starts;
use crate::wrappers::table;
use model::{ResourceKind, Verb};

/// The family.
pub const PUBLISHING: Family = family! {
    "anaconda" => |context| read(context, &[takes("remove"), publishes("upload")]),
    "ansible-galaxy" => |context| read(context, &[publishes("publish")]),
    "cabal" => |context| read(context, HACKAGE); starts Starts::Rows(table::CABAL),
    "changeset" => |context| read(context, &[publishes("publish")]),
    "choco" => |context| read(context, &[publishes("push")]),
    "conan" => |context| read(context, &[publishes("upload")]),
    "cr" => |context| read(context, &[publishes("upload")]),
    "dart" => |context| read(context, &[publishes("pub publish")]),
    "eas-cli" => |context| read(context, &[publishes("submit")]),
    "electron-forge" => |context| read(context, &[publishes("publish")]),
    "elm" => |context| read(context, &[publishes("publish")]),
    "fastlane" => |context| read(context, LANES),
    "flutter" => |context| read(context, &[publishes("pub publish")]),
    "goreleaser" => |context| read(context, GORELEASER),
    "jsr" => |context| read(context, &[publishes("publish")]),
    "ko" => |context| read(context, &[publishes("publish"), publishes("build").with("--push")]),
    "lerna" => |context| read(context, &[publishes("publish")]); starts Starts::Rows(table::LERNA),
    "luarocks" => |context| read(context, &[publishes("upload")]),
    "maturin" => |context| read(context, &[publishes("publish"), publishes("upload")]),
    "nimble" => |context| read(context, &[publishes("publish")]),
    "np" => |context| read(context, &[runs("").with("--preview"), publishes("")]),
    "nuget" => |context| read(context, &[takes("delete"), publishes("push")]),
    "opam" => |context| read(context, &[publishes("publish")]),
    "ovsx" => |context| read(context, &[takes("unpublish"), publishes("publish")]),
    "pack" => |context| read(context, &[publishes("build").with("--publish")]),
    "pdm" => |context| read(context, &[publishes("publish")]); starts Starts::Rows(table::PDM),
    "pod" => |context| read(context, &[takes("trunk delete"), publishes("trunk push")]),
    "rebar3" => |context| read(context, &[publishes("hex publish")]),
    "release-it" => |context| read(context, &[publishes("")]),
    "release-plz" => |context| read(context, &[publishes("release")]),
    "rye" => |context| read(context, &[publishes("publish")]); starts Starts::Rows(table::RYE),
    "sbt" => |context| read(context, SCALA),
    "semantic-release" => |context| read(context, RELEASES),
    "snapcraft" => |context| read(context, &[publishes("upload"), publishes("push")]),
    "spago" => |context| read(context, &[publishes("publish")]),
    "stack" => |context| read(context, &[publishes("upload")]); starts Starts::Rows(table::STACK),
    "vsce" => |context| read(context, &[takes("unpublish"), publishes("publish")]),
    "wasm-pack" => |context| read(context, &[publishes("publish")]),
    "web-ext" => |context| read(context, &[publishes("sign").with("--channel")]),
};

const fn publishes(words: &'static str) -> Row {
    does(words, Verb::Publish, ResourceKind::Package)
}

const fn takes(words: &'static str) -> Row {
    destroys(words, ResourceKind::Package, "a published version")
}

const fn runs(words: &'static str) -> Row {
    does(words, Verb::Execute, ResourceKind::Program)
}

/// Lanes that everybody calls so.
const LANES: &[Row] = &[
    publishes("deliver"),
    destroys(
        "match nuke",
        ResourceKind::Cloud,
        "the certificates of all who sign with them",
    ),
    publishes("release"),
    publishes("supply"),
    publishes("upload_to_app_store"),
    publishes("upload_to_play_store"),
];

const HACKAGE: &[Row] = &[publishes("upload").with("--publish")];

const GORELEASER: &[Row] = &[
    runs("release").with("--snapshot --skip --skip-publish"),
    publishes("release"),
    publishes("publish"),
];

const RELEASES: &[Row] = &[runs("").with("-d --no-publish"), publishes("")];

const SCALA: &[Row] = &[
    publishes("publish"),
    publishes("publishSigned"),
    publishes("sonatypeBundleRelease"),
    publishes("ci-release"),
];
