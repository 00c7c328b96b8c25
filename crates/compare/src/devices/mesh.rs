//! Shardings as Shardy writes them: by the axes of a mesh of devices.
//!
//! Law: devices are numbered in row-major order of the axes of the mesh. In `<@mesh, [{"a", "b"}, {}]>`, the index of a device's
//! part along a dimension is its index along the axes in braces, the last of which varies fastest. At the borders of a manual
//! computation only the axes that it names divide arrays.
//! Source: Shardy, `sdy` dialect, `MeshAttr`, `TensorShardingAttr`, `ManualComputationOp`.

use super::sharding::Sharding;
use affinor_hlo::attribute::{AttributeValue, Attributes};
use affinor_hlo::module::{Instruction, Module};

/// A mesh of devices: the names and sizes of its axes.
pub(super) struct Mesh {
    name: String,
    axes: Vec<(String, usize)>,
}

impl Mesh {
    /// Returns the number of devices.
    pub(super) fn devices(&self) -> Option<usize> {
        self.axes.iter().try_fold(1_usize, |all, (_, size)| all.checked_mul(*size))
    }
}

/// Returns the meshes of a module, whose devices are in order.
pub(super) fn meshes(module: &Module) -> Vec<Mesh> {
    let found = (|| {
        let all = note(module.attributes(), "xla.sdy.meshes")?;
        let inner = all.strip_prefix('{').and_then(|all| all.strip_suffix('}'));
        let mut meshes = Vec::new();
        let mut rest = inner.unwrap_or(&all);
        while let Some((name, after)) = rest.split_once("#sdy.mesh<[") {
            let name = name.trim().trim_end_matches('=').trim().trim_start_matches([',', '@']);
            let (axes, after) = after.split_once(']')?;
            let axes = axes.split(',').filter(|axis| !axis.trim().is_empty()).map(|axis| {
                let (name, size) = axis.trim().split_once('=')?;
                let size = size.parse().ok().filter(|size| (1..=1 << 16).contains(size))?;
                Some((unquoted(name)?.to_owned(), size))
            });
            let axes = axes.collect::<Option<Vec<_>>>()?;
            // With `device_ids`, devices are in another order.
            rest = after.strip_prefix('>')?;
            meshes.push(Mesh { name: name.trim().to_owned(), axes });
        }
        Some(meshes)
    })();
    found.unwrap_or_default()
}

/// Returns the shardings that a change between global and local shapes states under `key`, one for each array.
pub(super) fn shardings(
    module: &Module,
    instruction: &Instruction,
    key: &str,
    devices: usize,
) -> Option<Vec<Sharding>> {
    let meshes = meshes(module);
    let text = note(instruction.attributes(), key)?;
    let manual = note(instruction.attributes(), "xla.sdy.manual_axes")?;
    let manual = manual.strip_prefix("#sdy<manual_axes{")?.strip_suffix("}>")?;
    let names = manual.split(',').filter(|name| !name.trim().is_empty());
    let manual = names.map(unquoted).collect::<Option<Vec<&str>>>()?;
    let listed = text.strip_prefix("#sdy.sharding_per_value<[")?.strip_suffix("]>")?;
    let mut found = Vec::new();
    let mut rest = listed;
    while let Some(after) = rest.trim_start_matches([',', ' ']).strip_prefix("<@") {
        let (name, after) = after.split_once(',')?;
        let mesh = meshes.iter().find(|mesh| mesh.name == name.trim())?;
        let (dimensions, after) = after.trim().strip_prefix('[')?.split_once(']')?;
        // Of the axes that follow, only copies are possible here.
        let (more, after) = after.split_once('>')?;
        let more = more.trim_start_matches([',', ' ']);
        (more.is_empty() || more.starts_with("replicated=")).then_some(())?;
        found.push(of_axes(mesh, dimensions, &manual, devices)?);
        rest = after;
    }
    rest.trim().is_empty().then_some(found)
}

fn of_axes(mesh: &Mesh, text: &str, manual: &[&str], devices: usize) -> Option<Sharding> {
    (mesh.devices()? == devices).then_some(())?;
    let mut dimensions: Vec<Vec<usize>> = Vec::new();
    let mut rest = text;
    while let Some(after) = rest.trim_start_matches([',', ' ']).strip_prefix('{') {
        let (names, after) = after.split_once('}')?;
        let mut axes = Vec::new();
        for name in names.split(',').map(str::trim).filter(|name| !name.is_empty() && *name != "?")
        {
            let name = unquoted(name)?;
            let axis = mesh.axes.iter().position(|(own, _)| own == name)?;
            if manual.contains(&name) {
                axes.push(axis);
            }
        }
        dimensions.push(axes);
        rest = after;
    }
    rest.trim().is_empty().then_some(())?;
    let size = |axis: &usize| mesh.axes[*axis].1;
    let tiles: Vec<usize> = dimensions.iter().map(|axes| axes.iter().map(size).product()).collect();
    let part = (0..devices).map(|device| {
        let index = |axis: &usize| {
            let after: usize = mesh.axes[axis + 1..].iter().map(|(_, size)| size).product();
            device / after % size(axis)
        };
        let along = dimensions.iter().zip(&tiles);
        along.fold(0, |number, (axes, tiles)| {
            number * tiles + axes.iter().fold(0, |at, axis| at * size(axis) + index(axis))
        })
    });
    let tiles = tiles.iter().map(|tiles| i64::try_from(*tiles).ok());
    Some(Sharding { part: part.collect(), tiles: tiles.collect::<Option<_>>()? })
}

/// Returns an entry of `frontend_attributes`, without escapes.
fn note(attributes: &Attributes, key: &str) -> Option<String> {
    let AttributeValue::Record(notes) = attributes.get("frontend_attributes")?.value() else {
        return None;
    };
    match notes.get(key)?.value() {
        AttributeValue::String(text)
        | AttributeValue::Text(text)
        | AttributeValue::Unread(text) => Some(text.replace("\\\"", "\"")),
        _ => None,
    }
}

fn unquoted(text: &str) -> Option<&str> {
    // A part of an axis, `"a":(2)2`, has no closing quote at its end.
    text.trim().strip_prefix('"')?.strip_suffix('"').filter(|name| !name.contains('"'))
}
