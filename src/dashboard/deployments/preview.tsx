import { useEffect, useState } from "preact/hooks";
import { Panel } from "../components/page.tsx";
import { Note, ProblemNote } from "../components/states.tsx";
import { Time } from "../components/time.tsx";
import type { DeploymentPreview } from "../documents.ts";
import { formatCount, formatCounted, formatDigits } from "../format.ts";
import { FORMATS } from "../formats.ts";
import { useLoad } from "../load.ts";
import type { Draft } from "./deployments-api.ts";
import { preview } from "./draft-api.ts";
import { DoubtfulSources, Reasons } from "./state.tsx";

/** Milliseconds after the last change until the preview is requested. */
const PAUSE = 300;
const MAX_WARNINGS = 5;
const MAX_PREFIXES = 3;

/** The list as it would be, a moment after each change of the draft. */
export function LivePreview({ draft, id }: { readonly draft: Draft; readonly id: string | undefined }) {
  const isEmpty = draft.include.length === 0;
  const [previewed, setPreviewed] = useState(draft);
  const key = JSON.stringify(draft);
  useEffect(() => {
    const timer = setTimeout(() => setPreviewed(draft), PAUSE);
    return () => clearTimeout(timer);
  }, [key]);
  const { data, problem, isLoading } = useLoad(
    async (signal) => (previewed.include.length === 0 ? undefined : preview(previewed, id, signal)),
    [JSON.stringify(previewed)],
  );
  const isWaiting = isLoading || JSON.stringify(previewed) !== key;
  return (
    <Panel title="Preview">
      <div class={isWaiting ? "stack waiting" : "stack"} aria-busy={isWaiting} aria-live="polite">
        {isEmpty ? (
          <p class="muted">Include a source to see what devices would get.</p>
        ) : problem !== undefined ? (
          <ProblemNote problem={problem} />
        ) : (
          data !== undefined && (
            <Figures shown={data} format={FORMATS[draft.firewall_format].title} guard={draft.guard} />
          )
        )}
      </div>
    </Panel>
  );
}

interface FiguresProps {
  readonly shown: DeploymentPreview;
  /** Its title. */
  readonly format: string;
  readonly guard: Draft["guard"];
}

function Figures({ shown, format, guard }: FiguresProps) {
  const { entries, widest, reasons, unprocessable, unprocessable_count: left, files, changes_at: at } = shown;
  const { warnings = [], fitted, timed_entries_count: timed } = shown;
  const removed = shown.removed_ipv4_entries + shown.removed_ipv6_entries;
  const more = shown.ipv4_entries_count + shown.ipv6_entries_count - entries.length;
  return (
    <>
      {reasons.length === 0 ? (
        <Note kind="good">The list would be published.</Note>
      ) : (
        <Note kind="bad">
          The list would not be published, and devices would keep the previous one.
          <Reasons reasons={reasons} />
        </Note>
      )}
      <DoubtfulSources sources={shown.doubtful_sources} />
      {warnings.length > 0 && (
        <Note kind="warning">
          {guard === "carve"
            ? "The guard leaves out addresses that should not be blocked."
            : "The list has addresses that should not be blocked. Exclude them, unless you mean to block them."}
          <ul class="reasons">
            {warnings.slice(0, MAX_WARNINGS).map(({ kind, name, detail }) => (
              <li key={`${kind} ${name}`} class="wrap">
                {detail}
              </li>
            ))}
            {warnings.length > MAX_WARNINGS && <li>and {formatCount(warnings.length - MAX_WARNINGS)} more</li>}
          </ul>
        </Note>
      )}
      {fitted !== undefined && (
        <Note kind="warning">Added to shorten the list, though no source has them: {addedText(fitted)}.</Note>
      )}
      <dl class="facts">
        <dt>IPv4</dt>
        <dd>{familyText(shown.ipv4_entries_count, shown.ipv4_addresses)}</dd>
        <dt>IPv6</dt>
        <dd>{familyText(shown.ipv6_entries_count, shown.ipv6_addresses)}</dd>
        {shown.difference !== undefined && <Difference difference={shown.difference} />}
        <dt>Excludes remove</dt>
        <dd>{removed === 0 ? "nothing" : formatCounted(removed, "prefix", "prefixes")}</dd>
        <dt>Widest</dt>
        <dd class="mono">{widest.slice(0, 3).join(", ") || "-"}</dd>
        {files > 1 && <dt>Files</dt>}
        {files > 1 && <dd>{formatCount(files)}</dd>}
        {timed !== undefined && <dt>With a timeout</dt>}
        {timed !== undefined && <dd>{formatCounted(timed, "entry", "entries")}</dd>}
        <dt>Next expiry</dt>
        <dd>{at === null ? "none" : <Time at={at} />}</dd>
      </dl>
      {left > 0 && (
        <Note kind="warning">
          {format}: the format cannot express {formatCounted(left, "prefix", "prefixes")}.
          <ul class="reasons">
            {unprocessable.slice(0, 5).map(({ prefix, reason }) => (
              <li key={prefix}>
                <code>{prefix}</code>: {reason}
              </li>
            ))}
          </ul>
        </Note>
      )}
      {entries.length > 0 && (
        <div>
          <p class="field-name">First entries</p>
          <p class="mono wrap small">
            {entries.join("  ")}
            {more > 0 && ` and ${formatCount(more)} more`}
          </p>
        </div>
      )}
    </>
  );
}

/** Rows: what devices would get and no longer get. */
function Difference({ difference }: { readonly difference: NonNullable<DeploymentPreview["difference"]> }) {
  return (
    <>
      <dt>Newly listed</dt>
      <dd class="wrap">{changedText(difference.listed)}</dd>
      <dt>No longer listed</dt>
      <dd class="wrap">{changedText(difference.unlisted)}</dd>
    </>
  );
}

function changedText({
  ipv4_addresses: ipv4,
  ipv6_addresses: ipv6,
  prefixes,
}: NonNullable<DeploymentPreview["difference"]>["listed"]): string {
  if (prefixes.length === 0) return "nothing";
  const more = prefixes.length > MAX_PREFIXES ? ", ..." : "";
  const counts = `${formatDigits(ipv4)} IPv4 and ${formatDigits(ipv6)} IPv6 addresses`;
  return `${counts}: ${prefixes.slice(0, MAX_PREFIXES).join(", ")}${more}`;
}

function addedText({
  added,
  added_ipv4_addresses: ipv4,
  added_ipv6_addresses: ipv6,
}: NonNullable<DeploymentPreview["fitted"]>): string {
  const counts = `${formatDigits(ipv4)} IPv4 and ${formatDigits(ipv6)} IPv6 addresses`;
  return `${counts}, such as ${added.slice(0, MAX_WARNINGS).join(", ")}`;
}

function familyText(entries: number, addresses: string): string {
  if (entries === 0) return "none";
  return `${formatCounted(entries, "entry", "entries")}, ${formatCounted(BigInt(addresses), "address", "addresses")}`;
}
