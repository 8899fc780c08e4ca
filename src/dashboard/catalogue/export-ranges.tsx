import { useState } from "preact/hooks";
import { ButtonLink } from "../components/button.tsx";
import { Dialog } from "../components/dialog.tsx";
import { Select } from "../components/form.tsx";
import { ExportUrl, SetNameField, setNameQuery } from "../export-fields.tsx";
import { EXPORT_TITLES, type Format, FORMATS } from "../formats.ts";

interface Props {
  /** "": the whole catalogue. */
  readonly id: string;
  readonly family: "" | 4 | 6;
  readonly aggregate: boolean;
  /** Of the file, without its extension. */
  readonly name: string;
  readonly onClose: () => void;
}

const PURPOSES = { blocklist: "Block these addresses", allowlist: "Allow these addresses" };
const FAMILIES = { "": "IPv4 and IPv6", 4: "IPv4 only", 6: "IPv6 only" };

/** The prefixes of a node as a file for a program. */
export function ExportRanges({ id, family: shown, aggregate, name, onClose }: Props) {
  const [format, setFormat] = useState<Format>("nftables");
  const [family, setFamily] = useState(String(shown));
  const [purpose, setPurpose] = useState("blocklist");
  const [setName, setSetName] = useState("");
  const { isNamed = false, cannot, extension } = FORMATS[format];
  const query = new URLSearchParams({ ...(id !== "" && { id }), ...(family !== "" && { family }), format, purpose });
  const path = `/cbs/ranges:export?${query}${aggregate ? "&aggregate=true" : ""}${isNamed ? setNameQuery(setName) : ""}`;
  return (
    <Dialog title="Export prefixes" onClose={onClose}>
      <Select
        name="format"
        label="Format"
        value={format}
        options={EXPORT_TITLES}
        hint={
          cannot === undefined
            ? undefined
            : `${cannot} If the node has other prefixes, the export fails and names the first of them.`
        }
        onChange={({ currentTarget }) => setFormat(currentTarget.value as Format)}
      />
      <Select
        name="family"
        label="Addresses"
        value={family}
        options={FAMILIES}
        onChange={({ currentTarget }) => setFamily(currentTarget.value)}
      />
      <Select
        name="purpose"
        label="Purpose"
        value={purpose}
        options={PURPOSES}
        onChange={({ currentTarget }) => setPurpose(currentTarget.value)}
      />
      {isNamed && <SetNameField value={setName} from="the node's id" onInput={setSetName} />}
      <ExportUrl path={path} />
      <footer class="dialog-foot">
        <ButtonLink look="primary" icon="download" href={`/dashboard/api${path}`} download={`${name}.${extension}`}>
          Download
        </ButtonLink>
      </footer>
    </Dialog>
  );
}
