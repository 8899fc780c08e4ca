import type { ComponentChildren } from "preact";

/** A state in one word; the color is never the only sign. */
export function Badge({
  kind = "plain",
  children,
}: {
  readonly kind?: "plain" | "good" | "warning" | "bad" | "accent";
  readonly children: ComponentChildren;
}) {
  return <span class={`badge ${kind}`}>{children}</span>;
}
