import { useState } from "preact/hooks";
import { ButtonLink } from "../components/button.tsx";
import { CopyButton } from "../components/copy.tsx";
import { Dialog } from "../components/dialog.tsx";
import { Field, Select } from "../components/form.tsx";
import { formatCounted } from "../format.ts";
import type { Ruleset } from "../documents.ts";

const FORMATS = {
  text: ["Text", "One address or prefix per line, for firewalls", "txt"],
  csv: ["CSV", "With names and expiries, for spreadsheets and imports", "csv"],
  ndjson: ["NDJSON", "With names and expiries, one JSON document per line", "ndjson"],
  nginx: ["nginx", "For a geo block", "conf"],
  ipset: ["ipset", "Two sets, for ipset restore", "ipset"],
  nftables: ["nftables", "Two sets, for nft -f", "nft"],
} as const;

/** Programs that read a format of their own: what they read, and the extension of its file. */
const PROGRAMS = {
  apache: ["Apache: Require lines", "conf"],
  bird: ["BIRD: blackhole routes", "conf"],
  caddy: ["Caddy: a matcher", "caddy"],
  cilium: ["Cilium: CiliumCIDRGroup", "yaml"],
  "crowdsec-csv": ["CrowdSec: decisions", "csv"],
  dnsbl: ["DNS blocklist for rbldnsd", "zone"],
  f5: ["F5 AFM: feed list", "csv"],
  haproxy: ["HAProxy: an acl", "acl"],
  iptables: ["iptables-restore: a chain", "rules"],
  kubernetes: ["Kubernetes: NetworkPolicy", "yaml"],
  mikrotik: ["MikroTik RouterOS: a script", "rsc"],
  postfix: ["Postfix: a cidr table", "cidr"],
  rpz: ["Response policy zone for BIND, Unbound, PowerDNS", "zone"],
  squid: ["Squid: an acl", "acl"],
  "suricata-iprep": ["Suricata: a reputation list", "list"],
  varnish: ["Varnish: a VCL acl", "vcl"],
  "zeek-intel": ["Zeek: intelligence", "dat"],
} as const;
type Program = keyof typeof PROGRAMS;
type Format = keyof typeof FORMATS | Program;

/** Formats whose file holds a name, which can be chosen. */
const NAMED: ReadonlySet<Format> = new Set([
  ...(["bird", "caddy", "cilium", "crowdsec-csv", "ipset", "iptables", "kubernetes"] as const),
  ...(["mikrotik", "nftables", "varnish", "zeek-intel"] as const),
]);

function isProgram(format: Format): format is Program {
  return format in PROGRAMS;
}

const SET_NAME = /^[A-Za-z][A-Za-z0-9_]*$/;

/** The rules as a file. */
export function ExportRules({ ruleset, onClose }: { readonly ruleset: Ruleset; readonly onClose: () => void }) {
  const [format, setFormat] = useState<Format>("text");
  const [isActive, setActive] = useState(true);
  const [setName, setSetName] = useState("");
  const isNamed = NAMED.has(format);
  const query = `rules:export?format=${format}&active_only=${isActive}${isNamed && SET_NAME.test(setName) ? `&set_name=${setName}` : ""}`;
  const { id, name, active_rules: active, total_rules: total } = ruleset;
  return (
    <Dialog title="Export rules" onClose={onClose}>
      <fieldset class="field">
        <legend class="field-name">Format</legend>
        <div class="modes">
          {(Object.keys(FORMATS) as (keyof typeof FORMATS)[]).map((each) => (
            <label key={each} class="mode">
              <input type="radio" name="format" checked={format === each} onChange={() => setFormat(each)} />
              <span>
                <strong>{FORMATS[each][0]}</strong>
                <span class="muted small">{FORMATS[each][1]}</span>
              </span>
            </label>
          ))}
        </div>
      </fieldset>
      <Select
        name="program"
        label="For another program"
        optional
        value={isProgram(format) ? format : ""}
        options={{ "": "None", ...Object.fromEntries(Object.entries(PROGRAMS).map(([key, [what]]) => [key, what])) }}
        onChange={({ currentTarget }) => setFormat((currentTarget.value || "text") as Format)}
      />
      {isNamed && (
        <Field
          name="set_name"
          label="Name in the file"
          optional
          value={setName}
          maxLength={25}
          autocomplete="off"
          spellcheck={false}
          onInput={({ currentTarget }) => setSetName(currentTarget.value.trim())}
          hint="A letter, then letters, digits or underscores; ipset, nftables and BIRD append _4 and _6. Default: derived from the ruleset's name."
        />
      )}
      <fieldset class="field">
        <legend class="field-name">Rules</legend>
        <div class="choices">
          <label class="choice">
            <input type="radio" name="which" checked={isActive} onChange={() => setActive(true)} />
            <span>Active only</span>
          </label>
          <label class="choice">
            <input type="radio" name="which" checked={!isActive} onChange={() => setActive(false)} />
            <span>All, including expired</span>
          </label>
        </div>
      </fieldset>
      <div class="field">
        <span class="field-name">URL for firewalls (needs a key)</span>
        <div class="secret">
          <code>{`${location.origin}/v1/edl/ip-rulesets/${id}/${query}`}</code>
          <CopyButton iconOnly label="Copy the URL" text={`${location.origin}/v1/edl/ip-rulesets/${id}/${query}`} />
        </div>
      </div>
      <footer class="dialog-foot">
        <ButtonLink
          look="primary"
          icon="download"
          href={`/dashboard/api/edl/ip-rulesets/${id}/${query}`}
          download={fileName(name, format)}
        >
          Download {formatCounted(isActive ? active : total, "rule")}
        </ButtonLink>
      </footer>
    </Dialog>
  );
}

function fileName(name: string, format: Format): string {
  const plain = name
    .normalize("NFKD")
    .replaceAll(/[^\w.-]+/g, "-")
    .replaceAll(/^[-.]+|[-.]+$/g, "")
    .slice(0, 60);
  return `${plain === "" ? "rules" : plain}.${isProgram(format) ? PROGRAMS[format][1] : FORMATS[format][2]}`;
}
