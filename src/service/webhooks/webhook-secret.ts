import { createHmac, randomBytes } from "node:crypto";
import { stillWorking } from "../../store/records/previous-secret.ts";
import type { Webhook, WebhookSecrets } from "../../store/records/webhook.ts";
import type { SecretKey } from "../access/secret-key.ts";

const START = "whsec_";
/** Standard Webhooks recommends 24 to 64. */
const SECRET_BYTES = 32;
/** What needs the key file, for its error message. */
const USER = "webhooks";

/** A new secret, in the form for its receiver and in the stored form. */
export interface NewSecret {
  /** `whsec_` and base64; shown once. */
  readonly text: string;
  readonly sealed: string;
}

/** @throws ServiceError "conflict" where the server has no key file */
export function makeSecret(key: SecretKey, organisationId: string): NewSecret {
  const secret = randomBytes(SECRET_BYTES).toString("base64");
  return { text: START + secret, sealed: key.seal(purposeOf(organisationId), USER, secret) };
}

/** The secrets that sign at a time: the current one first, then those whose grace time goes on. @throws SealError */
export function signingSecrets(
  key: SecretKey,
  { organisationId }: Pick<Webhook, "organisationId">,
  { current, previous }: WebhookSecrets,
  now: number,
): Buffer[] {
  return [current, ...stillWorking(previous, now).map(({ secret }) => secret)].map((sealed) =>
    Buffer.from(key.open(purposeOf(organisationId), USER, sealed), "base64"),
  );
}

/**
 * The headers of a message by the Standard Webhooks specification: its id, the time of the attempt in seconds, and a
 * signature by each secret.
 */
export function signedHeaders(
  messageId: string,
  now: number,
  body: string,
  secrets: readonly Buffer[],
): Record<"webhook-id" | "webhook-timestamp" | "webhook-signature", string> {
  const timestamp = String(Math.floor(now / 1000));
  const signatures = secrets.map((secret) => {
    const mac = createHmac("sha256", secret).update(`${messageId}.${timestamp}.${body}`);
    return `v1,${mac.digest("base64")}`;
  });
  return { "webhook-id": messageId, "webhook-timestamp": timestamp, "webhook-signature": signatures.join(" ") };
}

/** Even if the database mixes up organisations, none signs with the secret of another. */
function purposeOf(organisationId: string): string {
  return `webhooks ${organisationId}`;
}
