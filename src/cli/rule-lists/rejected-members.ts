import { UsageError } from "../runner/usage-error.ts";

const ITEM_FIELD = /^items\[\d+\]\.(\w+)$/;

/**
 * Translates errors about members of rule changes, such as `items[2].expires_at`, into errors about the options that
 * set them; undefined if no error is about them.
 */
export function rejectedMembers(
  errors: Iterable<readonly [field: string, messages: readonly string[]]>,
): UsageError | undefined {
  const texts = [...errors].flatMap(([field, messages]) => {
    const member = ITEM_FIELD.exec(field)?.[1];
    if (member === undefined) return [];
    // Messages about an address quote it.
    return member === "ip" ? messages : messages.map((message) => `--${member.replaceAll("_", "-")}: ${message}`);
  });
  // The options are the same for all rules.
  return texts.length === 0 ? undefined : new UsageError(`${[...new Set(texts)].join("; ")}; nothing was changed`);
}
