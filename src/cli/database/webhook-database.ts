import { ServiceError } from "../../service/service-error.ts";
import { prefixesError, prefixesIn } from "../../service/settings.ts";
import { checkRulesetText } from "../../service/rules/read-rule.ts";
import { GuardedPost } from "../../service/webhooks/guarded-post.ts";
import { parsePrefix } from "../../address/prefix.ts";
import type { Organisation } from "../../store/state.ts";
import type { Store } from "../../store/store.ts";
import { EVENT_KINDS, type EventKind, type Webhook, type WebhookDefinition } from "../../store/records/webhook.ts";
import type { Arguments, Option } from "../runner/command.ts";
import { chosenOrganisation, DATABASE_OPTIONS, ORGANISATION_OPTION, withStore } from "./service-database.ts";
import { readAs } from "./checked-line.ts";
import { UsageError } from "../runner/usage-error.ts";

/** Where the webhook endpoints are. */
export const WEBHOOK_OPTIONS: readonly Option[] = [ORGANISATION_OPTION, ...DATABASE_OPTIONS];

export const OUTBOUND_OPTION: Option = {
  name: "outbound-allow",
  value: "PREFIXES",
  help: "special-purpose addresses that may be reached, as of serve; default: $IPSIEVE_OUTBOUND_ALLOW",
};

/** The options of commands that make or change an endpoint. */
export const DEFINITION_OPTIONS: readonly Option[] = [
  {
    name: "kind",
    value: "KIND",
    repeats: true,
    choices: ["all", ...EVENT_KINDS],
    help: "a kind of event to send; may be given several times; all: every kind there is now",
  },
  { name: "description", value: "TEXT", help: "what it is for" },
];

export const WEBHOOK_NOTE =
  'WEBHOOK is the id or URL of an endpoint; "ipsieve webhook list" lists them. This command works on the database, not over the network: no API key may manage webhooks.';

interface Opened {
  readonly store: Store;
  readonly organisation: Organisation;
  /** Those of the organisation. */
  readonly webhooks: readonly Webhook[];
}

/** Opens the database, runs a task with the endpoints of the organisation, and closes it. */
export function withWebhooks<Result>(args: Arguments, use: (opened: Opened) => Promise<Result>): Promise<Result> {
  return withStore(args, false, async (store) => {
    const state = await store.load(null);
    const organisation = chosenOrganisation(state, args);
    const webhooks = state.webhooks.filter(({ organisationId }) => organisationId === organisation.id);
    try {
      return await use({ store, organisation, webhooks });
    } catch (error) {
      throw error instanceof ServiceError ? new UsageError(error.message) : error;
    }
  });
}

/** By id or URL. @throws UsageError */
export function chosenWebhook(webhooks: readonly Webhook[], text: string): Webhook {
  const found = webhooks.filter(({ id, url }) => id === text.toLowerCase() || url === text);
  if (found.length === 1) return found[0]!;
  throw new UsageError(
    found.length === 0
      ? `there is no webhook endpoint ${JSON.stringify(text)}; "ipsieve webhook list" lists them`
      : `several endpoints have this URL; give the id of one: ${found.map(({ id }) => id).join(", ")}`,
  );
}

/** The kinds that `--kind` names; undefined if it is not given. */
export function kindsIn(args: Arguments): readonly EventKind[] | undefined {
  const given = args.values("kind");
  if (given.length === 0) return undefined;
  return EVENT_KINDS.filter((kind) => given.includes("all") || given.includes(kind));
}

/** Holds what is given to the rules of the service. @throws UsageError */
export async function checkDefinition(
  { url, description }: Partial<WebhookDefinition>,
  post: GuardedPost,
): Promise<void> {
  if (description !== undefined) readAs("--description", "description", () => checkRulesetText({ description }));
  const problem = url === undefined ? undefined : await post.errorOf(url);
  if (problem !== undefined) throw new UsageError(`${JSON.stringify(url)}: ${problem}`);
}

/** Sends as the servers do. The caller closes it. @throws UsageError */
export function guardedPost(args: Arguments): GuardedPost {
  const text = args.value("outbound-allow") ?? process.env["IPSIEVE_OUTBOUND_ALLOW"] ?? "";
  const problem = prefixesError(text);
  if (problem !== undefined) throw new UsageError(`--outbound-allow ${JSON.stringify(text)}: ${problem}`);
  return new GuardedPost({ allow: prefixesIn(text).map((each) => parsePrefix(each)) });
}
