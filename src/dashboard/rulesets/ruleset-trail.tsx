import { hrefOf } from "../location.ts";

/** The links from a page about a ruleset to the ruleset and to all of them. */
export function RulesetTrail({ id, name }: { readonly id: string; readonly name: string | undefined }) {
  return (
    <span class="row">
      <a href="#/rulesets">Rulesets</a>
      <a href={hrefOf(`/rulesets/${id}`)}>
        <bdi>{name ?? "The ruleset"}</bdi>
      </a>
    </span>
  );
}
