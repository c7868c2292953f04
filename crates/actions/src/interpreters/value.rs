//! What an expression of a program stands for, as far as it can be said. Must not know the world.

use super::moments::stamp;
use super::tokens::Token;
use crate::Arg;
use text::{glob, path};

/// Most values that one expression may stand for; more are not known.
const EACH_MAX: usize = 64;

/// Longest text that is put together, in bytes.
const TEXT_MAX: usize = 64 * 1024;

/// What an expression stands for.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value<'r> {
    /// A text, with holes where parts are not known.
    Text(String),
    Number(String),
    /// A text that stands for a file: an object with methods.
    Path(String),
    /// The paths that a glob matches.
    Pattern(String),
    /// An open file.
    File(Box<Value<'r>>),
    /// What a file holds.
    Content(String),
    List(Vec<Value<'r>>),
    /// Keys and their values (`{'a': 1}`).
    Pairs(Vec<(Value<'r>, Value<'r>)>),
    /// Each of these in turn.
    Each(Vec<Value<'r>>),
    /// A function, class or module of that full name.
    Name(String),
    Function(Function<'r>),
    Unknown,
}

/// The arguments of a call.
#[derive(Debug, Clone, Default)]
pub(super) struct Arguments<'r> {
    pub(super) list: Vec<Value<'r>>,
    pub(super) named: Vec<(&'r str, Value<'r>)>,
    /// How they are spelled.
    pub(super) spelled: &'r [Token],
}

impl<'r> Arguments<'r> {
    /// Arguments of which nothing is known.
    pub(super) fn unknown() -> Self {
        Self::of(vec![Value::Unknown])
    }

    pub(super) fn of(list: Vec<Value<'r>>) -> Self {
        Self {
            list,
            ..Self::default()
        }
    }

    pub(super) fn at(&self, index: usize) -> Value<'r> {
        self.list.get(index).cloned().unwrap_or(Value::Unknown)
    }

    pub(super) fn named(&self, names: &[&str]) -> Option<Value<'r>> {
        let mut named = self.named.iter();
        let found = named.find(|(name, _)| names.contains(name));
        found.map(|(_, value)| value.clone())
    }

    /// `copytree(a, b, ignore=…)`, `cpSync(a, b, {filter: …})`
    pub(super) fn leaves_out(&self) -> bool {
        const LEAVING: &[&str] = &["filter", "ignore"];
        let is_leaving = |key: &Value<'r>| LEAVING.contains(&key.text().as_str());
        let mut pairs = self.list.iter().filter_map(|given| match given {
            Value::Pairs(pairs) => Some(pairs),
            _ => None,
        });
        self.named(LEAVING).is_some()
            || pairs.any(|pairs| pairs.iter().any(|(key, _)| is_leaving(key)))
    }

    /// The second before the first: `File.expand_path("..", __dir__)`; `None` if there is none, or
    /// they stand as they are meant.
    pub(super) fn turned_if(&self, is_turned: bool) -> Option<Self> {
        match self.list.as_slice() {
            [first, second] if is_turned => Some(Self::of(vec![second.clone(), first.clone()])),
            _ => None,
        }
    }

    /// The same with something before them.
    pub(super) fn after(&self, first: &Value<'r>) -> Self {
        Self {
            list: [std::slice::from_ref(first), &self.list].concat(),
            ..self.clone()
        }
    }
}

/// A function that the program says.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Function<'r> {
    pub(super) params: Vec<Param<'r>>,
    pub(super) body: &'r [Token],
    /// Where the body stands: what tells one function from another.
    pub(super) at: usize,
}

/// What a function calls one of its arguments.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Param<'r> {
    pub(super) name: &'r str,
    /// Whether it takes all that follow.
    pub(super) takes_rest: bool,
    /// Whether it is a part of what is given: `({rmSync}) => …`.
    pub(super) is_taken_out: bool,
    /// What that part is called: `({rmSync: rm}) => …`.
    pub(super) member: &'r str,
    pub(super) default: &'r [Token],
}

/// A class that the program says.
pub(super) struct Class<'r> {
    pub(super) name: &'r str,
    pub(super) bases: Vec<&'r str>,
    /// What is said of its objects, with what that is if nothing is given.
    pub(super) fields: Vec<(&'r str, &'r [Token])>,
    pub(super) methods: Vec<(&'r str, Function<'r>)>,
}

impl<'r> Value<'r> {
    /// As a part of a text or path.
    pub(super) fn text(&self) -> String {
        match self {
            Self::Text(text) | Self::Number(text) | Self::Path(text) => text.clone(),
            Self::File(path) => path.text(),
            Self::Name(call) => stamp(call).map_or_else(|| Arg::HOLE.to_string(), str::to_owned),
            _ => Arg::HOLE.to_string(),
        }
    }

    /// A path as a word that may be a glob.
    pub(super) fn word(&self) -> Arg {
        match self {
            Self::Pattern(pattern) => Arg {
                text: pattern.clone(),
                sure: model::Certainty::Derived,
                glob: true,
            },
            // A number is a descriptor.
            Self::Number(_) => Arg::unknown(),
            Self::Name(_) => Arg::unknown(),
            other => Arg::derived(other.text()),
        }
    }

