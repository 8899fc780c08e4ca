import type { DesiredList } from "../../service/rules/desired-rules.ts";
import { ServiceError } from "../../service/service-error.ts";
import { rejectedLines } from "./list-rejection.ts";
import { MAX_ERRORS } from "./listed-rules.ts";
import type { RuleSource, ListReading, RuleFields } from "./rule-source.ts";
import { parametersText } from "../server/service-connection.ts";
import { UsageError } from "../runner/usage-error.ts";

/** The default limit of a ruleset on a server. */
const MAX_RULES = 1_000_000;

export interface RulePolicy {
  /** In milliseconds since 1970: days until expiry are counted from it. */
  readonly now: number;
  readonly allowSpecialPurpose: boolean;
}

/**
 * The rules of a list, read by the same code as on a server. Invalid lines are reported as FILE:LINE. Throws UsageError
 * for a list that is rejected, and UsageError or BatchError for a file that cannot be read.
 */
export async function readRules(list: RuleSource, how: ListReading, policy: RulePolicy): Promise<DesiredList> {
  const { readDesiredList } = await import("../../service/rules/desired-rules.ts");
  const { readDefaults } = await import("../../service/rules/read-rule.ts");
  const { skip_invalid: skipInvalid = false, ...fields } = how;
  const setting = "a ruleset file holds at most that many";
  try {
    const defaults = readDefaults(fieldsOf(fields), policy.now);
    const options = { ...policy, maxRules: MAX_RULES, setting, skipInvalid, defaults, maxErrors: MAX_ERRORS };
    const body =
      list.format === "json"
        ? { members: await membersOf(list, skipInvalid) }
        : { text: textOf(list), format: list.format };
    return await readDesiredList(body, options);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.fields === undefined) throw error;
    throw rejectedLines(list.name, skipInvalid, error.fields) ?? new UsageError(parametersText(error.fields));
  } finally {
    list.close();
  }
}

function fieldsOf({ name, expires_at, expires_in_days }: RuleFields): RuleFields {
  return {
    ...(name !== undefined && { name }),
    ...(expires_at !== undefined && { expires_at }),
    ...(expires_in_days !== undefined && { expires_in_days }),
  };
}

async function* textOf(list: RuleSource): AsyncGenerator<string> {
  // A text may have other bytes in its comments; elsewhere they make its lines unreadable.
  const decoder = new TextDecoder("utf-8", { fatal: list.format !== "text", ignoreBOM: true });
  const decode = (bytes?: Uint8Array): string => {
    try {
      return bytes === undefined ? decoder.decode() : decoder.decode(bytes, { stream: true });
    } catch {
      throw new ServiceError("invalid", "", { fields: { body: ["is not valid UTF-8"] } });
    }
  };
  for await (const chunk of list.chunks()) yield decode(chunk);
  yield decode();
}

/** The schema validator is loaded only for JSON documents. */
async function membersOf(list: RuleSource, skipInvalid: boolean) {
  const { documentMembers, listBody } = await import("../../api/plugins/list-bodies.ts");
  const { BodyList } = await import("../../api/plugins/validation.ts");
  const { ReplaceBody } = await import("../../api/schemas/rule.ts");
  const schema = BodyList.of(listBody(ReplaceBody(MAX_RULES)))!;
  return documentMembers(list.chunks() as AsyncIterable<Buffer>, { list: schema, skipInvalid });
}
