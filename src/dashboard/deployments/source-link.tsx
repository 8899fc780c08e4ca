import type { ComponentChildren } from "preact";
import type { DeploymentSource } from "../documents.ts";

/** A source's name, as a link to what it refers to. */
export function SourceLink({
  source: { ruleset, list },
  children,
}: {
  readonly source: DeploymentSource;
  readonly children: ComponentChildren;
}) {
  if (ruleset !== undefined) return <a href={`#/rulesets/${ruleset}`}>{children}</a>;
  return list === undefined ? <>{children}</> : <a href={`#/lists/${list}`}>{children}</a>;
}
