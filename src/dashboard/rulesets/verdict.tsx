import type { ComponentChildren } from "preact";
import { Badge } from "../components/badge.tsx";
import { Icon, type IconName } from "../components/icon.tsx";
import type { PreviewLine, Rule, Verdict } from "../documents.ts";
import { Expires, RuleName } from "./rule-state.tsx";

/**
 * What happens to a rule; `removed`: it is not in the list that replaces the rules; the others: when a ruleset is made
 * shorter.
 */
export type Outcome = Verdict | "removed" | "superfluous" | "united" | "kept";

type Kind = "good" | "accent" | "plain" | "warning" | "bad";
const LOOKS: Readonly<Record<Outcome, readonly [kind: Kind, icon: IconName, word: string]>> = {
  created: ["good", "plus", "created"],
  updated: ["accent", "edit", "updated"],
  skipped: ["plain", "right", "skipped"],
  removed: ["warning", "trash", "removed"],
  superfluous: ["warning", "trash", "superfluous"],
  united: ["accent", "copy", "united"],
  kept: ["plain", "clock", "kept"],
  conflict: ["bad", "warning", "conflict"],
  error: ["bad", "warning", "error"],
};

export function VerdictBadge({ verdict }: { readonly verdict: Outcome }) {
  const [kind, icon, word] = LOOKS[verdict];
  return (
    <Badge kind={kind}>
      <Icon name={icon} />
      {word}
    </Badge>
  );
}

const SENTENCES: Readonly<Record<Verdict, (ip: ComponentChildren) => ComponentChildren>> = {
  created: (ip) => <>{ip} will be a new rule.</>,
  updated: (ip) => <>The existing rule {ip} will change.</>,
  skipped: (ip) => <>The existing rule {ip} stays unchanged.</>,
  conflict: (ip) => <>The rule {ip} already exists: it will be rejected.</>,
  error: (ip) => <>{ip} cannot be added.</>,
};

/** The preview of one rule, before and after. */
export function VerdictCard({ line: { ip, verdict, message, before, after } }: { readonly line: PreviewLine }) {
  return (
    <div class={`verdict ${verdict}`}>
      <p class="row">
        <VerdictBadge verdict={verdict} />
        <span class="wrap">
          {SENTENCES[verdict](
            <code>
              <bdi>{ip}</bdi>
            </code>,
          )}
        </span>
      </p>
      {message !== undefined && <p class="wrap field-error">{message}</p>}
      {verdict !== "error" && <BeforeAfter before={before} after={after} />}
    </div>
  );
}

function BeforeAfter({ before, after }: { readonly before: Rule | undefined; readonly after: Rule | undefined }) {
  const shown = [before, after].filter((rule) => rule !== undefined);
  if (shown.length === 0) return null;
  const isChange = before !== undefined && after !== undefined;
  return (
    <table class="before-after">
      <thead>
        <tr>
          <td />
          <th scope="col">{before === undefined ? "New" : "Now"}</th>
          {isChange && <th scope="col">Then</th>}
        </tr>
      </thead>
      <tbody>
        <tr>
          <th scope="row">Name</th>
          {shown.map((rule, at) => (
            <td key={at} class={at > 0 && before?.name !== after?.name ? "differs" : undefined}>
              <RuleName name={rule.name} />
            </td>
          ))}
        </tr>
        <tr>
          <th scope="row">Expires</th>
          {shown.map((rule, at) => (
            <td key={at} class={at > 0 && before?.expires_at !== after?.expires_at ? "differs" : undefined}>
              <Expires at={rule.expires_at} />
            </td>
          ))}
        </tr>
      </tbody>
    </table>
  );
}
