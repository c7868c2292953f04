//! The gate at work for a user whose state is not his own: captures and what comes back.

use std::os::unix::fs::MetadataExt;

use crate::machine::{Machine, can_run};

#[test]
fn what_is_brought_back_is_the_users() {
    if !can_run() {
        return;
    }
    let machine = Machine::new();
    machine.write("root/etc/tollgate/config.toml", "[undo]\nallow = true\n");
    machine.user_tollgate(&["compile"]).in_app().worked();
    let work = "three hours of work\n";
    machine.write_as_user("app/notes/a.txt", work);
    machine
        .by_user("umask 027; chmod 640 app/notes/a.txt; chmod 750 app/notes")
        .worked();
    let path = machine.at("home/app/notes/a.txt");
    let before = (
        path.metadata().unwrap(),
        path.parent().unwrap().metadata().unwrap(),
    );
    let said = machine.call("rm -rf notes").said();
    assert!(!said.contains("\"deny\""), "{said}");
    machine.by_user("rm -rf app/notes").worked();
    let app = machine.at("home/app").display().to_string();
    let tollgate = machine.tollgate();
    let listed = machine
        .by_user(&format!("cd {app}; {tollgate} undo list"))
        .worked();
    let id = listed
        .split_whitespace()
        .find(|word| word.starts_with("u-"))
        .unwrap_or_else(|| panic!("nothing was kept: {listed}"))
        .to_owned();
    machine
        .by_user(&format!("cd {app}; {tollgate} undo show {id}"))
        .worked();
    machine
        .by_user(&format!("cd {app}; {tollgate} undo restore {id}"))
        .worked();
    assert_eq!(std::fs::read_to_string(&path).unwrap(), work);
    let now = (
        path.metadata().unwrap(),
        path.parent().unwrap().metadata().unwrap(),
    );
    for (now, before) in [(now.0, before.0), (now.1, before.1)] {
        assert_eq!((now.uid(), now.gid()), (machine.user, machine.user_group()));
        assert_eq!(now.mode(), before.mode());
    }
    let said = machine
        .by_user(&format!("{tollgate} undo drop {id}"))
        .failed();
    assert!(said.contains("sudo tollgate undo drop"), "{said}");
}
