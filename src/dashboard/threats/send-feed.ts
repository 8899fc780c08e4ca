import { Problem } from "../problem.ts";

/** How to read a feed. */
export interface FeedChoices {
  readonly classification: string;
  readonly tags: string;
  /** Whether lines that cannot be read are left out; otherwise the feed is rejected. */
  readonly skipsInvalid: boolean;
  /** The maximum share of the dataset that may be removed, in percent; undefined: the server's default. */
  readonly maxShrink?: number;
}

/** Sends a feed; resolves when its dataset is in use. Rejects with Problem. */
export async function sendFeed(
  file: File,
  { classification, tags, skipsInvalid, maxShrink }: FeedChoices,
): Promise<void> {
  const query = new URLSearchParams({
    name: file.name.slice(0, 200) || "feed",
    ...(classification === "" ? {} : { classification }),
    ...(tags.trim() === "" ? {} : { tags: tags.trim() }),
    ...(skipsInvalid ? { skip_invalid: "true" } : {}),
    ...(maxShrink === undefined ? {} : { max_shrink: String(maxShrink) }),
  });
  const response = await fetch(`/dashboard/api/threats/import?${query}`, {
    method: "POST",
    headers: { "Content-Type": "application/octet-stream" },
    body: file,
  }).catch(() => {
    throw new Problem(0, {
      title: "The upload failed",
      detail: `The connection was lost, or the browser can no longer read ${file.name}. Choose the file again.`,
    });
  });
  if (!response.ok) throw new Problem(response.status, (await response.json().catch(() => ({}))) as object);
}
