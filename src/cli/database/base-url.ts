import { baseUrlError } from "../../service/web-address.ts";
import type { Arguments, Option } from "../runner/command.ts";
import { UsageError } from "../runner/usage-error.ts";

/** Where programs on this machine reach a server that has no public URL. */
export const LOCAL_URL = "http://127.0.0.1:8080";

const DEFAULT = "default: $IPSIEVE_BASE_URL, as of serve";

/** For the commands that print the link of an invitation. */
export const INVITATION_URL_OPTION: Option = {
  name: "url",
  value: "URL",
  help: `URL of the dashboard, for the link; ${DEFAULT}, otherwise ${LOCAL_URL}`,
};

/** For the commands that make a token with the URL of the service in it. */
export const TOKEN_URL_OPTION: Option = {
  name: "url",
  value: "URL",
  help: `the server's public URL, which the token names; ${DEFAULT}`,
};

/** The public URL of the service; undefined if neither the option nor the environment says it. Throws UsageError. */
export function baseUrlOf(args: Arguments): string | undefined {
  const given = args.value("url");
  const base = given ?? (process.env["IPSIEVE_BASE_URL"] || undefined);
  const problem = base === undefined ? undefined : baseUrlError(base);
  if (problem === undefined) return base;
  const place = given === undefined ? "IPSIEVE_BASE_URL" : "--url";
  throw new UsageError(`${place} ${JSON.stringify(base)}: ${problem}`);
}
