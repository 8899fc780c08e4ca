import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import {
  readSettings,
  type Setting,
  SettingError,
  SETTINGS,
  type SettingSources,
  variableOf,
} from "../../src/service/settings.ts";

const root = join(import.meta.dirname, "../..");

function read({
  flags = {},
  environment = {},
  file,
}: { flags?: Record<string, string>; environment?: Record<string, string>; file?: unknown } = {}): ReturnType<
  typeof readSettings
> {
  const sources: SettingSources = { flag: (name) => flags[name], environment, file };
  return readSettings(sources);
}

/** The table of all settings, in Markdown. */
function settingsTable(): string {
  const rows = Object.values<Setting>(SETTINGS).map((setting) => {
    const { name, initial, help, choices } = setting;
    const shown = initial === "" ? "" : `\`${String(initial)}\``;
    return `| \`--${name}\` | \`${variableOf(setting)}\` | ${shown} | ${help}${choices === undefined ? "" : ` (${choices.join(", ")})`} |`;
  });
  return ["| flag, property of the file | variable | default | |", "|---|---|---|---|", ...rows].join("\n");
}

test("docs/operating.md has the table of all settings, as declared", () => {
  const table = /<!-- settings:begin -->\n(.*)\n<!-- settings:end -->/s.exec(
    readFileSync(join(root, "docs/operating.md"), "utf8"),
  )?.[1];
  assert.equal(table, settingsTable());
});

test("a flag takes precedence over a variable, that over the file, that over the default", () => {
  const file = { port: 1, host: "a" };
  assert.deepEqual(
    [
      read().port,
      read({ file }).port,
      read({ file, environment: { IPSIEVE_PORT: "2" } }).port,
      read({ file, environment: { IPSIEVE_PORT: "2" }, flags: { port: "3" } }).port,
    ],
    [8080, 1, 2, 3],
  );
  assert.equal(read({ environment: { IPSIEVE_PORT: "" } }).port, 8080);
  assert.equal(read({ environment: { IPSIEVE_ALLOW_SPECIAL_PURPOSE: "1" } }).specialPurpose, true);
});

const TEXTS: Readonly<Record<string, string>> = {
  "base-url": "https://ipsieve.example",
  contact: "noc@example.org",
  "trust-proxy": "10.0.0.0/8, 2001:db8::1",
  "outbound-allow": "10.0.0.0/8",
  "metrics-token": "0123456789abcdef",
};

test("every setting can be given in every way; names are unique", () => {
  const names = Object.values<Setting>(SETTINGS).map(({ name }) => name);
  assert.equal(new Set(names).size, names.length);
  for (const [key, setting] of Object.entries<Setting>(SETTINGS)) {
    const { initial, choices, max } = setting;
    const other =
      choices?.find((each) => each !== initial) ??
      (typeof initial === "boolean"
        ? !initial
        : typeof initial === "number"
          ? initial === max
            ? initial - 1
            : initial + 1
          : (TEXTS[setting.name] ?? "other"));
    const ways = [
      read({ flags: { [setting.name]: String(other) } }),
      read({ environment: { [variableOf(setting)]: String(other) } }),
      read({ file: { [setting.name]: other } }),
    ];
    for (const settings of ways) assert.equal(settings[key as keyof typeof settings], other, setting.name);
  }
});

const REFUSED: readonly [what: string, given: Parameters<typeof read>[0], message: RegExp][] = [
  ["a text for a number", { flags: { port: "x" } }, /--port "x": write a whole number from 0 to 65535/],
  ["too large a number", { environment: { IPSIEVE_PORT: "65536" } }, /IPSIEVE_PORT "65536"/],
  ["a word that there is not", { flags: { "log-level": "loud" } }, /--log-level "loud": choose one of debug/],
  [
    "a member of a wrong type",
    { file: { port: "80" } },
    /"port" of the configuration file is a string; write a number/,
  ],
  ["an unknown member", { file: { prot: 80 } }, /an unknown setting "prot"; choose one of host, port/],
  ["an array", { file: [] }, /must contain a JSON object/],
  [
    "a URL without a scheme",
    { flags: { "base-url": "ipsieve.example" } },
    /--base-url "ipsieve.example": write it with its scheme/,
  ],
  [
    "a URL of another kind",
    { environment: { IPSIEVE_BASE_URL: "ftp://ipsieve.example" } },
    /IPSIEVE_BASE_URL "ftp:.*": write it with its scheme/,
  ],
  ...["?", "/y?z", "/y?z#f", "#f", "/y/#"].map((rest): (typeof REFUSED)[number] => [
    `a base URL with ${rest}`,
    { flags: { "base-url": `http://x.example${rest}` } },
    /--base-url "http:\/\/x\.example.*": leave out what begins with \? or #/,
  ]),
  ["a URL that is none", { flags: { "base-url": "http://" } }, /--base-url "http:\/\/": write it/],
  [
    "a proxy that is no prefix",
    { flags: { "trust-proxy": "10.0.0.0/8,proxy" } },
    /--trust-proxy "10.0.0.0\/8,proxy": .*proxy.*; write addresses or prefixes/,
  ],
  [
    "a proxy with host bits",
    { file: { "trust-proxy": "10.0.0.1/8" } },
    /"trust-proxy" of the configuration file "10.0.0.1\/8": .*10.0.0.0\/8/,
  ],
  [
    "a token that is too short, without repeating it",
    { environment: { IPSIEVE_METRICS_TOKEN: "secret" } },
    /^IPSIEVE_METRICS_TOKEN: write at least 16 letters(?!.*secret)/,
  ],
  ["no boolean", { flags: { "allow-special-purpose": "yes" } }, /write true or false/],
];
for (const [what, given, message] of REFUSED) {
  test(`refused: ${what}`, () => {
    assert.throws(
      () => read(given),
      (error) => error instanceof SettingError && message.test(error.message),
    );
  });
}
