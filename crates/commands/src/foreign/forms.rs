//! Forms of questions in English, each with its line of commands.

use super::holes::{Part, parsed};
use super::short_forms::SHORT_FORMS;
use std::sync::LazyLock;

/// Forms with their lines; one is tried before those below it. [`super::holes`] says what their words and holes are. The last
/// text may be empty; it contains the bounds. In a line, `{name}` is the name in text 0.
const FORMS: &[(&str, &str)] = &[
    ("does|do|will|can {m} never exceed|go+above|go+over {} for {}", "({0}) <= ({1}) for {2}"),
    ("is|are {m} never negative|below+zero {}", "({0}) >= 0 {1}"),
    (
        "how many times does|do {m} equal|hit|become|take+the+value {i} for {}",
        "count(({0}) == ({1}) for {2})",
    ),
    (
        "can|could|may|is {m} be|_ split|rewritten|written|expanded|distributed|factored|replaced|folded|turned into|as|to|by|with {m}",
        "({0}) == ({1})",
    ),
    ("simplify {} assuming|knowing|provided that|_ {}", "simplify {0} where {1}"),
    ("is it possible that|for {?}", "any({0})"),
    ("is it possible that|for {?}", "solve {0}"),
    ("is it always|_ the+case|guaranteed|true that {}", "{0}"),
    ("verify|confirm|assert|make+sure that {}", "{0}"),
    ("for how many {w} in {} is|does {?}", "count {0} where {0} in {1}, {2}"),
    ("how many times|values+of+i is|does|do {?}", "count({0})"),
    (
        "how many pairs|points|triples {} with|where {} have|satisfy|give {}",
        "count {0} where {1}, {2}",
    ),
    (
        "how many multiples+of|numbers+divisible+by|integers+divisible+by {i} are+there|are|lie|exist|_ between|from {i} and|to {i}",
        "count x where x % {0} == 0, x in [{1}, {2}]",
    ),
    ("is|are {m} never divisible+by|a+multiple+of {i} {}", "({0}) % {1} != 0 {2}"),
    (
        "which|what input|operand|source|_ element|elements|index|value does|do output|result|_ element|index|_ {} of {} read|come+from|access|use",
        "at {1} ; {0}",
    ),
    ("what does output|result element|index|_ {} of {} read|access|use", "at {1} ; {0}"),
    (
        "what flat|linear|_ index|offset|position does|has element|index|_ {} have|get|_ in|of a|an|the|_ flattened|flat|row-major|contiguous|_ array|tensor|matrix|buffer of|with shape|size|sizes {s}",
        "layout {1} --index {0}",
    ),
    (
        "does|do|has|have {l} have|_ overlapping|duplicate|aliasing|repeated elements|offsets|addresses",
        "injective {0}",
    ),
    (
        "is|are there a|any|_ bank conflict|conflicts with|for|at|of a|_ stride of|_ {i}",
        "banks threadIdx.x * {0}",
    ),
    ("can|could|may|might|is|does|do|will {m} ever {o} {} for {}", "any(({0}) {1} ({2}) for {3})"),
    ("can|could|may|might|is|does|do|will {m} ever {o} {}", "solve ({0}) {1} ({2})"),
    (
        "is|are|does|do|will|must {m} always|_ stay|remain|lie|fall|be|_ between {i} and {i} {}",
        "{1} <= {0} <= {2} {3}",
    ),
    ("why is|does {?}", "{0}"),
    ("does|do|will|must|should {?}", "{0}"),
    ("how many of|_ {?}", "count({0})"),
    (
        "is the+map|the+function|map|_ {} bijective|a+bijection|a+permutation|a+one-to-one+correspondence on|over {}",
        "injective {0}, domain: {1} --onto",
    ),
    (
        "is the+map|_ {m} a+bijection|a+permutation of|onto {} for|with|where {}",
        "injective {0} for {2} --onto",
    ),
    ("is the+map|_ {v} a+bijection|a+permutation of {}", "injective {0} for {name} in {1} --onto"),
    (
        "is the+map|the+function|map|_ {} bijective|a+bijection|a+permutation|a+one-to-one+correspondence {}",
        "injective {0} {1} --onto",
    ),
    ("{m} is|: bijective|a+bijection|a+permutation", "injective {0} --onto"),
    ("is the+map|the+function|map|_ {} surjective|onto {}", "image {0} {1}"),
    (
        "is the+map|the+function|map|_ {} injective|one-to-one|one+to+one|collision-free|unique on|over {}",
        "injective {0}, domain: {1}",
    ),
    (
        "is the+map|the+function|map|_ {} injective|one-to-one|one+to+one|collision-free|unique {}",
        "injective {0} {1}",
    ),
    ("is the+map|the+function|map|_ {} invertible {}", "inverse {0} {1}"),
    ("{m} is|: injective|one-to-one|one+to+one", "injective {0}"),
    (
        "do any two points|iterations|indices write|read|touch the same element of {}",
        "injective {0}",
    ),
    (
        "do|can|could|will any|_ two {w} ever|_ write|read|touch|access|hit|get|store+to|write+to the|a same {b}",
        "injective {1}",
    ),
    (
        "does|do every|each {w} in {} have|give|get|produce|map+to a|an|its|_ different|distinct|unique|own value|_ of|for|_ {m}",
        "injective {2} for {0} in {1}",
    ),
    ("do any two {w} write|read|touch the same element of {v}", "injective {1}"),
    (
        "do|can|will any|_ two|different|distinct points|values|indices|iterations|elements collide|alias|clash|overlap in|for|of|under {m}",
        "injective {0}",
    ),
    (
        "do|can|will any|_ two|different|distinct points|iterations|indices|values ever|_ write|read|touch|access the same element|location|address|index with|in|of|for|at|under {m}",
        "injective {0}",
    ),
    (
        "do|does|can|could|will {e} and {e} ever|_ alias|overlap|collide|conflict|touch+the+same+element|be+the+same+element for {}",
        "any(({0}) == ({1}) for {2})",
    ),
    (
        "do|does|can|could|will {e} and {e} ever|_ alias|overlap|collide|conflict|touch+the+same+element|be+the+same+element",
        "solve ({0}) = ({1})",
    ),
    ("does|do {m} collide|alias|overlap {}", "injective {0} {1}"),
    ("does|do {c} collide|alias|overlap", "injective {0}"),
    // A vector of elements begins at a multiple of its size.
    (
        "can|could|is {e} be|_ loaded|vectorized|vectorised|read|stored|accessed|aligned as|with|by|for|_ a|_ float2|half2|int2|double2 {}",
        "({0}) % 2 == 0 {1}",
    ),
    (
        "can|could|is {e} be|_ loaded|vectorized|vectorised|read|stored|accessed|aligned as|with|by|for|_ a|_ float4|half4|int4|uint4 {}",
        "({0}) % 4 == 0 {1}",
    ),
    (
        "can|could|may i|we|one|you load|vectorize|read|store|access {e} as|with|by|using a|_ float2|half2|int2|double2 {}",
        "({0}) % 2 == 0 {1}",
    ),
    (
        "can|could|may i|we|one|you load|vectorize|read|store|access {e} as|with|by|using a|_ float4|half4|int4|uint4 {}",
        "({0}) % 4 == 0 {1}",
    ),
    (
        "does|can|could|will {m} ever|_ exceed|go+above|go+over {} for {}",
        "any(({0}) > ({1}) for {2})",
    ),
    (
        "does|can|could|will {m} ever|_ reach|equal|be|hit|become {} for {}",
        "any(({0}) == ({1}) for {2})",
    ),
    (
        "is|can|does {m} ever be|get|go|_ negative|below+zero|below+0 for {}",
        "any(({0}) < 0 for {1})",
    ),
    ("does|can|will|could {} fit in|into {w} bits {}", "fits {0} {2} --bits {1}"),
    ("does|can|will|could {} fit in|into int32|i32|s32|int|an+int|32+bits {}", "fits {0} {1}"),
    ("does|can|will|could {} overflow int32|i32|s32|int|an+int|32+bits|_ {}", "fits {0} {1}"),
    (
        "does|do|can|will|could {} ever|_ go|run|read|write|access|index|reach|be|get|_ out+of+bounds|out-of-bounds|out+of+range|oob of|for|in|with|on|_ a|an|the|_ array|buffer|tensor|_ of|_ size|shape|length|_ {s} elements|_ for {}",
        "inside {0} for {2} ; {1}",
    ),
    (
        "does|do|can|will|could {} ever|_ go|run|read|write|access|index|reach|be|get|_ out+of+bounds|out-of-bounds|out+of+range|oob of|for|in|with|on|_ a|an|the|_ array|buffer|tensor|_ of|_ size|shape|length|_ {s} elements|_",
        "inside {0} ; {1}",
    ),
    (
        "is|does {} always|_ stay|_ in+bounds|in-bounds|within+bounds|inside|within of|for|in|_ a|an|the|_ array|buffer|tensor|_ of|_ size|shape|length|_ {s} elements|_ for {}",
        "inside {0} for {2} ; {1}",
    ),
    (
        "is|does {} always|_ stay|_ in+bounds|in-bounds|within+bounds|inside|within of|for|in|_ a|an|the|_ array|buffer|tensor|_ of|_ size|shape|length|_ {s} elements|_",
        "inside {0} ; {1}",
    ),
    ("is the mask|condition|guard|check {} always|_ true|redundant|needed|unneeded {}", "{0} {1}"),
    ("is {} the same bytes as {}", "bitcast {0} {1}"),
    ("is {} the+same+as|identical+to {} in+memory|physically|byte+for+byte", "bitcast {0} {1}"),
    ("is {} the|an|_ identity|identity+map|identity+function", "equal {0} ; {identity}"),
    ("are {} and {} the same bytes", "bitcast {0} {1}"),
    ("is {l} the+same+as|equal+to|equivalent+to|identical+to {l}", "layout equal {0} ; {1}"),
    (
        "are {l} and {l} the+same|equal|equivalent|identical|the+same+layout|the+same+function",
        "layout equal {0} ; {1}",
    ),
    ("is {} the+same+as|equal+to|equivalent+to|identical+to|always+equal+to {}", "equal {0} ; {1}"),
    ("does {} equal {}", "equal {0} ; {1}"),
    ("are {} and {} the+same|equal|equivalent|identical {}", "equal {0} ; {1} {2}"),
    ("is|are {m} always|_ aligned to|on|at {i} bytes {}", "({0}) % {1} == 0 {2}"),
    (
        "is|are {m} always|_ 16-byte|16B|16+byte|128-bit|16-bytes aligned for|of|in|with|if|as float|floats|f32|float32|int|ints|int32 {}",
        "(({0}) * 4) % 16 == 0 {1}",
    ),
    (
        "is|are {m} always|_ 16-byte|16B|16+byte|128-bit|16-bytes aligned for|of|in|with|if|as half|halfs|f16|bf16|float16|bfloat16 {}",
        "(({0}) * 2) % 16 == 0 {1}",
    ),
    ("is {m} always|_ even {}", "({0}) % 2 == 0 {1}"),
    ("is {m} always|_ odd {}", "({0}) % 2 == 1 {1}"),
    ("{m} is always|_ even {}", "({0}) % 2 == 0 {1}"),
    ("{m} is always|_ odd {}", "({0}) % 2 == 1 {1}"),
    ("is {m} always|_ non-negative|nonnegative {}", "({0}) >= 0 {1}"),
    ("is {m} always|_ positive {}", "({0}) > 0 {1}"),
    ("is {m} always|_ negative {}", "({0}) < 0 {1}"),
    ("is {m} always|_ zero {}", "({0}) == 0 {1}"),
    ("does {i} always|_ divide {m} for {}", "({1}) % {0} == 0 for {2}"),
    ("does {i} always|_ divide {m}", "({1}) % {0} == 0"),
    (
        "minimize|minimise|maximize|maximise {} where|with|subject+to|such+that|s.t.|st|for {}",
        "range {0} where {1}",
    ),
    ("is {} a bitcast of {}", "bitcast {1} {0}"),
    ("bitcast {} to|-> {}", "bitcast {0} {1}"),
    (
        "can a|the|_ reshape|transpose|copy|reshaping|_ of|from|_ {} to|into|-> {} be a+bitcast|free|a+no-op|done+without+a+copy",
        "bitcast {0} {1}",
    ),
    (
        "is a|the|_ reshape|transpose|copy|reshaping|_ of|from|_ {} to|into|-> {} a+bitcast|free|a+no-op",
        "bitcast {0} {1}",
    ),
    ("find {w} in {} with|such+that {}", "points {0} where {0} in {1}, {2}"),
    (
        "find|list all|_ integers|integer|ints|numbers|values|points|pairs|solutions|_ of|_ {n} with|where|so+that|such+that|s.t.|satisfying|for+which {}",
        "points {0} where {1}",
    ),
    (
        "is|are there any|an|a|_ integer|integers|int|value|values|number|numbers|_ of|_ {n} with|where|so+that|such+that|s.t.|satisfying|for+which {}",
        "solve {1}",
    ),
    (
        "smallest|largest|least|greatest|minimum|maximum|minimal|maximal|first|last positive integer|number|value|_ of|_ {n} with|where|so+that|such+that|s.t.|satisfying|for+which {}",
        "range {0} where {0} > 0, {1}",
    ),
    (
        "smallest|largest|least|greatest|minimum|maximum|minimal|maximal|first|last integer|number|value|_ of|_ {n} with|where|so+that|such+that|s.t.|satisfying|for+which {}",
        "range {0} where {1}",
    ),
    (
        "smallest|least|minimum|minimal|first integer|number|value|_ of|_ {v} divisible+by|that+is+divisible+by|that+is+a+multiple+of|a+multiple+of {i} and {i}",
        "range {name} where {0}, {name} % {1} == 0, {name} % {2} == 0",
    ),
    (
        "smallest|largest|least|greatest|minimum|maximum|minimal|maximal|first|last integer|number|value|_ of|_ {v} with|where|so+that|such+that|s.t.|satisfying|for+which {}",
        "range {name} where {0}, {1}",
    ),
    (
        "how many elements|entries|values|addresses|locations do|does {} read|touch|access|write {}",
        "count {0} {1}",
    ),
    (
        "which|what elements|entries|values|addresses|locations|indices do|does {} read|touch|access|write {}",
        "image {0} {1}",
    ),
    ("which|what elements|entries of {w} does {} read|touch|access", "image {1}"),
    (
        "how many bytes does {w} take|need|use|occupy|have up|in+memory|with+padding|including+padding|padded|_",
        "layout {0}",
    ),
    ("how many bytes is|are|in {w}", "layout {0}"),
    (
        "how much padding|memory|space does|do|is|are|in {w} have|has|waste|wastes|need|needs|take|takes|use|uses|add|cost|wasted|up|_",
        "layout {0}",
    ),
    ("how much padding|memory|space is+in|in|has|does {w} have|need|take|use|_", "layout {0}"),
    ("how many programs|blocks|tiles|instances|program+instances|thread+blocks for|is {}", "{0}"),
    ("how many elements|bytes|positions of|in {w} are padding|padded|wasted", "layout {0}"),
    ("how many threads are+in|in|does|do|has|have {} launch|have|run|start|_", "{product}"),
    ("how many elements|entries do|does {c} have|contain|hold", "count {0}"),
    (
        "how many {w} of|of+size|with {i} threads|lanes|elements|_ cover|to+cover|are+needed+for|are+needed+to+cover|are+required+for|needed+for|do+i+need+for|do+we+need+for|do+i+launch+for|for {i} elements|rows|columns|_",
        "cdiv({2}, {1})",
    ),
    (
        "how many programs|blocks|instances|threads|program+instances|thread+blocks are+in|in|does a|the grid|block|launch of|_ {s} launch|have|run|contain|_",
        "{product}",
    ),
    (
        "how many programs|blocks|instances|threads|program+instances|thread+blocks are+in|in|does a|the|this|_ grid|block|launch of|_ {t}",
        "{product}",
    ),
    ("how many elements|points are+in|in|of {}", "count {0}"),
    ("how many points|iterations does {} have", "count {0}"),
    ("how many points has {}", "count {0}"),
    ("how many iterations are+in|in {}", "count {0}"),
    (
        "how many times|iterations do|does|will {} run|execute|take|make|have|do|iterate",
        "count {0}",
    ),
    (
        "how many ways|solutions|integer+solutions|integer+points can|does|do|has|have|to|for|of|_ {m} be|equal|sum+to|add+up+to {} with|for|where|if|when|in {}",
        "count(({0}) == ({1}) for {2})",
    ),
    (
        "how many ways|solutions|integer+solutions can|does|do|has|have|of|to|for|_ {} have|be|_ with|for|where|in {n} in {}",
        "count {1} where {0}, {1} in {2}",
    ),
    ("how many pairs|points {} in {} with|satisfy {}", "count {0} where {0} in {1}, {2}"),
    (
        "how many distinct|different|unique|_ values does|do {} take|have|give|assume|reach {}",
        "count {0} {1}",
    ),
    (
        "how many distinct|different|unique values|numbers|results|elements has|have|are+in|in|of {}",
        "count {0}",
    ),
    (
        "how many {w} in {} are|is divisible+by|multiples+of|a+multiple+of {i} or|or+by {i}",
        "count {0} where {0} in {1}, ({0} % {2}) * ({0} % {3}) == 0",
    ),
    (
        "how many {w} in {} are|is divisible+by|multiples+of|a+multiple+of {i} and|and+by {i}",
        "count {0} where {0} in {1}, {0} % {2} == 0, {0} % {3} == 0",
    ),
    (
        "how many {w} in {} are|is divisible+by|multiples+of|a+multiple+of {i}",
        "count {0} where {0} in {1}, {0} % {2} == 0",
    ),
    ("how many {w} in {} with|satisfy|have {}", "count {0} where {0} in {1}, {2}"),
];

/// The rows, each with the parts of its form.
pub static PARSED: LazyLock<Vec<(&str, Vec<Part>, &str)>> = LazyLock::new(|| {
    FORMS.iter().chain(SHORT_FORMS).map(|(form, line)| (*form, parsed(form), *line)).collect()
});
