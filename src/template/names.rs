//! What member names say. A coincidence between a few numbers proves nothing; that one of them is
//! called `total` makes a sum of it.

/// The words of a name, in lower case: `lineTotal`, `line_total` and `Line-Total` have the same.
pub(super) fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut after_lower = false;
    for c in name.chars() {
        if !c.is_alphanumeric() {
            words.push(String::new());
        } else if c.is_uppercase() && after_lower {
            words.push(c.to_lowercase().collect());
        } else if let Some(word) = words.last_mut() {
            word.extend(c.to_lowercase());
        }
        after_lower = c.is_lowercase() || c.is_ascii_digit();
    }
    words.retain(|word| !word.is_empty());
    // `sub_total` and `subtotal` mean the same.
    if let Some(at) = words.windows(2).position(|pair| pair[0] == "sub" && pair[1] == "total") {
        words.splice(at..at + 2, ["subtotal".to_owned()]);
    }
    words
}

/// A word as it is in the singular, roughly: good enough to compare two names by.
pub(super) fn singular(word: &str) -> String {
    for (plural, end) in
        [("ies", "y"), ("sses", "ss"), ("xes", "x"), ("ches", "ch"), ("ices", "ex")]
    {
        if let Some(front) = word.strip_suffix(plural) {
            return front.to_owned() + end;
        }
    }
    match word.strip_suffix('s') {
        Some(front) if !front.is_empty() && !front.ends_with('s') => front.to_owned(),
        _ => word.to_owned(),
    }
}

/// The words of a name with the last one in the singular.
pub(super) fn singular_words(name: &str) -> Vec<String> {
    let mut words = words(name);
    if let Some(last) = words.last_mut() {
        *last = singular(last);
    }
    words
}

fn has(name: &str, list: &[&str]) -> bool {
    words(name).iter().any(|word| list.contains(&word.as_str()))
}

/// Words of values that enumerations are made of: a state, a kind, a degree.
const CLOSED: &[&str] = &[
    "status",
    "state",
    "kind",
    "type",
    "severity",
    "priority",
    "level",
    "stage",
    "phase",
    "mode",
    "outcome",
    "verdict",
    "result",
    "sentiment",
    "direction",
    "side",
    "tier",
    "risk",
    "urgency",
    "impact",
    "frequency",
    "visibility",
    "polarity",
    "grade",
];

pub(super) fn is_closed(name: &str) -> bool {
    words(name).last().is_some_and(|word| CLOSED.contains(&word.as_str()))
}

/// Words of amounts that can have a fraction, even where none was seen.
const MEASURES: &[&str] = &[
    "price",
    "amount",
    "total",
    "subtotal",
    "cost",
    "fee",
    "tax",
    "vat",
    "rate",
    "ratio",
    "score",
    "percent",
    "percentage",
    "pct",
    "weight",
    "height",
    "width",
    "length",
    "distance",
    "probability",
    "confidence",
    "latitude",
    "longitude",
    "lat",
    "lng",
    "lon",
    "balance",
    "net",
    "gross",
    "discount",
    "average",
    "avg",
    "mean",
    "temperature",
    "salary",
    "revenue",
    "margin",
    "tolerance",
    "rating",
    "volume",
    "area",
    "shipping",
    "sum",
    "value",
];

pub(super) fn is_measure(name: &str) -> bool {
    has(name, MEASURES) && !is_count(name)
}

/// Words of what is counted or measured from zero.
const FROM_ZERO: &[&str] = &[
    "count",
    "qty",
    "quantity",
    "size",
    "length",
    "age",
    "duration",
    "price",
    "width",
    "height",
    "weight",
    "page",
    "pages",
    "bytes",
    "words",
    "characters",
    "tokens",
    "seconds",
    "millis",
    "ms",
    "minutes",
    "hours",
    "days",
    "year",
    "month",
    "distance",
    "rank",
    "probability",
    "confidence",
    "attempts",
    "retries",
    "items",
    "views",
    "likes",
    "followers",
    "stars",
    "population",
    "area",
    "volume",
    "units",
    "stock",
    "passed",
    "failed",
    "skipped",
    "elapsed",
    "latency",
    "timeout",
];

pub(super) fn is_from_zero(name: &str) -> bool {
    has(name, FROM_ZERO) && !is_signed(name)
}

/// Words of what can be negative, however often it was not.
const SIGNED: &[&str] = &[
    "balance",
    "delta",
    "change",
    "difference",
    "diff",
    "temperature",
    "temp",
    "latitude",
    "lat",
    "longitude",
    "lng",
    "lon",
    "offset",
    "x",
    "y",
    "z",
    "profit",
    "return",
    "growth",
    "elevation",
    "altitude",
    "net",
    "margin",
    "adjustment",
    "discount",
    "correlation",
    "sentiment",
    "polarity",
    "gain",
    "loss",
    "variance",
    "drift",
    "position",
    "angle",
    "bias",
    "slope",
    "trend",
    "score",
    "coefficient",
    "error",
    "logprob",
    "timestamp",
    "epoch",
    "id",
    "credit",
    "refund",
    "exponent",
];

pub(super) fn is_signed(name: &str) -> bool {
    has(name, SIGNED)
}

