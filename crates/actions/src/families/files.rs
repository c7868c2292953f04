//! Programs that make, change, move and delete files.
//!
//! A table of programs; what each does is in the file of its group. Must not know rules.

mod archive;
mod awk;
mod copy;
mod delete;
mod device;
mod editor;
mod filters;
mod link;
mod members;
mod output;
mod overlap;
mod patch;
mod perl;
mod plain;
mod produce;
mod relocate;
mod reown;
mod sed;
mod substitute;
mod sync;
mod unpack;

use crate::family::{Family, family};
use crate::stdout;

pub(crate) use filters::prints_nothing;
pub use overlap::merge_trees;
pub use patch::patched_paths;

/// The family.
pub const FILES: Family = family! {
    "7z" => archive::seven; prints stdout::unpacker,
    "7za" => archive::seven; prints stdout::unpacker,
    "7zz" => archive::seven; prints stdout::unpacker,
    "apply_patch" => patch::apply_patch,
    "applypatch" => patch::apply_patch,
    "ar" => members::ar,
    "as" => produce::product,
    "asciidoctor" => produce::product,
    "awk" => awk::awk,
    "badblocks" => device::badblocks,
    "bison" => produce::product,
    "blkdiscard" => device::whole,
    "brotli" => archive::squeeze; prints stdout::unpacker,
    "bsdtar" => archive::tar; prints archive::packed,
    "btrfs" => device::pool,
    "bunzip2" => archive::expand; prints stdout::decoder,
    "bzip2" => archive::squeeze; prints stdout::unpacker,
    "c++" => produce::product,
    "cc" => produce::product,
    "cfdisk" => device::table,
    "chattr" => reown::attributes,
    "chgrp" => reown::owner,
    "chmod" => reown::mode,
    "chown" => reown::owner,
    "clang" => produce::product,
    "clang++" => produce::product,
    "cmake" => plain::cmake,
    "convert" => produce::product,
    "cp" => copy::cp,
    "cpio" => archive::cpio,
    "cpp" => produce::product,
    "cryptsetup" => device::cryptsetup,
    "dd" => output::dd,
    "del-cli" => delete::by_patterns,
    "diskutil" => device::diskutil,
    "ditto" => plain::ditto,
    "dot" => produce::product,
    "ed" => editor::editor,
    "ex" => editor::editor,
    "fallocate" => plain::fallocate,
    "fdisk" => device::table,
    "ffmpeg" => produce::product,
    "file-rename" => relocate::rename,
    "flex" => produce::product,
    "g++" => produce::product,
    "gawk" => awk::awk,
    "gcc" => produce::product,
    "gdisk" => device::table,
    "gfortran" => produce::product,
    "gio" => delete::gio,
    "gtar" => archive::tar; prints archive::packed,
    "gunzip" => archive::expand; prints stdout::decoder,
    "gzip" => archive::squeeze; prints stdout::unpacker,
    "hdparm" => device::secure_erase,
    "iconv" => produce::product,
    "install" => copy::install,
    "jar" => archive::jar,
    "ld" => produce::product,
    "link" => link::link,
    "ln" => link::ln,
    "lvm" => device::lvm,
    "lvremove" => device::remove,
    "lz4" => archive::squeeze; prints stdout::unpacker,
    "lzip" => archive::squeeze; prints stdout::unpacker,
    "lzma" => archive::squeeze; prints stdout::unpacker,
    "magick" => produce::product,
    "mariadb-dump" => produce::product; prints stdout::dump,
    "mawk" => awk::awk,
    "mdadm" => device::secure_erase,
    "mkdir" => output::mkdir; prints stdout::nothing,
    "mke2fs" => device::whole,
    "mkfifo" => output::mkdir,
    "mkfs" => device::whole,
    "mkfs.btrfs" => device::whole,
    "mkfs.exfat" => device::whole,
    "mkfs.ext2" => device::whole,
    "mkfs.ext3" => device::whole,
    "mkfs.ext4" => device::whole,
    "mkfs.f2fs" => device::whole,
    "mkfs.fat" => device::whole,
    "mkfs.ntfs" => device::whole,
    "mkfs.vfat" => device::whole,
    "mkfs.xfs" => device::whole,
    "mkswap" => device::whole,
    "mktemp" => output::mktemp; prints stdout::mktemp,
    "mmv" => relocate::by_patterns,
    "mv" => relocate::mv,
    "mysqldump" => produce::product; prints stdout::dump,
    "nasm" => produce::product,
    "nawk" => awk::awk,
    "newfs" => device::whole,
    "nvim" => editor::editor,
    "nvme" => device::nvme,
    "objcopy" => produce::product,
    "pandoc" => produce::product,
    "parted" => device::parted,
    "patch" => patch::patch,
    "pbzip2" => archive::squeeze; prints stdout::unpacker,
    "pdftotext" => produce::product,
    "perl" => perl::in_place,
    "perl-rename" => relocate::rename,
    "pg_dump" => produce::product; prints stdout::dump,
    "pg_dumpall" => produce::product; prints stdout::dump,
    "pigz" => archive::squeeze; prints stdout::unpacker,
    "premove" => delete::by_patterns,
    "prename" => relocate::rename,
    "protoc" => produce::product,
    "ps2pdf" => produce::product,
    "pvremove" => device::remove,
    "rename" => relocate::rename,
    "rimraf" => delete::by_patterns,
    "rip" => delete::trash,
    "rm" => delete::rm; prints stdout::nothing,
    "rmdir" => delete::rmdir,

    "rsvg-convert" => produce::product,
    "rsync" => sync::rsync,
    "ruby" => perl::in_place,
    "rustc" => produce::product,
    "sass" => produce::product,
    "sed" => sed::sed; prints sed::printed,
    "setfacl" => reown::attributes,
    "sfdisk" => device::table,
    "sgdisk" => device::table,
    "shred" => delete::shred,
    "sort" => output::sort,
    "split" => output::split,
    "sponge" => output::sponge,
    "srm" => delete::rm,
    "ssh-keygen" => produce::keygen,
    "strip" => produce::product,
    "tar" => archive::tar; prints archive::packed,
    "tcpdump" => produce::product,
    "tee" => output::tee; prints stdout::input,
    "touch" => output::touch,
    "trash" => delete::trash,
    "trash-empty" => delete::empty_trash,
    "trash-put" => delete::trash,
    "truncate" => output::truncate,
    "tsc" => produce::product,
    "uniq" => output::uniq,
    "unlink" => delete::unlink,
    "unlz4" => archive::expand; prints stdout::decoder,
    "unlzma" => archive::expand; prints stdout::decoder,
    "unpigz" => archive::expand; prints stdout::decoder,
    "unxz" => archive::expand; prints stdout::decoder,
    "unzip" => archive::unzip; prints stdout::unzip,
    "unzstd" => archive::expand; prints stdout::decoder,
    "vgremove" => device::remove,
    "vi" => editor::editor,
    "vim" => editor::editor,
    "wipe" => plain::wipe,
    "wipefs" => device::wipefs,
    "wkhtmltoimage" => produce::product,
    "wkhtmltopdf" => produce::product,
    "xmllint" => produce::product,
    "xsltproc" => produce::product,
    "xxd" => plain::xxd; prints stdout::xxd,
    "xz" => archive::squeeze; prints stdout::unpacker,
    "yq" => plain::yq,
    "zfs" => device::pool,
    "zip" => archive::zip,
    "zpool" => device::pool,
    "zstd" => archive::squeeze; prints stdout::unpacker,
};

#[cfg(test)]
mod tests;
