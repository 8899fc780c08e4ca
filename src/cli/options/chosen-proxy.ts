import type { Proxy } from "../../update/proxy-tunnels.ts";
import type { Option } from "../runner/command.ts";
import { UsageError } from "../runner/usage-error.ts";

export const PROXY_OPTION: Option = {
  name: "proxy",
  value: "URL",
  help: "fetch through this proxy (CONNECT), such as http://proxy.example:3128; env: the proxy in HTTPS_PROXY, except for hosts in NO_PROXY",
};

export const ALLOW_ADDRESS_OPTION: Option = {
  name: "allow-address",
  value: "PREFIX",
  repeats: true,
  help: "allow connections to these special-purpose addresses, for a mirror on a private network or, for testing, on this machine (where plain http is allowed too); may be given several times",
};

/** A URL, or `env`. Its password, if it has one, is never shown. Throws UsageError. */
export function chosenProxy(text: string, environment: NodeJS.ProcessEnv): Proxy {
  if (text !== "env") return { url: proxyUrl(text, "--proxy"), except: [] };
  const named = environment["https_proxy"] ?? environment["HTTPS_PROXY"] ?? "";
  if (named === "")
    throw new UsageError(
      "--proxy env: HTTPS_PROXY is not set; set it, or name the proxy: --proxy http://proxy.example:3128",
    );
  const except = (environment["no_proxy"] ?? environment["NO_PROXY"] ?? "")
    .split(/[\s,]+/)
    .filter((name) => name !== "")
    .map((name) => name.toLowerCase().replace(/^\*?\./, ""));
  return { url: proxyUrl(named, "HTTPS_PROXY"), except };
}

function proxyUrl(text: string, from: string): URL {
  const url = URL.parse(text);
  if (url !== null && (url.protocol === "http:" || url.protocol === "https:") && url.pathname === "/") return url;
  throw new UsageError(`${from} is not the URL of a proxy; write it as in http://proxy.example:3128`);
}
