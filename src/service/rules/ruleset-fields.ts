import { GUARD_POLICIES, type GuardPolicy } from "../../store/records/guard-policy.ts";
import { descriptionField, type Fields, YES_OR_NO } from "../fields.ts";

/** What users decide about a ruleset and can change, besides its name and the classes of its guard. */
export const RULESET_FIELDS: Fields<{ description: string; guard: GuardPolicy; never_block: boolean }> = {
  description: descriptionField("what it is for"),
  guard: {
    schema: {
      enum: GUARD_POLICIES,
      description:
        "what happens to rules of a blocklist that would block services, addresses that allowlists allow, own networks or private addresses: off: nothing; warn: the response names them in `warnings`; refuse: 409 `/problems/collateral`; carve: lists are written without them, single rules are refused with what would be left. Allowlists block nothing",
    },
    named: "GuardPolicy",
    initial: "warn",
    option: {
      value: "POLICY",
      help: "if rules of a blocklist would block services, allowed addresses or own networks: off, warn, refuse, carve (leave them out of lists); default: warn",
    },
  },
  never_block: {
    schema: {
      type: "boolean",
      description: "of an allowlist: whether its rules are the organisation's own networks",
    },
    initial: false,
    option: { value: YES_OR_NO, help: "whether an allowlist has your own networks, never to be blocked" },
  },
};
