//! The output of pictures, as text and to a file.

use super::arguments::Argument;
use super::failure::Failure;
use super::lines::not_written;
use super::output::{Role, Text};
use super::table::Call;
use affinor_draw::{Grid, Ink, svg, terminal};

/// Returns the picture as text.
pub fn picture_text(grid: &Grid, ascii: bool) -> Text {
    let mut text = Text::new();
    for line in terminal(grid, ascii) {
        text.new_line();
        for (ink, piece) in line {
            let role = match ink {
                Ink::Plain => Role::Plain,
                Ink::Element(color) => Role::Tile(color),
                Ink::Read => Role::Read,
                Ink::Padding => Role::Faint,
            };
            text.push(role, piece);
        }
    }
    text
}

/// Writes the pictures as SVG to the file that `path` names.
///
/// # Errors
/// If the file cannot be written.
pub fn write_svg(call: &mut Call<'_>, grids: &[Grid], path: &Argument) -> Result<(), Failure> {
    let written = call.host.write(&path.text, svg(grids).as_bytes());
    written.map_err(|error| path.blame(not_written(&path.text, &error)))
}
