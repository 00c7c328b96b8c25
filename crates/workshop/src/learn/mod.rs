//! Learns the rule that an example shows: two expressions that are equal on a domain, one of them better.
//!
//! At the place where the two differ (`place`), parts become letters (`letters`) and numbers become constants, independent ones
//! first (`numbers`). Facts of the example about these (`facts`) are assumed, few at first. A statement that holds at all tested
//! points under these assumptions loses those that it does not need (`weaken`), and is proved for all integers. It is then
//! written as a rule that fires (`dress`).
//!
//! Examples are given (`search`), or found: by enumeration of terms (`suggested`), and in the expressions of corpora (`improve`).
//!
//! Law: a returned rule was proved exactly as written. Nothing learnt depends on more than its text.
//!
//! In order: `learned`, `tree`, `place`, `letters`, `pool`, `numbers`, `example`, `blocks`, `facts`, `inside`,
//! `weaken`, `samples`, `statement`, `candidates`, `hints`, `dress`, `search`, `numbered`; `assume`, `enumerate`, `settings`,
//! `suggested`, `shorter`, `instance`, `state`, `run`, `improve`, `needed`, `discover`.

mod assume;
mod blocks;
mod candidates;
mod definition;
mod discover;
mod dress;
mod enumerate;
mod example;
mod facts;
mod fewest;
mod hints;
mod improve;
mod inside;
mod instance;
mod learned;
mod letters;
mod needed;
mod numbered;
mod numbers;
mod place;
mod pool;
mod run;
mod samples;
mod search;
mod settings;
mod shorter;
mod state;
mod statement;
mod suggested;
mod tree;
mod weaken;

pub use discover::{Discovery, discover};
pub use dress::{Dressed, Fires, dressed, with};
pub use learned::{Learned, Missed};
pub use numbered::{Sizes, numbered};
pub use run::Size;
pub use search::learn;
pub use settings::Settings;
pub use state::{Counts, Kept, Saved, State};
