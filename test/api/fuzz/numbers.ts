/**
 * Integers at the edges of what programs count with: 32 bits, the engine's exact ones, 64 bits, and those that overflow
 * when multiplied by the page size.
 */
export const EDGES = [
  "0",
  "1",
  "2147483647",
  "2147483648",
  "4294967296",
  "90071992547410",
  "90100000000000",
  "9007199254740991",
  "9007199254740992",
  "9007199254740993",
  "9223372036854775807",
  "9223372036854775808",
  "18446744073709551616",
  `1${"0".repeat(30)}`,
];

/** Spellings of numbers that a query may contain; leading zeros change nothing. */
export const QUERY_NUMBERS = [
  ...EDGES,
  ...EDGES.slice(1).map((text) => `-${text}`),
  "-0",
  "+1",
  "007",
  "1.0",
  "1.5",
  "1e2",
  "1E400",
  "1e400",
  "-1e400",
  "1e-400",
  "0x10",
  "0b1",
  "1_000",
  "NaN",
  "Infinity",
  "-Infinity",
];

/** Numbers as JSON spells them: some are integers in one spelling and not in another. */
export const JSON_NUMBERS = [
  ...EDGES,
  ...EDGES.slice(1).map((text) => `-${text}`),
  "-0",
  "0.0",
  "1.0",
  "1.5",
  "1e2",
  "1E2",
  "10e-1",
  "1e308",
  "1e400",
  "-1e400",
  "1e-400",
  "9007199254740992.0",
];
