import type { ComponentChildren } from "preact";
import { Badge } from "../components/badge.tsx";
import { Table } from "../components/table.tsx";
import type { Lookup } from "../documents.ts";
import { hrefOf } from "../location.ts";
import { type CoveringPrefix, coveringPrefixes, formatSize } from "./prefixes.ts";

const LEGEND = [
  ["c0", "Service"],
  ["c6", "Rule"],
  ["hatched", "Expired rule"],
  ["looked-up", "Looked up"],
] as const;

/**
 * The prefixes that cover the looked-up one, each a bar within the less specific one: from its length to the end of the
 * address.
 */
export function PrefixBars({ found }: { readonly found: Lookup }) {
  const { bits, prefixes } = coveringPrefixes(found);
  const labels = new Map(found.cbs?.cbs_ids.map((id, at) => [id, found.cbs!.labels[at] ?? id]));
  const ticks = bits === 32 ? [0, 8, 16, 24, 32] : [0, 32, 64, 96, 128];
  return (
    <figure class="nesting">
      <figcaption class="nesting-head">
        <span class="muted small">Each prefix lies within the one above it; longer bars hold more addresses.</span>
        <span class="nesting-legend small">
          {LEGEND.map(([color, name]) => (
            <span key={color}>
              <i class={`swatch ${color}`} />
              {name}
            </span>
          ))}
        </span>
      </figcaption>
      <div class="nesting-scale" aria-hidden="true">
        <span>
          {ticks.map((tick) => (
            <i key={tick} style={{ left: percent(tick, bits) }}>
              /{tick}
            </i>
          ))}
        </span>
      </div>
      <ol class="nesting-rows">
        {prefixes.map((prefix, row) => (
          <li key={prefix.cidr}>
            <span class="nesting-name">
              <span class="mono">{prefix.cidr}</span>
              <span class="muted small">{formatSize(prefix.length, bits)}</span>
            </span>
            <span class="nesting-track" aria-hidden="true">
              {prefixes.slice(0, row + 1).map(({ cidr, length }, at) => (
                <i key={cidr} class={at === row ? "own" : "outer"} style={{ left: percent(length, bits) }}>
                  {at === row && <Stripes of={prefix} />}
                </i>
              ))}
            </span>
            <span class="nesting-owners">
              <Owners of={prefix} labels={labels} />
            </span>
          </li>
        ))}
      </ol>
      <details class="chart-table">
        <summary>Show data</summary>
        <PrefixTable {...{ prefixes, bits, labels }} />
      </details>
    </figure>
  );
}

/** One bit more than there are, so that single addresses have a bar too. */
function percent(length: number, bits: number): string {
  return `${(100 * length) / (bits + 1)}%`;
}

/** The colors of a prefix's owners, side by side in its bar. */
function Stripes({ of: { services, rules, isLookedUp } }: { readonly of: CoveringPrefix }) {
  const isActive = rules.some(({ rule }) => rule.state !== "expired");
  const stripes = [
    services.length > 0 && "c0",
    isActive && "c6",
    !isActive && rules.length > 0 && "hatched",
    isLookedUp && services.length + rules.length === 0 && "looked-up",
  ];
  return (
    <>
      {stripes
        .filter((each) => each !== false)
        .map((each) => (
          <b key={each} class={each} />
        ))}
    </>
  );
}

interface Named {
  readonly labels: ReadonlyMap<string, string>;
}

function Owners({ of: { services, rules, isLookedUp }, labels }: { readonly of: CoveringPrefix } & Named) {
  return (
    <>
      {services.map(({ cbs_id }) => (
        <a key={cbs_id} href={hrefOf("/catalogue", { id: cbs_id })}>
          {labels.get(cbs_id) ?? cbs_id}
        </a>
      ))}
      {rules.map(({ ruleset, rule }) => (
        <span key={ruleset.id}>
          <a href={hrefOf(`/rulesets/${ruleset.id}`)}>{ruleset.name}</a>
          {rule.name !== null && <>: {rule.state === "expired" ? <s>{rule.name}</s> : rule.name}</>}
          {rule.state === "expired" && (
            <>
              {" "}
              <Badge>expired</Badge>
            </>
          )}
        </span>
      ))}
      {isLookedUp && <span class="muted">looked up</span>}
    </>
  );
}

function PrefixTable({
  prefixes,
  bits,
  labels,
}: { readonly prefixes: readonly CoveringPrefix[]; readonly bits: number } & Named) {
  return (
    <Table
      caption="Covering prefixes, least specific first"
      rows={prefixes}
      keyOf={({ cidr }) => cidr}
      columns={[
        { title: "Prefix", cell: ({ cidr }) => <span class="mono">{cidr}</span> },
        { title: "Length", kind: "number", cell: ({ length }) => length },
        { title: "Addresses", kind: "number", cell: ({ length }) => formatSize(length, bits) },
        {
          title: "Services",
          cell: ({ services }) => listed(services.map(({ cbs_id }) => labels.get(cbs_id) ?? cbs_id)),
        },
        {
          title: "Rules",
          cell: ({ rules }) =>
            listed(
              rules.map(
                ({ ruleset, rule }) =>
                  `${ruleset.name}${rule.name === null ? "" : `: ${rule.name}`}${rule.state === "expired" ? " (expired)" : ""}`,
              ),
            ),
        },
      ]}
    />
  );
}

function listed(texts: readonly string[]): ComponentChildren {
  return texts.length === 0 ? <span class="muted">none</span> : texts.map((text) => <div key={text}>{text}</div>);
}
