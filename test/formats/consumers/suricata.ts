import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseAddress } from "../../../src/address/parse-address.ts";
import { missingCommand } from "../../tools.ts";
import type { Consumer } from "./consumer.ts";

export const suricata: Consumer = {
  name: "Suricata, reputation of the sources of a capture",
  format: "suricata-iprep",
  wrongLine: "192.0.2.0/33,1,127",
  missing: missingCommand("suricata", "-V", "suricata, in Debian 12 from its backports"),
  listed(file, addresses, folder) {
    const write = (name: string, content: string | Uint8Array): void => writeFileSync(join(folder, name), content);
    write("list", file);
    write("categories", "1,Listed,Addresses on the list\n");
    write("listed.rules", 'alert ip any any -> any any (msg:"listed"; iprep:src,Listed,>,100; sid:1; rev:1;)\n');
    for (const name of ["classification", "reference", "threshold"]) write(name, "");
    write("suricata.yaml", configurationIn(folder));
    write("capture.pcap", captureOf(addresses));
    const options = ["-c", join(folder, "suricata.yaml"), "-r", join(folder, "capture.pcap"), "-l", folder];
    const run = spawnSync("suricata", [...options, "--runmode=single"], { encoding: "utf8" });
    assert.equal(run.status, 0, run.stderr);
    // It leaves out what it does not understand, with a warning.
    assert.doesNotMatch(run.stdout + run.stderr, /^(W|E|Warning|Error): /im);
    assert.match(run.stdout + run.stderr, new RegExp(`read 1 file, ${addresses.length} packets`));
    const ports = new Set(alertsOf(folder).map(({ src_port }) => src_port));
    return Promise.resolve(addresses.map((_, at) => ports.has(FIRST_PORT + at)));
  },
};

/** Each packet has a source port of its own, which identifies it in alerts. */
const FIRST_PORT = 1024;

function configurationIn(folder: string): string {
  return `%YAML 1.1
---
default-rule-path: ${folder}
rule-files: [ listed.rules ]
classification-file: ${join(folder, "classification")}
reference-config-file: ${join(folder, "reference")}
threshold-file: ${join(folder, "threshold")}
reputation-categories-file: ${join(folder, "categories")}
default-reputation-path: ${folder}
reputation-files: [ list ]
stats: { enabled: no }
outputs:
  - eve-log: { enabled: yes, filetype: regular, filename: alerts.json, types: [ alert ] }
logging:
  outputs:
    - console: { enabled: yes }
`;
}

function alertsOf(folder: string): { src_port: number }[] {
  const lines = readFileSync(join(folder, "alerts.json"), "utf8").split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as { src_port: number });
}

/** A capture (pcap, link type RAW) in which each address opens one TCP connection. */
function captureOf(addresses: readonly string[]): Buffer {
  const header = Buffer.alloc(24);
  header.writeUInt32LE(0xa1b2c3d4);
  header.writeUInt16LE(2, 4);
  header.writeUInt16LE(4, 6);
  header.writeUInt32LE(65_535, 16);
  header.writeUInt32LE(101, 20);
  return Buffer.concat([header, ...addresses.flatMap((text, at) => recordOf(packetFrom(text, FIRST_PORT + at), at))]);
}

function recordOf(packet: Buffer, second: number): Buffer[] {
  const header = Buffer.alloc(16);
  header.writeUInt32LE(second + 1);
  header.writeUInt32LE(packet.length, 8);
  header.writeUInt32LE(packet.length, 12);
  return [header, packet];
}

/**
 * A packet from the address and port to port 80 of a benchmarking address: IP and TCP headers with correct checksums.
 */
function packetFrom(text: string, port: number): Buffer {
  const source = bytesOf(text);
  const target = bytesOf(source.length === 4 ? "198.18.0.1" : "2001:2::1");
  const segment = Buffer.alloc(20);
  segment.writeUInt16BE(port);
  segment.writeUInt16BE(80, 2);
  // A header of five words; SYN.
  segment.writeUInt16BE(0x5002, 12);
  segment.writeUInt16BE(1024, 14);
  segment.writeUInt16BE(checksum(Buffer.concat([source, target, Buffer.from([0, 6, 0, 20]), segment])), 16);
  return Buffer.concat([source.length === 4 ? header4(source, target) : header6(source, target), segment]);
}

function header4(source: Buffer, target: Buffer): Buffer {
  const header = Buffer.concat([Buffer.from([0x45, 0, 0, 40, 0, 0, 0, 0, 64, 6, 0, 0]), source, target]);
  header.writeUInt16BE(checksum(header), 10);
  return header;
}

function header6(source: Buffer, target: Buffer): Buffer {
  return Buffer.concat([Buffer.from([0x60, 0, 0, 0, 0, 20, 6, 64]), source, target]);
}

function bytesOf(text: string): Buffer {
  const { family, w0, w1, w2, w3 } = parseAddress(text);
  const bytes = Buffer.alloc(16);
  [w0, w1, w2, w3].forEach((word, at) => bytes.writeUInt32BE(word, 4 * at));
  return bytes.subarray(0, family === 4 ? 4 : 16);
}

/** The checksum of the internet protocols (RFC 1071), over an even number of bytes. */
function checksum(bytes: Buffer): number {
  let sum = 0;
  for (let at = 0; at < bytes.length; at += 2) sum += bytes.readUInt16BE(at);
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >>> 16);
  return ~sum & 0xffff;
}
