//! A disk that is slow, and one that is full.

use std::fs;

use crate::common::{World, damage};
use crate::storm::{
    HOOKS, allow_undo, check_answers, check_lines, check_records, counted, ground, let_through,
    storm,
};

#[cfg(target_os = "linux")]
#[test]
fn a_slow_disk_is_no_hole_and_no_lockout() {
    use crate::slow;
    use std::time::Duration;

    /// A loaded network disk, and nothing of it is remembered: a hook takes some thirty requests.
    const PAUSE: Duration = Duration::from_millis(4);
    const SLOW_HOOKS: usize = 60;

    for (what, below) in [("state", "state"), ("work", "home/dev")] {
        let world = ground("slow");
        drop(world.store());
        let mounted = match slow::mount(&world.root.join(below), PAUSE) {
            Ok(mounted) => mounted,
            Err(why) => return println!("SKIPPED: the slow disk: {why}"),
        };
        let sent = storm(&world, 0..SLOW_HOOKS);
        let slowest = sent.iter().map(|one| one.run.took).max().unwrap();
        let held = check_answers(&world, &sent);
        let (calls, repeated) = check_lines(&world);
        println!(
            "{SLOW_HOOKS} at once, {what} on a slow disk: slowest {slowest:?}, {held} \
             calls held for want of time, {calls} of {} remembered, {} requests",
            counted(&sent),
            slow::requests(),
        );
        // Who runs out of time between a line and its record is not counted, and its number is
        // given again.
        assert!(calls + repeated <= counted(&sent), "{calls}, {repeated}");
        // What ended processes had open is closed by the system in its own time.
        slow::wait_until_idle();
        mounted.umount_and_join().unwrap();
    }
}

/// A disk that goes with the test, however that ends.
struct Mounted<'a>(&'a World);

impl Drop for Mounted<'_> {
    fn drop(&mut self) {
        damage::unmount(self.0);
    }
}

#[test]
fn a_full_disk_is_no_hole_and_no_lockout() {
    let mut world = ground("full");
    drop(world.store());
    if !damage::mount(&world.state(), "size=4m,mode=700") {
        return println!("SKIPPED: the full disk: this user can mount none");
    }
    allow_undo(&mut world);
    let _mounted = Mounted(&world);
    // As much as there is room for.
    let filler = world.state().join("filler");
    fs::write(&filler, vec![b'x'; 8 * 1024 * 1024]).unwrap_err();
    let sent = storm(&world, 0..HOOKS);
    assert_eq!(check_answers(&world, &sent), 0);
    assert!(check_records(&world) <= counted(&sent));
    // Once there is room again, all is remembered again.
    let before = check_records(&world);
    fs::remove_file(filler).unwrap();
    let again = storm(&world, HOOKS..HOOKS + 20);
    assert_eq!(check_answers(&world, &again), 0);
    assert_eq!(check_records(&world) - before, counted(&again));
    assert!(let_through(&sent) == 0 && let_through(&again) > 0);
}
