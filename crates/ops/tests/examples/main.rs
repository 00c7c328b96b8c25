//! The programs of `examples/` print the text stored beside each of them. Here each one is a module, with a `println!` that
//! records the lines.

#[path = "../../../../tests/support/golden.rs"]
mod golden;

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fmt::Debug;
use std::path::Path;

thread_local! {
    static PRINTED: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Shadows the standard macro in the modules below.
macro_rules! println {
    ($($given:tt)*) => {{
        let line = format!($($given)*);
        crate::PRINTED.with_borrow_mut(|text| text.extend([line.as_str(), "\n"]));
    }};
}

#[path = "../../examples/certificate.rs"]
mod certificate;
#[path = "../../examples/many_modules.rs"]
mod many_modules;
#[path = "../../examples/own_rules.rs"]
mod own_rules;
#[path = "../../examples/reads.rs"]
mod reads;
#[path = "../../examples/tiles.rs"]
mod tiles;

fn run<E: Debug>(main: fn() -> Result<(), E>) {
    main().unwrap_or_else(|error| panic!("{error:?}"));
}

#[test]
fn examples_print_what_is_kept() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let examples: [(&str, &dyn Fn()); 5] = [
        ("certificate", &|| run(certificate::main)),
        ("many_modules", &|| run(many_modules::main)),
        ("own_rules", &|| run(own_rules::main)),
        ("reads", &|| run(reads::main)),
        ("tiles", &|| run(tiles::main)),
    ];
    for (name, main) in examples {
        main();
        let printed = PRINTED.take();
        golden::check_file(&folder.join(name).with_extension("txt"), &printed);
    }
    let files = folder.read_dir().expect("the folder of the examples");
    let stem = |path: &Path| path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let stems: BTreeSet<_> = files.filter_map(|file| stem(&file.expect("a file").path())).collect();
    assert_eq!(stems, examples.map(|(name, _)| name.to_owned()).into(), "all are run");
}
