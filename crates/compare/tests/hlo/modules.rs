//! Modules as XLA's CPU pipeline prints them, before (`unopt`) and after (`opt`) its optimisations.

use affinor_hlo as hlo;
use affinor_hlo::opcode::Opcode;
use std::path::Path;

/// Returns the name and text of every file in `modules`, sorted.
pub(crate) fn files() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/modules");
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            (name, std::fs::read_to_string(path).unwrap())
        })
        .collect();
    files.sort();
    assert_eq!(files.len(), 15);
    files
}

/// Returns the text without blanks, `/*..*/` comments and `%`, in which printing may differ.
fn essence(text: &str) -> String {
    let mut kept = String::new();
    for (number, part) in text.split("/*").enumerate() {
        let behind = match number {
            0 => part,
            _ => part.split_once("*/").unwrap().1,
        };
        kept.extend(behind.chars().filter(|c| !c.is_whitespace() && *c != '%'));
    }
    kept
}

#[test]
fn nothing_is_dropped() {
    for (name, text) in files() {
        let printed = hlo::read(text.as_bytes()).unwrap().to_string();
        assert_eq!(essence(&printed), essence(&text), "{name}");
    }
}

#[test]
fn what_is_printed_reads_back() {
    for (name, text) in files() {
        let printed = hlo::read(text.as_bytes()).unwrap().to_string();
        let again = hlo::read(printed.as_bytes()).unwrap();
        assert_eq!(again.to_string(), printed, "{name}");
    }
}

#[test]
fn each_line_is_an_instruction() {
    for (name, text) in files() {
        let module = hlo::read(text.as_bytes()).unwrap();
        let lines = text.lines().filter(|line| line.starts_with("  "));
        let instructions =
            module.computations().map(|(_, computation)| computation.instructions().len());
        assert_eq!(instructions.sum::<usize>(), lines.count(), "{name}");
        let openings = text.lines().filter(|line| line.ends_with(" {"));
        assert_eq!(module.computations().len(), openings.count(), "{name}");
    }
}

#[test]
fn references_lead_somewhere_and_spans_to_their_text() {
    for (name, text) in files() {
        let module = hlo::read(text.as_bytes()).unwrap();
        for (_, computation) in module.computations() {
            for (id, instruction) in computation.instructions() {
                assert!(!matches!(instruction.opcode(), Opcode::Other(_)), "{name}");
                assert!(instruction.operands().iter().all(|&operand| operand < id));
                let named = text[instruction.name_span()].trim_start_matches('%');
                assert_eq!(named, instruction.name(), "{name}");
                let line = &text[instruction.span()];
                assert!(!line.contains('\n') && line.contains(instruction.opcode().name()));
                for attribute in instruction.attributes().iter() {
                    let start = format!("{}=", attribute.name());
                    assert!(text[attribute.span()].starts_with(&start), "{name}");
                }
                for reference in instruction.attributes().computations() {
                    let target = reference.resolve().unwrap();
                    assert_eq!(module[target].name(), reference.name(), "{name}");
                    let named = text[reference.span()].trim_start_matches('%');
                    assert_eq!(named, reference.name(), "{name}");
                }
            }
            for (number, &id) in computation.parameters().iter().enumerate() {
                assert_eq!(computation[id].parameter_number(), Some(number), "{name}");
            }
            if let Some(signature) = computation.signature() {
                assert_eq!(signature.parameters().len(), computation.parameters().len());
            }
        }
    }
}

#[test]
fn tables_and_metadata_are_kept() {
    let (_, text) =
        files().into_iter().find(|(name, _)| name == "conv_zoo_dilation_padding.opt.hlo").unwrap();
    let module = hlo::read_text(&text).unwrap();
    assert_eq!(module.name(), Some("jit_f"));
    let tables: Vec<_> =
        module.tables().iter().map(|table| (table.name(), table.rows().len())).collect();
    assert_eq!(
        tables,
        [("FileNames", 1), ("FunctionNames", 3), ("FileLocations", 9), ("StackFrames", 9)]
    );
    let with_metadata = module
        .computations()
        .flat_map(|(_, computation)| computation.instructions())
        .filter(|(_, instruction)| instruction.attributes().get("metadata").is_some());
    assert_eq!(with_metadata.count(), text.matches("metadata=").count());
}
