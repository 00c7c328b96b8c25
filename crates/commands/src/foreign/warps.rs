//! Questions about warps: the block, the number of threads and the type of the elements, as the commands take them.
//!
//! Law: `for 32 threads` and `in a warp` bound the thread that the index depends on; a line without such a thread stays as it is.

use super::array::closing;
use super::holes::shape;
use super::vectors::ELEMENTS;

/// Returns a line about warps with the block, the number of threads, and the type of the elements, as it takes them.
pub fn of_warps(line: String) -> String {
    let line = with_block(&line).unwrap_or(line);
    let line = with_threads(&line).unwrap_or(line);
    // `with float a`
    let bytes_of =
        |word: &str| ELEMENTS.iter().find(|(kind, _)| word.trim_end_matches('*') == *kind);
    if let Some((line, made)) = line.rsplit_once(" with ")
        && let Some((_, bytes)) = made.split(' ').find_map(bytes_of)
        && made.split(' ').all(|word| word.chars().all(|c| c.is_alphanumeric() || "_*".contains(c)))
    {
        return format!("{line} --bytes {bytes}");
    }
    let of = ELEMENTS.iter().find_map(|(kind, bytes)| {
        let words = [
            format!(" of {kind}s"),
            format!(" of {kind}"),
            format!(" {kind}s"),
            format!(" {kind}"),
        ];
        let line = words.iter().find_map(|word| line.strip_suffix(word.as_str()))?;
        let is_whole = line.ends_with(|c: char| c.is_alphanumeric() || ")]".contains(c));
        is_whole.then(|| format!("{line} --bytes {bytes}"))
    });
    of.filter(|line| !line.contains(" --block ")).unwrap_or(line)
}

/// Returns a line with the number of threads as the range of the thread: `for 32 threads`, `in a warp`.
fn with_threads(line: &str) -> Option<String> {
    let places = [" for ", " with ", " across ", " over ", " by ", " in ", " given ", " of "];
    let (at, word) = places.iter().filter_map(|word| Some((line.rfind(word)?, word))).max()?;
    let mut words = line[at + word.len()..].split(' ');
    let first = words.next()?;
    let second = words.next()?;
    let count = match (first, second.trim_end_matches(',')) {
        ("a" | "one" | "each" | "the", "warp") => 32,
        (count, "threads" | "lanes") => count.parse::<u32>().ok()?,
        _ => return None,
    };
    let rest: Vec<&str> = words.collect();
    let rest = if rest.is_empty() { String::new() } else { format!(" {}", rest.join(" ")) };
    let thread = thread_of(&line[..at])?;
    Some(format!("{} for {thread} in range({count}){rest}", &line[..at]))
}

/// Translates a command about the accesses of warps to `s[threadIdx.x * 33] for ..`, to one about the element's index.
pub fn of_element(text: &str) -> Option<String> {
    let (command, rest) = text.trim().split_once(' ')?;
    let rest = rest.trim();
    let is_asked = matches!(command, "banks" | "coalesce" | "vector");
    let spelled =
        Some(of_warps(text.trim().to_owned())).filter(|line| is_asked && line != text.trim());
    let Some(open) = rest.find('[').filter(|_| !rest.starts_with('[')) else { return spelled };
    let end = open + closing(&rest[open..])?;
    let (name, index, behind) = (&rest[..open], &rest[open + 1..end], &rest[end + 1..]);
    // `float x[..]`
    let typed = name.split_once(' ').and_then(|(kind, name)| {
        let (_, bytes) = ELEMENTS.iter().find(|(own, _)| *own == kind.trim_end_matches('*'))?;
        Some((name.trim(), *bytes))
    });
    let name = typed.map_or(name, |(name, _)| name);
    let bytes = typed.map_or(String::new(), |(_, bytes)| format!(" --bytes {bytes}"));
    let is_assigned =
        behind.trim_start().starts_with('=') && !behind.trim_start().starts_with("==");
    let is_alone = behind.is_empty() || behind.starts_with([' ', ',']) && !is_assigned;
    let is_one = index.contains(|c: char| c.is_alphabetic()) && !index.contains([',', '[', ':']);
    (is_asked && is_alone && is_one && affinor::text::is_name(name))
        .then(|| {
            // A name alone is that of a map.
            let index =
                if affinor::text::is_name(index) { format!("({index})") } else { index.to_owned() };
            of_warps(format!("{command} {index}{behind}")) + &bytes
        })
        .or(spelled)
}

/// Returns a line with the block of threads that follows it, `for blockDim = (32, 8)`, as an option.
fn with_block(line: &str) -> Option<String> {
    let ends = [" for ", " with ", " in "].iter().filter_map(|word| line.rsplit_once(word));
    let (asked, behind) = ends.max_by_key(|(before, _)| before.len())?;
    let behind = behind.replace('=', " ");
    let mut words: Vec<&str> = behind.split_whitespace().collect();
    let is_block = |word: &&str| matches!(*word, "block" | "blockDim" | "blocks");
    let has_block = words.iter().any(is_block);
    words.retain(|word| !is_block(word) && !["a", "of", "size", "thread", "is"].contains(word));
    let sizes = shape(&words.concat()).filter(|_| has_block)?;
    let sizes = sizes.strip_prefix("f32[")?.strip_suffix(']')?;
    Some(format!("{asked} --block {sizes}"))
}

/// Returns the thread that an index depends on, by its usual names.
fn thread_of(text: &str) -> Option<&'static str> {
    const THREADS: [&str; 7] = ["threadIdx.x", "tid", "thread", "lane", "lane_id", "t", "i"];
    let is_part = |c: char| !(c.is_alphanumeric() || "_.".contains(c));
    THREADS.into_iter().find(|name| text.split(is_part).any(|word| word == *name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_are_ranges() {
        for (text, expected) in [
            ("banks t * 33 for 32 threads float", "banks t * 33 for t in range(32) --bytes 4"),
            ("coalesce tid * 2 across a warp", "coalesce tid * 2 for tid in range(32)"),
            (
                "coalesce tid * 2 for 16 lanes --bytes 8",
                "coalesce tid * 2 for tid in range(16) --bytes 8",
            ),
            ("banks t * 4 of doubles", "banks t * 4 --bytes 8"),
            ("coalesce t * 2 with float *a", "coalesce t * 2 --bytes 4"),
            // No thread, no number of threads, a name that is a type.
            ("coalesce a * 2 for 16 lanes", "coalesce a * 2 for 16 lanes"),
            ("coalesce tid * 2 for n threads", "coalesce tid * 2 for n threads"),
            ("banks t * half", "banks t * half"),
        ] {
            assert_eq!(of_warps(text.to_owned()), expected, "{text}");
        }
    }
}
