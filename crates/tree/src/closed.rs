//! Enums that are tables: each variant is an entry, and nobody can forget one in the list of all.

/// The enum, and `ALL`: its variants in their order.
#[macro_export]
macro_rules! closed {
    ($(#[$about:meta])* pub enum $name:ident { $($(#[$what:meta])* $variant:ident,)* }) => {
        $(#[$about])*
        pub enum $name {
            $($(#[$what])* $variant,)*
        }

        impl $name {
            pub const ALL: [$name; [$($name::$variant),*].len()] = [$($name::$variant),*];
        }
    };
}
