import { useState } from "preact/hooks";
import { ButtonLink } from "../components/button.tsx";
import { Dialog } from "../components/dialog.tsx";
import { Select } from "../components/form.tsx";
import { ExportUrl, SetNameField, setNameQuery } from "../export-fields.tsx";
import { formatCounted } from "../format.ts";
import type { Ruleset } from "../documents.ts";
import { EXPORT_TITLES, type Format, FORMATS } from "../formats.ts";

/** What most people want, with what it is for. */
const COMMON = {
  text: ["Text", "One address or prefix per line, for firewalls"],
  csv: ["CSV", "With names and expiries, for spreadsheets and imports"],
  ndjson: ["NDJSON", "With names and expiries, one JSON document per line"],
  nginx: ["nginx", "For a geo block"],
  ipset: ["ipset", "Two sets, for ipset restore"],
  nftables: ["nftables", "Two sets, for nft -f"],
} as const;

/** All other formats. */
const OTHERS = Object.fromEntries(Object.entries(EXPORT_TITLES).filter(([format]) => !isCommon(format)));

function isCommon(format: string): format is keyof typeof COMMON {
  return Object.hasOwn(COMMON, format);
}

/** The rules as a file. */
export function ExportRules({ ruleset, onClose }: { readonly ruleset: Ruleset; readonly onClose: () => void }) {
  const [format, setFormat] = useState<Format>("text");
  const [isActive, setActive] = useState(true);
  const [setName, setSetName] = useState("");
  const { isNamed = false, cannot } = FORMATS[format];
  const query = `rules:export?format=${format}&active_only=${isActive}${isNamed ? setNameQuery(setName) : ""}`;
  const { id, name, active_rules: active, total_rules: total } = ruleset;
  return (
    <Dialog title="Export rules" onClose={onClose}>
      <fieldset class="field">
        <legend class="field-name">Format</legend>
        <div class="modes">
          {(Object.keys(COMMON) as (keyof typeof COMMON)[]).map((each) => (
            <label key={each} class="mode">
              <input type="radio" name="format" checked={format === each} onChange={() => setFormat(each)} />
              <span>
                <strong>{COMMON[each][0]}</strong>
                <span class="muted small">{COMMON[each][1]}</span>
              </span>
            </label>
          ))}
        </div>
      </fieldset>
      <Select
        name="program"
        label="For another program"
        optional
        value={isCommon(format) ? "" : format}
        options={{ "": "None", ...OTHERS }}
        hint={
          cannot === undefined
            ? undefined
            : `${cannot} If the ruleset has other rules, the export fails and names the first of them.`
        }
        onChange={({ currentTarget }) => setFormat((currentTarget.value || "text") as Format)}
      />
      {isNamed && <SetNameField value={setName} from="the ruleset's name" onInput={setSetName} />}
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
      <ExportUrl path={`/edl/ip-rulesets/${id}/${query}`} />
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

/** A name that every system takes. */
export function fileName(name: string, format: Format): string {
  const plain = name
    .normalize("NFKD")
    .replaceAll(/[^\w.-]+/g, "-")
    .replaceAll(/^[-.]+|[-.]+$/g, "")
    .slice(0, 60);
  return `${plain === "" ? "rules" : plain}.${FORMATS[format].extension}`;
}
