//! The syntax tree of a text before it gets a meaning; rule files use all of the syntax.

use affinor_maps::text::ErrorKind;
use affinor_maps::text::ast::{NodeId, NodeKind, Relation, Sign, Term};
use affinor_maps::text::parse::{formula, term};
use affinor_maps::text::token::{Token, Tokens};

/// Prints the tree with brackets around every operation.
fn tree(term: &Term, id: NodeId) -> String {
    let list = |operands: &[NodeId], separator: &str| {
        let operands: Vec<String> = operands.iter().map(|x| tree(term, *x)).collect();
        operands.join(separator)
    };
    let both = |x: &NodeId, operator: &str, y: &NodeId| list(&[*x, *y], operator);
    match &term.node(id).kind {
        NodeKind::Integer(value) => value.to_string(),
        NodeKind::Name(name) => (*name).to_owned(),
        NodeKind::Negate(x) => format!("(-{})", tree(term, *x)),
        NodeKind::Sum(summands) => {
            let signed = |(sign, x): &(Sign, NodeId)| match sign {
                Sign::Plus => format!("+{}", tree(term, *x)),
                Sign::Minus => format!("-{}", tree(term, *x)),
            };
            format!("({})", summands.iter().map(signed).collect::<String>())
        }
        NodeKind::Multiply(x, y) => format!("({})", both(x, "*", y)),
        NodeKind::FloorDiv(x, y) => format!("({})", both(x, " floordiv ", y)),
        NodeKind::CeilDiv(x, y) => format!("({})", both(x, " ceildiv ", y)),
        NodeKind::Mod(x, y) => format!("({})", both(x, " mod ", y)),
        NodeKind::Call(name, operands) => format!("{name}({})", list(operands, ", ")),
        NodeKind::Compare(operands, relations) => {
            let mut text = tree(term, operands[0]);
            for (relation, x) in relations.iter().zip(&operands[1..]) {
                text += match relation {
                    Relation::Equal => " = ",
                    Relation::Less => " < ",
                    Relation::LessEqual => " <= ",
                    Relation::Greater => " > ",
                    Relation::GreaterEqual => " >= ",
                };
                text += &tree(term, *x);
            }
            format!("({text})")
        }
        NodeKind::Not(x) => format!("(not {})", tree(term, *x)),
        NodeKind::And(operands) => format!("({})", list(operands, " and ")),
        NodeKind::Or(operands) => format!("({})", list(operands, " or ")),
        NodeKind::Exists(..) | NodeKind::List(_) => unreachable!("only isl has these"),
    }
}

/// Checks the formula at the start of `text`, and the token after it.
#[track_caller]
fn check(text: &str, expected: &str, next: Token) {
    let mut tokens = Tokens::new(text);
    let read = formula(&mut tokens).unwrap_or_else(|error| panic!("{text}: {error:?}"));
    assert_eq!((tree(&read, read.root()).as_str(), tokens.token()), (expected, next), "{text}");
}

#[test]
fn operators_bind_as_documented() {
    check("a + b * c - d", "(+a+(b*c)-d)", Token::End);
    check("-a * b", "((-a)*b)", Token::End);
    check("a - -b", "(+a-(-b))", Token::End);
    check("x floordiv (a*b) mod c", "((x floordiv (a*b)) mod c)", Token::End);
    check("a * b // c ceilDiv d % e", "((((a*b) floordiv c) ceildiv d) mod e)", Token::End);
    check("a mod 16d0", "(a mod (16*d0))", Token::End);
    check("f(a, g(b) + 1, min(c, d))", "f(a, (+g(b)+1), min(c, d))", Token::End);
    check("lo(x + y)", "lo((+x+y))", Token::End);
    check("0 <= r < c", "(0 <= r < c)", Token::End);
    check("a + 1 = b mod c", "((+a+1) = (b mod c))", Token::End);
    check(
        "a = b and 0 <= c or not d > 0 and e >= 1",
        "(((a = b) and (0 <= c)) or ((not (d > 0)) and (e >= 1)))",
        Token::End,
    );
    check(
        "not not (a = b or c = d) and e = f",
        "((not (not ((a = b) or (c = d)))) and (e = f))",
        Token::End,
    );
    check("(a and b) = c", "((a and b) = c)", Token::End);
}

#[test]
fn a_term_ends_where_it_cannot_go_on() {
    check("x mod 1 => 0", "(x mod 1)", Token::Implies);
    check("x <=> y", "x", Token::Equivalent);
    check("x if a = b", "x", Token::Name);
    check("a, b", "a", Token::Comma);
    check("(a + b)) * 2", "(+a+b)", Token::RightParen);
    check("a in [0, 3]", "a", Token::In);
    let mut tokens = Tokens::new("a < b");
    let read = term(&mut tokens).unwrap();
    assert_eq!((tree(&read, read.root()).as_str(), tokens.token()), ("a", Token::Less));
}

#[test]
fn every_node_knows_its_place() {
    let text = "größe * (α + 1) floordiv 3 - min( β , -2 )";
    let mut tokens = Tokens::new(text);
    let read = term(&mut tokens).unwrap();
    let places: Vec<&str> = read.nodes().map(|(_, node)| &text[node.span.clone()]).collect();
    assert_eq!(
        places,
        [
            "größe",
            "α",
            "1",
            "(α + 1)",
            "größe * (α + 1)",
            "3",
            "größe * (α + 1) floordiv 3",
            "β",
            "2",
            "-2",
            "min( β , -2 )",
            text,
        ]
    );
    assert_eq!(read.span(), 0..text.len());
}

#[test]
fn incomplete_formulas() {
    for (text, at) in
        [("a and", 5), ("a < ", 3), ("not", 3), ("a = = b", 4), ("(a < b", 6), ("and", 0)]
    {
        let mut tokens = Tokens::new(text);
        let error = formula(&mut tokens).expect_err(text);
        assert_eq!(error.kind, ErrorKind::Syntax, "{text}");
        assert_eq!(error.span.map(|span| span.start), Some(at), "{text}");
    }
}
