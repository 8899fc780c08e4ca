import { withoutStacks } from "../../src/address/without-stacks.ts";
import { spawnSync } from "node:child_process";
import { SocketAddress } from "node:net";
import { oracleParse } from "../oracle/address-oracle.ts";

/** The result of a parser: the 128 bits as a number, IPv4 in its mapped form; null for "not an address". */
export type Answer = bigint | null;

/**
 * Another parser. It returns undefined where it is known to differ from our rules; the code justifies every such case.
 */
export interface Peer {
  readonly name: string;
  answers(texts: readonly string[]): (Answer | undefined)[];
}

export const oraclePeer: Peer = {
  name: "oracle",
  answers: (texts) => texts.map(oracleParse),
};

/** libuv's inet_pton, which is what Node's own SocketAddress uses. */
export const uvPeer: Peer = {
  name: "uv_inet_pton",
  answers: (texts) => withoutStacks(() => texts.map(askUv)),
};

function askUv(text: string): Answer | undefined {
  // The text becomes a C string, which ends at a NUL.
  if (text.includes("\0")) return undefined;
  // uv_inet_pton removes "%" and everything after it, zone id or not, before it parses.
  if (text.includes("%")) return undefined;
  try {
    // Its output is read by the oracle, which accepts both of its notations of IPv4 inside IPv6.
    return oracleParse(new SocketAddress({ address: text, family: text.includes(":") ? "ipv6" : "ipv4" }).address);
  } catch {
    return null;
  }
}

/**
 * Reads a JSON array of texts and answers each with its 16 bytes in hexadecimal or "-". A NUL or a lone surrogate
 * causes a ValueError there.
 */
const PYTHON = `
import json, socket, sys
FAMILIES = ((socket.AF_INET, bytes(10) + b"\\xff\\xff"), (socket.AF_INET6, b""))
def ask(text):
    for family, lead in FAMILIES:
        try:
            return (lead + socket.inet_pton(family, text)).hex()
        except (OSError, ValueError):
            pass
    return "-"
print("\\n".join(map(ask, json.load(sys.stdin))))
`;

/**
 * The C library's inet_pton, called by python3. Undefined if there is no python3, or the library is not glibc, whose
 * rules are the same as ours.
 */
export function systemPeer(): Peer | undefined {
  const probe = spawnSync("python3", ["-c", "import platform; print(platform.libc_ver()[0])"], { encoding: "utf8" });
  if (probe.status !== 0 || probe.stdout.trim() !== "glibc") return undefined;
  return { name: "glibc inet_pton", answers: askPython };
}

function askPython(texts: readonly string[]): Answer[] {
  const input = JSON.stringify(texts);
  const { stdout, stderr, status } = spawnSync("python3", ["-c", PYTHON], {
    input,
    encoding: "utf8",
    maxBuffer: 1 << 30,
  });
  if (status !== 0) throw new Error(`python3 failed: ${stderr}`);
  const answers = stdout.trimEnd().split("\n");
  if (answers.length !== texts.length)
    throw new Error(`python3 gave ${answers.length} answers to ${texts.length} texts`);
  return answers.map((answer) => (answer === "-" ? null : BigInt(`0x${answer}`)));
}
