import { CopyButton } from "../components/copy.tsx";
import { Panel } from "../components/page.tsx";
import type { Deployment, DeploymentUrls } from "../documents.ts";
import { FORMATS } from "../formats.ts";
import { recipeFor } from "./recipes.ts";
import { setNameOf } from "../../formats/set-name.ts";
import { ToPaste } from "./to-paste.tsx";

type Urls = DeploymentUrls["urls"];

const PARTS: Readonly<Record<keyof Urls, string>> = {
  combined: "All addresses",
  ipv4: "IPv4 only",
  ipv6: "IPv6 only",
  checksums: "Checksums",
  unprocessable: "Left out: entries the format cannot express",
};

/** How to use the list on a device, and its URLs. */
export function FeedUrls({ deployment, urls }: { readonly deployment: Deployment; readonly urls: Urls }) {
  const { id, name, firewall_format: format, update_frequency_seconds: seconds, purpose } = deployment;
  const { cannot, title } = FORMATS[format];
  const steps = recipeFor(format, {
    url: urls.combined[0],
    url4: urls.ipv4[0] ?? "",
    url6: urls.ipv6[0] ?? "",
    set: setNameOf(name, id),
    minutes: seconds / 60,
    allows: purpose === "allowlist",
  });
  const isDivided = urls.ipv4.length > 1;
  return (
    <>
      <Panel title={`How to use it: ${title}`}>
        <div class="stack">
          <ToPaste steps={steps} />
          {isDivided && <p class="muted">The list is split into several files: repeat this for each file below.</p>}
          {cannot !== undefined && <p class="muted">{cannot} Entries it cannot express are left out.</p>}
        </div>
      </Panel>
      <Panel title="URLs">
        <div class="stack">
          <p class="muted">Anyone who has a URL can read the list. An admin can replace the URLs.</p>
          {(Object.keys(PARTS) as (keyof Urls)[])
            .filter((part) => urls[part].length > 0)
            .map((part) => (
              <div key={part} class="field">
                <span class="field-name">{PARTS[part]}</span>
                {urls[part].map((url) => (
                  <div key={url} class="secret">
                    <code>{url}</code>
                    <CopyButton iconOnly label={`Copy the URL of ${url.split("/").at(-1)!}`} text={url} />
                  </div>
                ))}
              </div>
            ))}
        </div>
      </Panel>
    </>
  );
}
