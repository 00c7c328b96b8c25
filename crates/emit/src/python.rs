//! Python: integers of any size, `//` and `%` that round as maps do.

use super::function::{Emitted, Function, Line, outside};
use super::names::PYTHON;
use super::write::{About, Division, Level, Notation, Written};
use affinor_maps::expr::IndexingMap;
use affinor_maps::text::Error;

/// Writes code in Python.
///
/// # Errors
/// None.
pub fn python(map: &IndexingMap, name: &str) -> Result<Emitted, Error> {
    let function = Function::new(map, name, &[PYTHON], u32::MAX)?;
    let arguments = function.names.variables.join(", ");
    let (lines, results) = function.results(&Syntax);
    let mut values: Vec<String> = results.into_iter().map(|(value, _)| value.text).collect();
    let lines: String = lines.iter().map(line).collect();
    if values.is_empty() {
        values.push("()".to_owned());
    }
    let mut code = String::new();
    for text in function.comment() {
        code += &format!("# {text}\n");
    }
    let calls = |text: &str| text.contains("min(") || text.contains("max(");
    let is_plain = function.fits(64) && !calls(&lines) && !values.iter().any(|value| calls(value));
    code += match is_plain {
        true => "# Right for integers; the results also for NumPy arrays of int64.\n",
        false => "# Right for integers.\n",
    };
    code +=
        &format!("def {}({arguments}):\n{lines}    return {}\n", function.name, values.join(", "));
    code += &format!(
        "\n\ndef {}({arguments}):\n    # Whether the point is in the domain.\n",
        function.contains
    );
    match function.domain(&Syntax) {
        None => code += "    return False\n",
        Some(lines) => {
            code += &lines.iter().map(line).collect::<String>();
            code += "    return True\n";
        }
    }
    Ok(Emitted::new(&function, code))
}

fn line(line: &Line) -> String {
    match line {
        Line::Local(name, value, _) => format!("    {name} = {}\n", value.text),
        Line::Positive(divisor) => format!("    if {} < 1:\n        return False\n", divisor.text),
        Line::Within(value, bounds) => {
            let outside = outside(value, *bounds, |number| number.to_string());
            format!("    if {}:\n        return False\n", outside.join(" or "))
        }
    }
}

struct Syntax;

impl Notation for Syntax {
    fn divide(&self, division: Division, x: Written, divisor: Written, _: About) -> Written {
        let divisor = divisor.at(Level::Atom);
        let (text, level) = match division {
            Division::Floor => (format!("{} // {divisor}", x.at(Level::Product)), Level::Product),
            Division::Mod => (format!("{} % {divisor}", x.at(Level::Product)), Level::Product),
            Division::Ceil => (format!("-(-{} // {divisor})", x.at(Level::Atom)), Level::Sign),
        };
        Written::new(text, level)
    }

    fn choose(&self, word: &'static str, operands: Vec<Written>, _: About) -> Written {
        let operands: Vec<String> = operands.into_iter().map(|operand| operand.text).collect();
        Written::atom(format!("{word}({})", operands.join(", ")))
    }
}
