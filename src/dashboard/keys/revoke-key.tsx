import { useRef, useState } from "preact/hooks";
import { remove } from "../api.ts";
import { Dialog } from "../components/dialog.tsx";
import { Form, Select } from "../components/form.tsx";
import { notify } from "../components/toasts.tsx";
import { rotate } from "../deployments/deployments-api.ts";
import { GraceSelect } from "../deployments/grace-select.tsx";
import type { ApiKey } from "../documents.ts";

interface Props {
  readonly of: ApiKey;
  readonly onClose: () => void;
  readonly onRevoked: () => void;
}

const URLS = { keep: "Keep them", replace: "Replace them" };

/** Asks before a key is revoked; if it has read URLs of deployments, also whether these are replaced. */
export function RevokeKey({ of: { id, label, start, opened_deployments: opened }, onClose, onRevoked }: Props) {
  const [urls, setUrls] = useState<keyof typeof URLS>("keep");
  // A second attempt must not replace them again: devices would need yet other URLs.
  const replaced = useRef(new Set<string>());
  const revoke = async ({ grace = "24" }: Readonly<Record<string, string>>): Promise<void> => {
    await remove("/dashboard/api/keys/{key_id}", { params: { path: { key_id: id } } });
    try {
      for (const deployment of urls === "replace" ? opened : []) {
        if (replaced.current.has(deployment.id)) continue;
        await rotate(deployment.id, "url", Number(grace));
        replaced.current.add(deployment.id);
      }
    } finally {
      onRevoked(); // the key is, even if its URLs were not replaced
    }
    notify(`"${label}" revoked.`);
    onClose();
  };
  return (
    <Dialog title={`Revoke "${label}"?`} onClose={onClose}>
      <Form onSubmit={revoke} onCancel={onClose} submit="Revoke the key" danger>
        <p>
          Requests with the key <code>{start}…</code> will be rejected from now on. This cannot be undone.
        </p>
        {opened.length > 0 && (
          <>
            <p class="wrap">
              The key has read the URLs of {opened.map(({ name }) => `"${name}"`).join(", ")}. Anyone who has these URLs
              can fetch the lists without a key.
            </p>
            <Select
              name="urls"
              label="URLs that the key has read"
              options={URLS}
              value={urls}
              onChange={({ currentTarget }) => setUrls(currentTarget.value as keyof typeof URLS)}
            />
            {urls === "replace" && <GraceSelect />}
          </>
        )}
      </Form>
    </Dialog>
  );
}
