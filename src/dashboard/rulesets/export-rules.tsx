import { useState } from "preact/hooks";
import { ButtonLink } from "../components/button.tsx";
import { CopyButton } from "../components/copy.tsx";
import { Dialog } from "../components/dialog.tsx";
import { Field } from "../components/form.tsx";
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
type Format = keyof typeof FORMATS;

const SET_NAME = /^[A-Za-z][A-Za-z0-9_]*$/;

/** The rules as a file. */
export function ExportRules({ ruleset, onClose }: { readonly ruleset: Ruleset; readonly onClose: () => void }) {
  const [format, setFormat] = useState<Format>("text");
  const [isActive, setActive] = useState(true);
  const [setName, setSetName] = useState("");
  const isNamed = format === "ipset" || format === "nftables";
  const query = `rules:export?format=${format}&active_only=${isActive}${isNamed && SET_NAME.test(setName) ? `&set_name=${setName}` : ""}`;
  const { id, name, active_rules: active, total_rules: total } = ruleset;
  return (
    <Dialog title="Export rules" onClose={onClose}>
      <fieldset class="field">
        <legend class="field-name">Format</legend>
        <div class="modes">
          {(Object.keys(FORMATS) as Format[]).map((each) => (
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
      {isNamed && (
        <Field
          name="set_name"
          label="Set name"
          optional
          value={setName}
          maxLength={25}
          autocomplete="off"
          spellcheck={false}
          onInput={({ currentTarget }) => setSetName(currentTarget.value.trim())}
          hint="A letter, then letters, digits or underscores; _4 and _6 are appended. Default: derived from the ruleset's name."
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
  return `${plain === "" ? "rules" : plain}.${FORMATS[format][2]}`;
}
