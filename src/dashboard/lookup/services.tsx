import { Panel } from "../components/page.tsx";
import { Time } from "../components/time.tsx";
import { Empty } from "../components/states.tsx";
import type { Lookup } from "../documents.ts";
import { hrefOf } from "../location.ts";
import { hasPlan } from "../session.ts";
import { NoPlan } from "./no-plan.tsx";

/** The services of the looked-up address or prefix, the most specific prefix first. */
export function Services({ cbs }: Pick<Lookup, "cbs">) {
  if (!hasPlan("cbs"))
    return (
      <Panel title="Services">
        <NoPlan area="cbs" what="the catalogue of services" />
      </Panel>
    );
  if (cbs === null)
    return (
      <Panel title="Services">
        <Empty icon="catalogue" title="No catalogue loaded" />
      </Panel>
    );
  if (!cbs.found)
    return (
      <Panel title="Services">
        <Empty icon="catalogue" title="Not in the catalogue">
          The catalogue has no prefix that covers <span class="mono">{cbs.ip}</span>.
        </Empty>
        {cbs.network !== null && (
          <ul class="entries">
            <NetworkEntry network={cbs.network} />
          </ul>
        )}
      </Panel>
    );
  return (
    <Panel title="Services" flush>
      {cbs.primary !== null && (
        <p class="note">
          <strong>{cbs.primary.name}</strong>
          {cbs.primary.region !== null && ` in ${cbs.primary.region}`}
        </p>
      )}
      <ul class="entries">
        {cbs.network !== null && <NetworkEntry network={cbs.network} />}
        {cbs.matches.map(({ cbs_id, label, cidr, service, region, source, source_updated_at }) => (
          <li key={`${cbs_id} ${cidr} ${source}`}>
            <Path id={cbs_id} label={label} />
            <span class="mono muted">{cidr}</span>
            {source !== null && (
              <span class="muted small">
                {sourceText(source)}
                {source_updated_at !== null && (
                  <>
                    {" "}
                    <Time at={source_updated_at} relative />
                  </>
                )}
              </span>
            )}
            {(service ?? region) !== null && (
              <span class="muted small">
                {[service !== null && `service ${service}`, region !== null && `region ${region}`]
                  .filter(Boolean)
                  .join(", ")}
              </span>
            )}
          </li>
        ))}
      </ul>
    </Panel>
  );
}

/** Who announces the address, and where it is registered. */
function NetworkEntry({ network }: { readonly network: NonNullable<NonNullable<Lookup["cbs"]>["network"]> }) {
  const { asn, name, country, cidr } = network;
  return (
    <li>
      <span>
        Network: AS{asn} {name}
        {country !== null && `, ${country}`}
      </span>
      <span class="mono muted">{cidr}</span>
    </li>
  );
}

/** The source, in words. */
function sourceText(source: string): string {
  return source === "asn" ? "AS numbers," : `list ${source},`;
}

/** A node's path in the tree; every part is a link. */
function Path({ id, label }: { readonly id: string; readonly label: string }) {
  const steps = stepsOf(id, label);
  return (
    <span class="path">
      {steps.map((step, at) => (
        <span key={step.id}>
          {at > 0 && (
            <span class="muted" aria-hidden="true">
              {" "}
              ›{" "}
            </span>
          )}
          <a href={hrefOf("/catalogue", { id: step.id })}>{step.name}</a>
        </span>
      ))}
    </span>
  );
}

/**
 * `/cdn/cloudflare` and `CDN > Cloudflare`: the nodes from the top down; a single one if the names do not distinguish
 * them.
 */
function stepsOf(id: string, label: string): { readonly id: string; readonly name: string }[] {
  const [parts, names] = [id.split("/").slice(1), label.split(" > ")];
  if (!id.startsWith("/") || parts.length !== names.length) return [{ id, name: label }];
  return names.map((name, at) => ({ id: `/${parts.slice(0, at + 1).join("/")}`, name }));
}