pub(super) fn is_count(name: &str) -> bool {
    has(name, &["count", "qty", "quantity", "units", "number", "num", "pages", "items"])
}

/// Words of the one value of an item: several of it, added up, need a count beside it.
pub(super) fn is_per_unit(name: &str) -> bool {
    has(name, &["unit", "price", "rate", "each", "average", "avg", "percent", "pct", "ratio"])
}

/// Whether a name says that its value is made of others.
pub(super) fn is_total(name: &str) -> bool {
    total_rank(name).is_some()
}

/// Names of totals, the ones first that are nearest to the plain sum of the parts: tax and postage
/// come between a subtotal and a total.
const TOTALS: &[&str] = &["subtotal", "net", "sum", "total", "totals", "gross", "overall"];

pub(super) fn total_rank(name: &str) -> Option<usize> {
    let words = words(name);
    words.iter().filter_map(|word| TOTALS.iter().position(|total| total == word)).min()
}

/// Whether a number is a name rather than an amount.
pub(super) fn is_label(name: &str) -> bool {
    const LABELS: &[&str] = &[
        "id",
        "ids",
        "number",
        "no",
        "code",
        "year",
        "month",
        "day",
        "port",
        "zip",
        "phone",
        "version",
        "index",
        "position",
        "rank",
        "line",
        "row",
        "column",
        "timestamp",
        "lat",
        "lng",
        "lon",
        "latitude",
        "longitude",
    ];
    words(name).last().is_some_and(|word| LABELS.contains(&word.as_str()))
}

/// Whether two names share a word that is no general one.
pub(super) fn are_related(one: &str, other: &str) -> bool {
    let other = words(other);
    words(one).iter().any(|word| other.iter().any(|other| singular(word) == singular(other)))
}

/// What is before and what is after: pairs of words in which names that are otherwise equal may
/// differ. The second list is for dates only.
const ORDERS: &[(&str, &str)] = &[
    ("start", "end"),
    ("started", "ended"),
    ("started", "finished"),
    ("started", "completed"),
    ("begin", "end"),
    ("min", "max"),
    ("minimum", "maximum"),
    ("low", "high"),
    ("lower", "upper"),
    ("lowest", "highest"),
    ("first", "last"),
    ("subtotal", "total"),
    ("net", "gross"),
    ("passed", "total"),
    ("failed", "total"),
    ("pass", "total"),
    ("fail", "total"),
    ("used", "limit"),
    ("used", "total"),
    ("available", "total"),
    ("completed", "total"),
];
const DATE_ORDERS: &[(&str, &str)] = &[
    ("from", "to"),
    ("from", "until"),
    ("since", "until"),
    ("created", "updated"),
    ("created", "modified"),
    ("created", "completed"),
    ("created", "closed"),
    ("created", "deleted"),
    ("opened", "closed"),
    ("open", "close"),
    ("issue", "due"),
    ("issued", "due"),
    ("invoice", "due"),
    ("issue", "expiry"),
    ("issued", "expires"),
    ("departure", "arrival"),
    ("departs", "arrives"),
    ("in", "out"),
    ("checkin", "checkout"),
    ("ordered", "shipped"),
    ("ordered", "delivered"),
    ("order", "delivery"),
    ("shipped", "delivered"),
    ("published", "updated"),
    ("before", "after"),
    ("queued", "started"),
    ("birth", "death"),
    ("hired", "terminated"),
    ("requested", "completed"),
];

/// Whether the names say that the first value comes before, or is at most, the second.
pub(super) fn are_ordered(first: &str, second: &str, dates: bool) -> bool {
    let (first, second) = (words(first), words(second));
    if first.len() != second.len() {
        return false;
    }
    let mut differing = first.iter().zip(&second).filter(|(a, b)| a != b);
    let (Some((a, b)), None) = (differing.next(), differing.next()) else {
        return false;
    };
    let is_in = |list: &[(&str, &str)]| list.contains(&(a.as_str(), b.as_str()));
    is_in(ORDERS) || dates && is_in(DATE_ORDERS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_word_by_word() {
        for name in ["lineTotal", "line_total", "Line-Total", "line total"] {
            assert_eq!(words(name), ["line", "total"], "{name}");
        }
        assert_eq!(words("subTotal"), ["subtotal"]);
        assert_eq!(words("URL"), ["url"]);
        assert_eq!(words("..."), [""; 0]);
        for (plural, one) in [
            ("companies", "company"),
            ("addresses", "address"),
            ("boxes", "box"),
            ("branches", "branch"),
            ("vertices", "vertex"),
            ("orders", "order"),
            ("class", "class"),
            ("s", "s"),
        ] {
            assert_eq!(singular(plural), one);
        }
    }

    #[test]
    fn an_order_is_in_one_word() {
        assert!(are_ordered("start_date", "end_date", true));
        assert!(are_ordered("startDate", "endDate", false));
        assert!(are_ordered("sub_total", "total", false));
        assert!(are_ordered("created_at", "updated_at", true));
        assert!(!are_ordered("created_at", "updated_at", false), "two counts, perhaps");
        assert!(!are_ordered("end", "start", true));
        assert!(!are_ordered("start_date", "end_time", true));
        assert!(!are_ordered("start", "start", true));
    }
}
