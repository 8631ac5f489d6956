//! How Java makes a collection from what is in it. Names are simple ones of `java.util`.

/// Java code that makes one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recipe {
    /// `new ArrayList<>(elements)`
    Copy(&'static str),
    /// `new Stack()`, then `addAll`.
    Filled(&'static str),
    /// `new HashMap()`, then `put` for each pair.
    Put(&'static str),
    /// `Arrays.asList(…)`
    AsList,
    /// `List.of(…)`, `Set.of(…)`; for pairs `Map.of(…)`.
    Of(&'static str),
    /// `Collections.emptyList()`
    Empty(&'static str),
    /// `Collections.singletonList(…)`
    Singleton(&'static str),
    /// `Collections.unmodifiableList(…)`
    Wrapper(&'static str),
    /// `Optional.of(…)` or `Optional.empty()`
    Optional(&'static str),
}
