//! Forms of questions in English, each with its line of commands.

use super::holes::{Part, parsed};
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
    ("how many of {?}", "count({0})"),
    (
        "is the+map|the+function|map|_ {} bijective|a+bijection|a+permutation|a+one-to-one+correspondence on|over {}",
        "injective {0}, domain: {1} --onto",
    ),
    ("is the+map|_ {m} a+bijection|a+permutation of {w} {}", "injective {0} {2} --onto"),
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
    ("how many bytes does {w} take|need|use|occupy|have up|_", "layout {0}"),
    ("how many bytes is|are|in {w}", "layout {0}"),
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
    ("how many {w} in {} with|satisfy|have {}", "count {0} where {0} in {1}, {2}"),
    ("where does element|_ {} of|in {} live|lie", "layout {1} --index {0}"),
    ("where is element|_ {} of|in {}", "layout {1} --index {0}"),
    (
        "physical|linear|memory|_ offset|address|position|index of element|_ {} of|in {}",
        "layout {1} --index {0}",
    ),
    ("element at position|offset|address {w} of|in {}", "layout {1} --linear {0}"),
    (
        "which|what element is|lies|_ at position|offset|address {w} of|in {}",
        "layout {1} --linear {0}",
    ),
    ("element|index {} of|in {}", "layout {1} --index {0}"),
    (
        "physical|linear|memory|_ offset|address|position of|for {e} for|in|of a|an|the|_ tensor|array|view|_ of|with|_ shape|size|sizes {} with|and strides|stride {}",
        "eval torch.empty_strided({1}, {2}) [{0}]",
    ),
    ("physical|linear|memory|_ offset|address|position of|at element|index|_ {}", "eval it {0}"),
    (
        "which|what|_ row+and+column|row,+column|row,+col|row+and+col|coordinates|coordinate|coords|multi-index of|for|is|has|does flat|linear|_ index|element|offset|_ {w} in|of a|an|the|_ row-major|row+major|_ {s} matrix|array|tensor|grid|_ row-major|_",
        "layout {1} --linear {0}",
    ),
    (
        "flat|linear|row-major|_ index|offset|position|address of element|index|_ {} in|of a|an|the|_ row-major|row+major|_ {s} matrix|array|tensor|grid|_ row-major|_",
        "layout {1} --index {0}",
    ),
    (
        "linearize|ravel|linearize_index|affine.linearize_index|ravel_multi_index {} by|with|into|in|over {}",
        "np.ravel_multi_index({0}, {1})",
    ),
    (
        "delinearize|delinearize_index|affine.delinearize_index|unravel_index {w} by|with|into|in|over {}",
        "np.unravel_index({0}, {1})",
    ),
    (
        "strides|stride of|for a|an|the channels_last|channels+last|channels-last|nhwc|NHWC tensor of|with shape|size|sizes {}",
        "torch.empty({0}, memory_format=torch.channels_last).stride()",
    ),
    (
        "strides|stride of|for a|an|the|_ contiguous|row-major|row+major|_ tensor|array of|with shape|size|sizes {}",
        "torch.empty({0}).stride()",
    ),
    (
        "can {c} be|_ done|made|computed|written|executed|happen|_ without a|any|_ copy|copying",
        "{0}",
    ),
    ("shape|sizes|dimensions of {c}", "{0}.shape"),
    ("strides|stride of {c}", "{0}.stride()"),
    ("strides|stride of {r}", "layout {0}"),
    (
        "does|will splitting|tiling|split|tile {i} by|with|into|in {i} need|leave|have|require a|an|_ guard|remainder|tail|predicate|mask|bounds+check|epilogue|boundary+check",
        "{0} % {1} == 0",
    ),
    ("{a} at|applied+to the|_ point|_ {}", "at {0} ; {1}"),
    (
        "which|what warp+and+lane|warp,+lane is|has|does|for|of|contains|holds thread {i} {}",
        "({0} // 32, {0} % 32)",
    ),
    ("which|what warp is|has|does|for|of|contains|holds thread {i} {}", "{0} // 32"),
    ("which|what lane is|has|does|for|of|contains|holds thread {i} {}", "{0} % 32"),
    ("{w} divided+by {w} rounded+down|and+rounded+down|rounding+down", "{0} // {1}"),
    ("{w} divided+by {w} rounded+up|and+rounded+up|rounding+up", "cdiv({0}, {1})"),
    ("counterexample|counter-example|counterexamples to|of|for|against {}", "{0}"),
    ("right_inverse|right-inverse|right+inverse of|_ {l}", "layout inverse {0} --right"),
    ("left_inverse|left-inverse|left+inverse of|_ {l}", "layout inverse {0} --left"),
    (
        "is|are {r} layout+compatible|bitcast+compatible|bitcast-compatible|compatible with {r}",
        "bitcast {0} {1}",
    ),
    (
        "which|what dimension|dim|axis of|in {r} is the|_ minor-most|minormost|minor|fastest|innermost|contiguous|fastest-varying|major-most|major|outermost|slowest dimension|dim|one|_",
        "layout {0}",
    ),
    ("last digit of {m}", "({0}) % 10"),
    ("remainder of {m} divided+by|by|modulo {i}", "({0}) % {1}"),
    ("remainder when|if {m} is divided+by {i}", "({0}) % {1}"),
    ("{r} at|index|element {}", "layout {0} --index {1}"),
    ("is {w} row-major|row+major|column-major|column+major|contiguous|padded", "layout {0}"),
    ("is {c} contiguous", "{0}.is_contiguous()"),
    ("how big is {w}", "layout {0}"),
    ("size|padding|cosize of {w}", "layout {0}"),
    (
        "how many elements|bytes of|_ padding are+in|in|has|does {w} have|need|contain|_",
        "layout {0}",
    ),
    ("how many elements are padding in {w}", "layout {0}"),
    ("{w} size|padding|strides|cosize", "layout {0}"),
    ("cosize {}", "layout {0}"),
    ("draw layout {}", "layout {0} --draw"),
    ("unravel {w} {}", "np.unravel_index({0}, {1})"),
    ("zipped_divide {} by {}", "layout divide {0} ; {1} --zipped"),
    ("logical_divide {} by {}", "layout divide {0} ; {1}"),
    ("zipped_divide {w} {w}", "layout divide {0} ; {1} --zipped"),
    ("logical_divide {w} {w}", "layout divide {0} ; {1}"),
    ("logical_product {w} {w}", "layout product {0} ; {1}"),
    ("composition {w} {w}", "layout compose {0} ; {1}"),
    ("layout|_ {l} o|composed+with {}", "layout compose {0} ; {1}"),
    ("complement {w} {w}", "layout complement {0} {1}"),
    ("coalesce {w}", "layout coalesce {0}"),
    ("inverse|inverse+permutation|inverse+map|inverse+function of {}", "inverse {0}"),
    ("invert {>}", "inverse {0}"),
    ("indexing+map|index+map|access+map|indexing+maps of|for {}", "{0}"),
    ("compose {} with|then {}", "compose {0} ; {1}"),
    ("{a} == {a}", "equal {0} ; {1}"),
    ("{>} equals|is+equal+to|is+the+same+as {>}", "equal {0} ; {1}"),
    ("{>} then|followed+by|and+then {>}", "compose {0} ; {1}"),
    ("{>} after {>}", "compose {1} ; {0}"),
    ("stride of {w} in {}", "strides {1}"),
    ("strides of {}", "strides {0}"),
    ("count of {}", "count {0}"),
    ("number of distinct {}", "count {0}"),
    ("number of points+in|elements+of {}", "count {0}"),
    ("card|cardinality|cardinality+of {}", "count {0}"),
    ("range|bounds|maximum|minimum|max|min of {}", "range {0}"),
    ("smallest|largest|greatest|least|minimal|maximal value of|that {} takes|_", "range {0}"),
    (
        "smallest|largest|greatest|least|minimal|maximal|highest|lowest|biggest|max|min|maximum|minimum|last|first index|offset|address|element|value of|in|that {}",
        "range {0}",
    ),
    (
        "smallest|largest|greatest|least|minimal|maximal|highest|lowest|biggest|max|min|maximum|minimum {w} for|when|where|with {}",
        "range {0} for {1}",
    ),
    ("values|possible+values|distinct+values|different+values of {m}", "image {0}"),
    (
        "what|which values|numbers|results do|does {} take|have|reach|assume|produce|give {}",
        "image {0} {1}",
    ),
    ("when is {}", "prove {0}"),
    ("when does {} hold", "prove {0}"),
    (
        "for which values+of|integers|numbers|_ {w} in {} is|does {}",
        "points {0} where {0} in {1}, {2}",
    ),
    ("for which values+of|_ {w} is {}", "points {0} where {1}"),
    ("which {w} in {} have|satisfy {}", "points {0} where {0} in {1}, {2}"),
    ("which {w} satisfies|satisfy {}", "points {0} where {1}"),
    ("can {} be {} for {}", "any(({0}) == ({1}) for {2})"),
    (
        "can|could|will|does {m} ever|_ be|equal|reach {} where|if|when|with {}",
        "solve ({0}) = ({1}), {2}",
    ),
    ("can|could|will|does {m} ever|_ be|equal|reach {}", "solve ({0}) = ({1})"),
    ("is {m} ever a+multiple+of|divisible+by {i} for {}", "any(({0}) % {1} == (0) for {2})"),
    ("is {} ever {} for {}", "any(({0}) == ({1}) for {2})"),
    (
        "is|are accesses+to|access+to|loads+of|loads+from|reads+of|a+load+from|_ {} coalesced {}",
        "coalesce {0} {1}",
    ),
    (
        "does|do|will|can reading|accessing|loading|storing|_ {} have|cause|has|give|produce any|_ bank conflicts|conflict {}",
        "banks {0} {1}",
    ),
    (
        "is|are {} free+of+bank+conflicts|bank+conflict+free|bank-conflict-free|bank-conflict+free|conflict-free|conflict+free {}",
        "banks {0} {1}",
    ),
    (
        "are|any there|_ any|_ bank conflicts in|for|of|when|with|on reading|accessing|loading|storing|_ {}",
        "banks {0}",
    ),
    ("bank conflicts of|in|for|when|on reading|accessing|loading|storing|_ {}", "banks {0}"),
    ("{e} bank conflicts|conflict {}", "banks {0} {1}"),
    ("{e} coalesced {}", "coalesce {0} {1}"),
    (
        "how many sectors|transactions|cache+lines|memory+transactions|wavefronts|segments do|does|are|is a|one|each|the|_ warp|kernel|load|access|_ touch|need|take|issue|generate|cause|needed|_ reading|loading|for|when+reading|by|to+load|to+read|with|_ {m}",
        "coalesce {0}",
    ),
    ("is {} always|_ a+multiple+of|divisible+by {w} {}", "({0}) % {1} == 0 {2}"),
    ("is {} always <= {}", "{0} <= {1}"),
    ("is {} always >= {}", "{0} >= {1}"),
    ("is {} always < {}", "{0} < {1}"),
    ("prove|show that {}", "prove {0}"),
    ("prove: {}", "prove {0}"),
    ("check that {}", "{0}"),
    ("what does {} read", "{0}"),
    ("what does {} simplify to", "{0}"),
    ("{m} simplified|simplify|simplifies+to+what|simplifies+to {}", "simplify {0} {1}"),
    ("what is {}", "{0}"),
    ("rules add {}", "rule {0}"),
    ("add rule {}", "rule {0}"),
    ("is {} empty", "{0}"),
    ("is {} always|_ true|valid|satisfied {}", "{0} {1}"),
    ("does {} hold {}", "{0} {1}"),
    ("is {}", "{0}"),
];

/// Words that a question may begin with, before the noun that it asks for.
const OPENINGS: [&str; 14] = [
    "what is",
    "what's",
    "whats",
    "what are",
    "find",
    "compute",
    "calculate",
    "determine",
    "get",
    "give me",
    "give",
    "show me",
    "show",
    "tell me",
];

/// Returns a question without the words that it begins with: `what is the range of i` is `range of i`.
pub fn without_opening(text: &str) -> Option<&str> {
    let after = |text: &'_ str, words: &str| -> Option<usize> {
        let start = text.get(..words.len())?;
        let is_word = text[words.len()..].starts_with(' ');
        (is_word && start.eq_ignore_ascii_case(words)).then_some(words.len())
    };
    let opening = OPENINGS.iter().find_map(|words| after(text, words))?;
    let rest = text[opening..].trim_start();
    let article = ["the", "a", "an"].iter().find_map(|words| after(rest, words)).unwrap_or(0);
    Some(rest[article..].trim_start())
}

/// The rows, each with the parts of its form.
pub static PARSED: LazyLock<Vec<(&str, Vec<Part>, &str)>> =
    LazyLock::new(|| FORMS.iter().map(|(form, line)| (*form, parsed(form), *line)).collect());
