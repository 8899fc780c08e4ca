/**
 * The settings of the limits, which error messages name because a user who reaches a limit may not know that it can be
 * raised.
 */
export const RULES_SETTING = "--rules-per-ruleset or IPSIEVE_RULES_PER_RULESET";
export const RULESETS_SETTING = "--rulesets-per-organisation or IPSIEVE_RULESETS_PER_ORGANISATION";
export const DEPLOYMENTS_SETTING = "--deployments-per-organisation or IPSIEVE_DEPLOYMENTS_PER_ORGANISATION";
export const LISTS_SETTING = "--lists-per-organisation or IPSIEVE_LISTS_PER_ORGANISATION";
export const WEBHOOKS_SETTING = "--webhooks-per-organisation or IPSIEVE_WEBHOOKS_PER_ORGANISATION";
export const CREDENTIALS_SETTING = "--credentials-per-organisation or IPSIEVE_CREDENTIALS_PER_ORGANISATION";
