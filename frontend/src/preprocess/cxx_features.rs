//! The macros by which C++17 says what it has ([cpp.predefined], and the recommendations of SD-6).

/// Names behind `__cpp_` in order, with the year and month of what is there.
const FEATURES: &[(&str, u32)] = &[
    ("aggregate_bases", 201_603),
    ("aggregate_nsdmi", 201_304),
    ("alias_templates", 200_704),
    ("attributes", 200_809),
    ("binary_literals", 201_304),
    ("capture_star_this", 201_603),
    ("constexpr", 201_603),
    ("decltype", 200_707),
    ("decltype_auto", 201_304),
    ("deduction_guides", 201_703),
    ("delegating_constructors", 200_604),
    ("digit_separators", 201_309),
    ("fold_expressions", 201_603),
    ("generic_lambdas", 201_304),
    ("guaranteed_copy_elision", 201_606),
    ("hex_float", 201_603),
    ("if_constexpr", 201_606),
    ("inheriting_constructors", 201_511),
    ("init_captures", 201_304),
    ("initializer_lists", 200_806),
    ("inline_variables", 201_606),
    ("lambdas", 200_907),
    ("namespace_attributes", 201_411),
    ("nested_namespace_definitions", 201_411),
    ("nontype_template_args", 201_411),
    ("nontype_template_parameter_auto", 201_606),
    ("nsdmi", 200_809),
    ("range_based_for", 201_603),
    ("raw_strings", 200_710),
    ("ref_qualifiers", 200_710),
    ("return_type_deduction", 201_304),
    ("rvalue_references", 200_610),
    ("static_assert", 201_411),
    ("structured_bindings", 201_606),
    ("template_auto", 201_606),
    ("template_template_args", 201_611),
    ("unicode_literals", 200_710),
    ("user_defined_literals", 200_809),
    ("variable_templates", 201_304),
    ("variadic_templates", 200_704),
    ("variadic_using", 201_611),
];

/// The value of a macro, if C++ for OpenCL has the feature here.
pub(super) fn value(macro_name: &str) -> Option<u32> {
    let name = macro_name.strip_prefix("__cpp_")?;
    let at = FEATURES.binary_search_by_key(&name, |(known, _)| known).ok()?;
    Some(FEATURES[at].1)
}
