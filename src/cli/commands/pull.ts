import { resolve } from "node:path";
import type { Prefix } from "../../address/address.ts";
import { isAddress } from "../../address/parse-address.ts";
import { parsePrefix } from "../../address/prefix.ts";
import { ownVersion } from "../../service/own-version.ts";
import { Downloader } from "../../update/download.ts";
import { MAX_PULLED_BYTES, type PullReport, pullSnapshot } from "../../update/pull-snapshot.ts";
import { ALLOW_ADDRESS_OPTION, chosenProxy, PROXY_OPTION } from "../options/chosen-proxy.ts";
import { type Arguments, type Command, EXIT } from "../runner/command.ts";
import { endWithParent } from "../runner/end-with-parent.ts";
import { byteSize } from "../output/numbers.ts";
import { PROGRESS_MODES, type ProgressMode } from "../output/progress.ts";
import { createPullProgress } from "../output/pull-progress.ts";
import { CONNECTION_OPTIONS, KEY_NOTE, keyIfGiven } from "../server/service-connection.ts";
import { UsageError } from "../runner/usage-error.ts";
import { chosenTrustedKeys, TRUSTED_KEY_OPTION } from "../options/trusted-keys.ts";
import { verifyFile } from "../snapshots/verify-file.ts";

/** Snapshots are larger than lists: an hour for one attempt. */
const TOTAL_TIME = 3_600_000;
const KINDS = ["catalogue", "cti", "ruleset"] as const;

export const pullCommand: Command = {
  name: "pull",
  summary: "copy a catalogue, dataset or ruleset from a server, if it has changed",
  operands: "URL",
  options: [
    {
      name: "output",
      short: "o",
      value: "FILE",
      isPath: true,
      help: "the snapshot to write; replaced atomically, and only by a whole one that has been verified",
    },
    {
      name: "kind",
      value: "KIND",
      choices: KINDS,
      help: "refuse a snapshot of another kind; default: the kind of FILE, if it exists",
    },
    CONNECTION_OPTIONS.find(({ name }) => name === "key-file")!,
    TRUSTED_KEY_OPTION,
    PROXY_OPTION,
    ALLOW_ADDRESS_OPTION,
    { name: "json", help: "print the report as one JSON document" },
    {
      name: "progress",
      value: "MODE",
      choices: PROGRESS_MODES,
      help: "progress on stderr: auto (default; a bar on a terminal), bar, json, none",
    },
  ],
  notes: [
    "URL is one of an ipsieve server, such as https://ipsieve.example/v1/cbs/snapshot, or of any web server that has the file. To resume an interrupted pull, run the command again; until it completes, what has arrived is in .FILE.part beside FILE.",
    "Snapshots are fetched over https only, except from this machine, and from public addresses only, except one that URL itself names. The key is sent only to URL, never to where it redirects. A file on a web server needs no key. " +
      KEY_NOTE,
    "Exit code: 0 if FILE is what URL has now, whether or not it has changed; 2 if it could not be pulled, and FILE is unchanged.",
  ],
  examples: [
    {
      command: "ipsieve pull https://ipsieve.example/v1/cbs/snapshot -o catalogue.ipsieve",
      what: "the catalogue of a server",
    },
    {
      command: "ipsieve pull --proxy env --key-file key.txt https://ipsieve.example/v1/cti/snapshot -o cti.ipsieve",
      what: "its threat intelligence, through a proxy",
    },
    {
      command: "ipsieve pull --trusted-key release.pub https://mirror.example/a.ipsieve -o a.ipsieve",
      what: "a signed catalogue from a server that need not be trusted",
    },
  ],
  run,
};

async function run(args: Arguments): Promise<number> {
  const [url = ""] = args.operands;
  const output = args.value("output");
  if (output === undefined) throw new UsageError("pull needs -o FILE; usage: ipsieve pull URL -o FILE");
  const key = keyIfGiven(args);
  const trustedKeys = chosenTrustedKeys(args);
  const progress = createPullProgress((args.value("progress") ?? "auto") as ProgressMode);
  endWithParent();
  const downloader = await downloaderFor(args, url);
  try {
    const report = await pullSnapshot({
      url,
      path: resolve(output),
      downloader,
      kind: args.value("kind"),
      check: (path) => verifyFile(path, { trustedKeys }),
      ...(key !== undefined && { credentials: { "x-api-key": key } }),
      onProgress: (bytes, total) => progress?.show(bytes, total),
    });
    // It may be older than the option.
    if (report.outcome === "unchanged" && trustedKeys !== undefined) await verifyFile(report.path, { trustedKeys });
    process.stdout.write(args.has("json") ? `${JSON.stringify(report)}\n` : reportText(report, output));
  } finally {
    progress?.end();
    await downloader.close();
  }
  return EXIT.matched;
}

async function downloaderFor(args: Arguments, url: string): Promise<Downloader> {
  const allow = [...args.values("allow-address").map((text) => parsePrefix(text)), ...namedAddress(url)];
  const proxy = args.has("proxy") ? chosenProxy(args.value("proxy")!, process.env) : undefined;
  return Downloader.create({
    allow,
    userAgent: `ipsieve/${ownVersion()}`,
    limits: { bytes: MAX_PULLED_BYTES, totalTime: TOTAL_TIME },
    ...(proxy && { proxy }),
  });
}

/** A URL that names an address, or this machine, does so on purpose. */
function namedAddress(url: string): Prefix[] {
  const hostname = URL.parse(url)?.hostname.replace(/^\[|\]$/g, "") ?? "";
  if (hostname === "localhost") return ["127.0.0.0/8", "::1"].map((text) => parsePrefix(text));
  return isAddress(hostname) ? [parsePrefix(hostname)] : [];
}

function reportText({ outcome, kind, createdAt, bytes, resumedFrom, hasDigest }: PullReport, output: string): string {
  if (outcome === "unchanged") return `${output}: unchanged; the ${kind} of ${createdAt}\n`;
  const facts = [
    byteSize(bytes),
    ...(resumedFrom > 0 ? [`${byteSize(resumedFrom)} of them by an earlier pull`] : []),
    hasDigest ? "with the server's SHA-256" : "with no SHA-256 from the server",
  ];
  return `${output}: the ${kind} of ${createdAt}, ${facts.join(", ")}\n`;
}
