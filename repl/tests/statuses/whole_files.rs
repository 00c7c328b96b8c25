//! A file that cannot be written stays as it was. `.ci/full_disk` tests the same with a full disk.

use crate::support::{Run, affinor, finish, program};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const OLD: &str = "the old text\n";

/// Returns an empty directory.
fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&path); // it does not exist the first time
    fs::create_dir_all(&path).expect("a directory");
    path
}

/// Returns the names in a directory.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a directory");
    let names = entries.map(|entry| entry.expect("an entry").file_name());
    let mut names: Vec<String> = names.map(|name| name.to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// Runs the program with a limit of one block of 512 bytes per file: longer writes fail as on a full disk.
fn in_little_room(arguments: &[&str]) -> Run {
    let mut command = Command::new("sh");
    command.args(["-c", "trap '' XFSZ; ulimit -f 1; exec \"$@\"", "sh"]);
    command.arg(program().get_program()).args(arguments);
    finish(command, b"")
}

#[track_caller]
fn check_fails(run: &Run, path: &Path, reason: &str) {
    let said = format!("`{}` cannot be written: {reason}", path.display());
    assert_eq!(run.status, Some(1), "{run:?}");
    assert!(run.err.contains(&said), "{said} in {}", run.err);
}

#[cfg(target_os = "linux")]
#[test]
fn without_room_only_the_old_file_stays() {
    let folder = folder("no-room");
    let model = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/data/modules/lstm_scan_fwd.opt.hlo");
    let path = folder.join("page");
    let (text, show) = (path.display().to_string(), format!("help all > {}", path.display()));
    let more = format!("help all >> {}", path.display());
    let commands: [&[&str]; 4] = [
        &["report", model, "--html", &text],
        &["draw", "(d0, d1) -> (d1), domain: d0 in [0, 9], d1 in [0, 9]", "--svg", &text],
        &["-e", &show],
        &["-e", &more],
    ];
    for arguments in commands {
        fs::write(&path, OLD).expect("a file");
        check_fails(&in_little_room(arguments), &path, "File too large");
        assert_eq!(fs::read_to_string(&path).expect("the file"), OLD, "{arguments:?}");
        fs::remove_file(&path).expect("the file");
        check_fails(&in_little_room(arguments), &path, "File too large");
        assert_eq!(names(&folder), [""; 0], "{arguments:?}");
    }
    let out = folder.join("rules");
    let export =
        ["rules", "export", "--format", "json", "--out", &out.display().to_string(), "div-block"];
    check_fails(&in_little_room(&export), &out, "File too large");
    assert_eq!(names(&folder), [""; 0]);
    fs::create_dir(&out).expect("a directory");
    check_fails(&in_little_room(&export), &out, "File too large");
    assert_eq!((names(&folder), names(&out)), (vec!["rules".to_owned()], Vec::new()));
}

#[cfg(target_os = "linux")]
#[test]
fn a_device_is_written_as_it_is() {
    let run = affinor(&["-e", "help all > /dev/full"], b"");
    check_fails(&run, Path::new("/dev/full"), "No space left on device");
    assert!(fs::metadata("/dev/full").is_ok_and(|data| !data.is_file()));
    let run = affinor(&["-e", "help all > /dev/null"], b"");
    assert_eq!(run.status, Some(0), "{run:?}");
}

#[cfg(unix)]
#[test]
fn a_link_and_the_mode_of_a_file_stay() {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder("links");
    let (file, link) = (folder.join("file.txt"), folder.join("link.txt"));
    fs::write(&file, OLD).expect("a file");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).expect("a mode");
    std::os::unix::fs::symlink("file.txt", &link).expect("a link");
    let run = affinor(&["-e", &format!("help all > {}", link.display())], b"");
    assert_eq!(run.status, Some(0), "{run:?}");
    assert!(fs::symlink_metadata(&link).is_ok_and(|data| data.is_symlink()));
    assert_ne!(fs::read_to_string(&file).expect("the file"), OLD);
    let mode = fs::metadata(&file).expect("the file").permissions().mode();
    assert_eq!(mode & 0o777, 0o640);
    assert_eq!(names(&folder), ["file.txt", "link.txt"]);
}

#[test]
fn invalid_paths_are_named() {
    let folder = folder("no-place");
    let run = affinor(&["-e", &format!("help all > {}/", folder.display())], b"");
    check_fails(&run, &folder.join(""), "it is a directory");
    let path = folder.join("none/file.txt");
    let run = affinor(&["-e", &format!("help all > {}", path.display())], b"");
    check_fails(&run, &path, "no such directory");
    assert_eq!(names(&folder), [""; 0]);
}
