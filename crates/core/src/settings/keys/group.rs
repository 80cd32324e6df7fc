//! A group of settings: each field is declared once, with its meaning, its default, and the bounds of its key.

use super::key::SettingKey;

/// The keys of one table of the configuration.
pub trait SettingsGroup {
    /// The names of its keys, in the order of the reference.
    fn names(&mut self) -> Vec<&'static str>;

    /// The key of a name, bound to its field.
    fn key(&mut self, name: &str) -> Option<SettingKey<'_>>;
}

impl<G: SettingsGroup + Default> SettingsGroup for Option<G> {
    fn names(&mut self) -> Vec<&'static str> {
        self.get_or_insert_default().names()
    }

    fn key(&mut self, name: &str) -> Option<SettingKey<'_>> {
        self.get_or_insert_default().key(name)
    }
}

/// Declares a group: a struct with its defaults, and the keys of those fields that a configuration can set.
///
/// The comment of the struct is the meaning of its table, and that of a field the meaning of its key, word by word. After
/// `=>` stands the kind of value, a function of [`super::key`] without its first argument, and then words for a default
/// that no value shows. A field without a kind has no key.
macro_rules! settings_group {
    (
        $(#[doc = $about:literal])*
        #[derive($($derived:ident),*)]
        pub struct $group:ident {
            $(
                $(#[doc = $meaning:literal])*
                pub $field:ident: $type:ty = $default:expr
                    $(=> $kind:ident($($argument:expr),*) $(, $words:literal)?)?;
            )*
        }
    ) => {
        $(#[doc = $about])*
        #[derive($($derived),*)]
        pub struct $group {
            $(
                $(#[doc = $meaning])*
                pub $field: $type,
            )*
        }

        impl Default for $group {
            fn default() -> Self {
                Self { $($field: $default),* }
            }
        }

        impl $group {
            /// The meaning of its table in the reference.
            pub const MEANING: &'static str = concat!($($about),*).trim_ascii();
        }

        impl $crate::settings::SettingsGroup for $group {
            fn names(&mut self) -> Vec<&'static str> {
                let fields = [$(stringify!($field)),*];
                fields.into_iter().filter(|name| self.key(name).is_some()).collect()
            }

            fn key(&mut self, name: &str) -> Option<$crate::settings::SettingKey<'_>> {
                match name {
                    $(
                        stringify!($field) => {
                            let bound: [$crate::settings::SettingKey<'_>; _] = [$(
                                $crate::settings::keys::key::$kind(&mut self.$field $(, $argument)*)
                                $(.words($words))?
                            )?];
                            let mut bound = bound.into_iter();
                            bound.next().map(|bound| bound.named(stringify!($field), concat!($($meaning),*)))
                        }
                    )*
                    _ => None,
                }
            }
        }
    };
}
pub(crate) use settings_group;