    pub(super) fn is_unknown(&self) -> bool {
        match self {
            Self::Unknown | Self::Name(_) | Self::Content(_) => true,
            Self::Text(text) | Self::Path(text) => text.contains(Arg::HOLE),
            Self::Each(all) | Self::List(all) => all.iter().any(Self::is_unknown),
            _ => false,
        }
    }

    /// Each of several values, or the one.
    pub(super) fn each_of(mut all: Vec<Self>) -> Self {
        all.truncate(EACH_MAX);
        match all.len() {
            1 => all.pop().unwrap_or(Self::Unknown),
            _ => Self::Each(all),
        }
    }

    /// The values that this stands for in turn.
    pub(super) fn alternatives(&self) -> Vec<Self> {
        match self {
            Self::Each(all) => all.iter().flat_map(Self::alternatives).collect(),
            other => vec![other.clone()],
        }
    }

    /// What a loop over it goes through.
    pub(super) fn elements(&self) -> Self {
        match self {
            Self::List(all) => Self::each_of(all.clone()),
            Self::Pairs(all) => Self::each_of(all.iter().map(|(key, _)| key.clone()).collect()),
            Self::Each(all) => Self::each_of(all.iter().map(Self::elements).collect()),
            Self::Pattern(_) => self.clone(),
            _ => Self::Unknown,
        }
    }

    /// The values of a list, in order; of anything else itself.
    pub(super) fn flattened(&self) -> Vec<Self> {
        match self {
            Self::List(all) => all.iter().flat_map(Self::flattened).collect(),
            // Options are no words.
            Self::Pairs(_) => Vec::new(),
            other => vec![other.clone()],
        }
    }

    /// Keys with their values, each as a list of two; of anything else itself.
    pub(super) fn entries(&self) -> Self {
        match self {
            Self::Pairs(all) => {
                let pair =
                    |(key, value): &(Self, Self)| Self::List(vec![key.clone(), value.clone()]);
                Self::List(all.iter().map(pair).collect())
            }
            other => other.clone(),
        }
    }

    /// The keys, the values or both, as a method of that name gives them.
    pub(super) fn part_of_pairs(&self, method: &str) -> Option<Self> {
        let Self::Pairs(all) = self else {
            return None;
        };
        let list = |part: fn(&(Self, Self)) -> Self| Self::List(all.iter().map(part).collect());
        match method {
            "keys" => Some(list(|(key, _)| key.clone())),
            "values" => Some(list(|(_, value)| value.clone())),
            "each_pair" | "entries" | "items" | "iteritems" | "to_a" => Some(self.entries()),
            _ => None,
        }
    }

    /// The elements side by side with those of other lists.
    pub(super) fn zipped(&self, others: &[Self]) -> Self {
        let Self::List(all) = self else {
            return Self::Unknown;
        };
        let row = |index: usize| {
            let others = others.iter().map(|other| other.at(&index.to_string()));
            let own = all.get(index).cloned();
            Self::List(own.into_iter().chain(others).collect())
        };
        Self::List((0..all.len()).map(row).collect())
    }

    /// What has a key.
    pub(super) fn of_key(&self, key: &Self) -> Self {
        let Self::Pairs(all) = self else {
            return Self::Unknown;
        };
        let found = all.iter().find(|(own, _)| own == key);
        found.map_or(Self::Unknown, |(_, value)| value.clone())
    }

    /// A part of a list or text, from one number up to another; without one it goes to the end.
    pub(super) fn sliced(&self, from: &Self, to: &Self) -> Self {
        let number = |value: &Self| match value {
            Self::Number(number) => number.parse::<usize>().ok(),
            _ => None,
        };
        match (self, number(from)) {
            (Self::List(all), Some(from)) => {
                let end = number(to).unwrap_or(all.len()).min(all.len());
                Self::List(all.get(from..end).unwrap_or_default().to_vec())
            }
            (Self::Text(text), Some(from)) => {
                let end = number(to).unwrap_or(usize::MAX);
                let part = text.chars().skip(from).take(end.saturating_sub(from));
                Self::Text(part.collect())
            }
            _ => Self::Unknown,
        }
    }

    /// The n-th of a list, from its end if negative.
    pub(super) fn at(&self, index: &str) -> Self {
        let Self::List(all) = self else {
            return match self {
                Self::Each(each) => Self::each_of(each.iter().map(|one| one.at(index)).collect()),
                Self::Pattern(_) => self.clone(),
                _ => Self::Unknown,
            };
        };
        let from_end = index
            .strip_prefix('-')
            .and_then(|index| index.parse::<usize>().ok());
        let place = match from_end {
            Some(back) => all.len().checked_sub(back),
            None => index.parse().ok(),
        };
        place
            .and_then(|place| all.get(place))
            .cloned()
            .unwrap_or(Self::Unknown)
    }

