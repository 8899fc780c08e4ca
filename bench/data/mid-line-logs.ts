import { BOTH_FAMILIES, LineSource } from "./line-source.ts";
import type { GeneratedFile } from "./generated-file.ts";
import type { Random } from "./random.ts";

const LINES = 1_000_000;

/** A log whose lines have their only address somewhere in the middle. */
export interface MidLineLog extends GeneratedFile {
  /** The shape of its lines, for people. */
  readonly shape: string;
  /** The column or member that holds the address, if lines have fields. */
  readonly field: string | null;
}

type LineOf = (address: string, line: number, random: Random) => string;

const METHODS = ["GET", "GET", "GET", "POST", "HEAD"];
const LEVELS = ["info", "info", "warning", "debug"];

function clock(line: number): string {
  const two = (number: number): string => String(Math.floor(number)).padStart(2, "0");
  const second = line % 86_400;
  return `${two(second / 3600)}:${two((second / 60) % 60)}:${two(second % 60)}`;
}

const syslogLine: LineOf = (address, line, random) =>
  `Nov 21 ${clock(line)} web${random.below(20)} sshd[${random.below(32_768)}]: Failed password for invalid user admin${random.below(100)} from ${address} port ${random.below(65_536)} ssh2`;

const jsonLine: LineOf = (address, line, random) =>
  `{"time":"2026-11-21T${clock(line)}.${100 + random.below(900)}Z","level":"${LEVELS[random.below(4)]}","message":"request completed","version":"2.18.0","method":"${METHODS[random.below(5)]}","path":"/api/v2/orders/${random.below(1_000_000)}/items","status":200,"client_ip":"${address}","duration_ms":${random.below(9000) / 10},"agent":"ExampleBot/2.1 (+https://bot.example.com/about)"}`;

const commaLine: LineOf = (address, line, random) =>
  `2026-11-21T${clock(line)}Z,user${random.below(10_000)},login,${address},${random.below(100_000)},ok`;

export const MID_LINE_LOGS: readonly MidLineLog[] = [
  log("syslog", null, 4, syslogLine),
  log("json", "client_ip", 5, jsonLine),
  log("csv", "4", 6, commaLine),
];

/** The names do not say how lines are cut, so that they are text unless a field is asked for. */
function log(shape: string, field: string | null, seed: number, lineOf: LineOf): MidLineLog {
  return {
    name: `mid-line-${shape}.log`,
    shape,
    field,
    async make(sink) {
      const source = await LineSource.create(seed, BOTH_FAMILIES);
      let matched = 0;
      for (let line = 0; line < LINES; line++) {
        const { text, value } = source.next();
        sink.write(`${lineOf(text, line, source.random)}\n`);
        if (value > 0) matched++;
      }
      return { lines: LINES, matched };
    },
  };
}
