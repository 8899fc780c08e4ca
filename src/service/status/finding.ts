/** From what must be put right now to what is only good to know; a notice alone is no reason to act. */
export const SEVERITIES = ["critical", "warning", "notice"] as const;
export type Severity = (typeof SEVERITIES)[number];

/** What a finding is about. */
export const SUBJECTS = [
  "deployment",
  "list",
  "ruleset",
  "key",
  "webhook",
  "plan",
  "catalogue",
  "threats",
  "limit",
] as const;

/** Something that needs attention. */
export interface Finding {
  readonly severity: Severity;
  /** Its kind, such as `deployment-refused`. */
  readonly code: string;
  readonly about: {
    readonly type: (typeof SUBJECTS)[number];
    /** Null: there is only one, or it has none. */
    readonly id: string | null;
    readonly name: string;
  };
  /** What is wrong: the rest of a sentence that begins with the name. */
  readonly message: string;
  /** Since when, or when it happens; null: unknown. */
  readonly at: number | null;
  /** What puts it right, in a few words. */
  readonly cure: string;
  /** The command that shows more, or puts it right; null: there is none. */
  readonly command: string | null;
}