    /// Applies something to each of several values.
    pub(super) fn map(&self, change: &mut dyn FnMut(&Self) -> Self) -> Self {
        match self {
            Self::Each(all) => Self::each_of(all.iter().map(|one| one.map(change)).collect()),
            one => change(one),
        }
    }

    /// Two values, one after the other with something between.
    pub(super) fn joined(&self, between: &str, next: &Self) -> Self {
        let (left, right) = (self.alternatives(), next.alternatives());
        if left.len() * right.len() > EACH_MAX {
            return Self::Unknown;
        }
        let pairs = left
            .iter()
            .flat_map(|left| right.iter().map(|right| pair(left, between, right)));
        Self::each_of(pairs.collect())
    }

    /// `{now:%Y%m%d}`: what a call gives, in a form.
    pub(super) fn in_form(self) -> Self {
        match self {
            Self::Name(call) => Self::Name(format!("{call}.format")),
            other => other,
        }
    }

    /// Where files go that keep their names: the directory; else what was said.
    pub(super) fn place_of_each(&self, to: Self) -> Self {
        match (self, &to) {
            (Self::Pattern(from), Self::Pattern(each))
                if path::file_name(from) == path::file_name(each) =>
            {
                let dir = each.rsplit_once('/').map_or(".", |(dir, _)| dir);
                Self::Path(dir.to_owned())
            }
            _ => to,
        }
    }

    /// The same text as a path.
    pub(super) fn into_path(self) -> Self {
        match self {
            Self::Text(text) => Self::Path(text),
            Self::File(path) => *path,
            Self::Each(all) => Self::Each(all.into_iter().map(Self::into_path).collect()),
            other => other,
        }
    }
}

fn pair<'r>(left: &Value<'r>, between: &str, right: &Value<'r>) -> Value<'r> {
    let is_pattern = |value: &Value<'_>| matches!(value, Value::Pattern(_));
    if let (Value::List(left), Value::List(right)) = (left, right) {
        return Value::List([left.clone(), right.clone()].concat());
    }
    if is_pattern(left) || is_pattern(right) {
        let part = |value: &Value<'_>| match value {
            Value::Pattern(pattern) => pattern.clone(),
            other => glob::escape(&other.text()),
        };
        // Below any directory, so in the directory itself.
        let first = part(left);
        let first = first.strip_suffix("/.").unwrap_or(&first);
        return Value::Pattern(format!("{first}{between}{}", part(right)));
    }
    let (first, second) = (left.text(), right.text());
    if first.len() + second.len() > TEXT_MAX {
        return Value::Unknown;
    }
    let text = match between {
        "/" if second.starts_with('/') => second,
        "/" if first.ends_with('/') || first.is_empty() => format!("{first}{second}"),
        between => format!("{first}{between}{second}"),
    };
    if !text.is_empty() && text.chars().all(|letter| letter == Arg::HOLE) {
        return Value::Unknown;
    }
    match left {
        Value::Path(_) => Value::Path(text),
        _ => Value::Text(text),
    }
}

/// A part of a path by the name that libraries give it.
pub(super) fn part_of_path<'r>(value: &Value<'r>, name: &str) -> Value<'r> {
    let text = match value {
        Value::File(path) if matches!(name, "name" | "path") => return (**path).clone(),
        Value::Path(text) | Value::Text(text) => text,
        Value::Pattern(pattern) => {
            let own = path::file_name(pattern);
            return match name {
                "name" | "basename" => Value::Pattern(own.to_owned()),
                "parent" | "dirname" => Value::Pattern(path::parent(pattern).to_owned()),
                "path" | "stem" | "suffix" => value.clone(),
                _ => Value::Unknown,
            };
        }
        _ => return Value::Unknown,
    };
    let own = path::file_name(text);
    let (stem, end) = own.rsplit_once('.').unwrap_or((own, ""));
    match name {
        "parent" | "dirname" => match text.rsplit_once('/') {
            Some(("", _)) => Value::Path("/".to_owned()),
            Some((parent, _)) => Value::Path(parent.to_owned()),
            None => Value::Path(".".to_owned()),
        },
        "parents" => {
            let above = path::ancestors(text);
            Value::List(above.map(|dir| Value::Path(dir.to_owned())).collect())
        }
        "name" | "basename" => Value::Text(own.to_owned()),
        "stem" => Value::Text(stem.to_owned()),
        "suffix" | "ext" | "extname" => Value::Text(format!(".{end}")),
        "path" | "pathname" | "href" => value.clone(),
        _ => Value::Unknown,
    }
}

/// What a list holds as one text.
pub(super) fn joined_list<'r>(list: &Value<'r>, between: &Value<'r>) -> Value<'r> {
    let between = match between {
        Value::Text(between) => between.clone(),
        _ => String::new(),
    };
    let all = list.flattened();
    let mut all = all.iter();
    let Some(first) = all.next() else {
        return Value::Text(String::new());
    };
    all.fold(first.clone(), |whole, part| whole.joined(&between, part))
}
