/**
 * The settings of the limits, which error messages name because a user who reaches a limit may not know that it can be
 * raised.
 */
export const RULES_SETTING = "--rules-per-ruleset or IPSIEVE_RULES_PER_RULESET";
export const RULESETS_SETTING = "--rulesets-per-organisation or IPSIEVE_RULESETS_PER_ORGANISATION";
