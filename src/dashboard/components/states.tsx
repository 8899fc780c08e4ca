import type { ComponentChildren } from "preact";
import { sentence } from "../format.ts";
import type { Loading } from "../load.ts";
import type { Problem } from "../problem.ts";
import { Button } from "./button.tsx";
import { Icon, type IconName } from "./icon.tsx";

/** For a list that is empty: what it would contain, and how to start. */
export function Empty({
  icon = "info",
  title,
  children,
}: {
  readonly icon?: IconName;
  readonly title: string;
  readonly children?: ComponentChildren;
}) {
  return (
    <div class="state">
      <Icon name={icon} />
      <p class="state-title">{title}</p>
      {children !== undefined && <div class="state-text">{children}</div>}
    </div>
  );
}

export function ProblemNote({ problem, retry }: { readonly problem: Problem; readonly retry?: () => void }) {
  return (
    <div class="note bad" role="alert">
      <Icon name="warning" />
      <div>
        <strong>{problem.title}</strong>
        <p>{sentence(problem.message)}</p>
        {problem.requestId !== undefined && (
          <p class="muted">
            Request <code>{problem.requestId}</code>
          </p>
        )}
      </div>
      {retry !== undefined && (
        <Button small icon="refresh" onClick={retry}>
          Try again
        </Button>
      )}
    </div>
  );
}

export function Note({
  kind = "info",
  children,
}: {
  readonly kind?: "info" | "good" | "warning" | "bad";
  readonly children: ComponentChildren;
}) {
  return (
    <div class={`note ${kind}`}>
      <Icon name={kind === "good" ? "check" : kind === "info" ? "info" : "warning"} />
      <div>{children}</div>
    </div>
  );
}

/** Placeholder lines for text. */
export function Skeleton({ lines = 4 }: { readonly lines?: number }) {
  return (
    <div class="skeleton" role="status">
      <span class="hidden">Loading</span>
      {Array.from({ length: lines }, (_, line) => (
        <span key={line} class="skeleton-line" aria-hidden="true" />
      ))}
    </div>
  );
}

/** Shows fetched data, that it is being fetched, or why it could not be. */
export function Loaded<Data>({
  of,
  lines,
  children,
}: {
  readonly of: Loading<Data>;
  readonly lines?: number;
  readonly children: (data: Data) => ComponentChildren;
}) {
  const { data, problem, reload } = of;
  return (
    <>
      {problem !== undefined && <ProblemNote problem={problem} retry={reload} />}
      {data !== undefined
        ? children(data)
        : problem === undefined && <Skeleton {...(lines === undefined ? {} : { lines })} />}
    </>
  );
}
