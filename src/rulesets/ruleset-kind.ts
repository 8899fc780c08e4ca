/** The kind of a snapshot that holds a ruleset. */
export const RULESET_KIND = "ruleset";
