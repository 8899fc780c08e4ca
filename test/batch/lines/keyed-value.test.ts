import assert from "node:assert/strict";
import { test } from "node:test";
import { keyedValue } from "../../../src/batch/lines/fields/_keyed-value.ts";

/** The value of `src` in a line between others; null: it has none. */
function valueIn(line: string, before = "src=8.8.8.8 CEF:|||||||", after = "=9, b=9"): string | null {
  const bytes = Buffer.from(`${before}${line}${after}`);
  const [start, end] = [Buffer.byteLength(before), bytes.length - Buffer.byteLength(after)];
  const span = { bytes, start: 0, end: 0 };
  if (!keyedValue("src")(bytes, start, end, span)) return null;
  assert.ok(start <= span.start && span.start <= span.end && span.end <= end, line);
  return bytes.toString("utf8", span.start, span.end);
}

const VALUES: Readonly<Record<string, string | null>> = {
  "src=1.2.3.4": "1.2.3.4",
  "src= dst=1.2.3.4": "",
  "src=": "",
  src: null,
  "a src =1.2.3.4": null,
  "xsrc=9.9.9.9 src=1.2.3.4": "1.2.3.4",
  "srcx=9.9.9.9 src=1.2.3.4": "1.2.3.4",
  "GET /?src=9.9.9.9&src=9.9.9.9 src=1.2.3.4": "1.2.3.4",
  "x-src=9.9.9.9 x.src=9.9.9.9 x_src=9.9.9.9 (src=1.2.3.4)": "1.2.3.4",
  // In quotes, its own and those of others.
  'src="1.2.3.4 x" y': "1.2.3.4 x",
  'src="a \\" b" y': 'a \\" b',
  'src="1.2.3.4': "1.2.3.4",
  'src="1.2.3.4\\': "1.2.3.4\\",
  'src=""': "",
  'msg="src=9.9.9.9" src=1.2.3.4': "1.2.3.4",
  'msg="a\\" src=9.9.9.9" src=1.2.3.4': "1.2.3.4",
  'msg="a" src=1.2.3.4 b="': "1.2.3.4",
  'msg=" src=9.9.9.9': null,
  'src=for="[2001:db8::1]:443";x y': 'for="[2001:db8::1]:443"',
  'src=for="a b",for="c d" e': 'for="a b"', // another key
  'src="a" b="c"': "a",
  'src=x="a b",y z': 'x="a b",y',
  'src=a"b': "a",
  // Lists go on behind a comma and a blank, unless another key follows.
  "src=1.2.3.4, 5.6.7.8 x": "1.2.3.4, 5.6.7.8",
  "src=1.2.3.4, 5.6.7.8, dst=9.9.9.9": "1.2.3.4, 5.6.7.8",
  "src=1.2.3.4,5.6.7.8,dst=9.9.9.9": "1.2.3.4,5.6.7.8",
  "src=1.2.3.4, dst 5=6": "1.2.3.4, dst",
  "src=1.2.3.4, =6": "1.2.3.4, =6",
  "src=1.2.3.4,,, x": "1.2.3.4,,, x",
  "src=1.2.3.4, ": "1.2.3.4",
  "src=, ,": "",
  "src=1.2.3.4,": "1.2.3.4",
  // What ends a value, and brackets.
  ...Object.fromEntries(Array.from('\t|;)}>^#"\\\u001b] ', (mark) => [`src=1.2.3.4${mark}x`, "1.2.3.4"])),
  "src=[1.2.3.4]:80 x": "[1.2.3.4]:80",
  "[src=1.2.3.4]": "1.2.3.4",
  // Headers of CEF and LEEF hold no keys.
  "CEF:0|a|b src=9.9.9.9|c|d|e|5|src=1.2.3.4": "1.2.3.4",
  "CEF:0|a\\| src=9.9.9.9|b|c|d|e src=9.9.9.9|5|src=1.2.3.4 x": "1.2.3.4",
  "x CEF:0|a|b|c|d|e|5 src=9.9.9.9": "9.9.9.9",
  "LEEF:2.0|a|b|c src=9.9.9.9|d|src=1.2.3.4\tx": "1.2.3.4",
  "LEEF:1.0|a|b|c src=1.2.3.4": "1.2.3.4",
  // Behind an escape or a color, and colored itself.
  "a\\tsrc=1.2.3.4\\tb": "1.2.3.4",
  "a\\nsrc=1.2.3.4": "1.2.3.4",
  "a\\ssrc=9.9.9.9": null,
  "a#011src=1.2.3.4#011b": "1.2.3.4",
  "a#013src=9.9.9.9": null,
  "\u001b[36msrc\u001b[0m=\u001b[1;31m1.2.3.4\u001b[0m": "1.2.3.4",
  "\u001b[36xmsrc=9.9.9.9": null,
  "src\u001b[0=1.2.3.4": null,
  "src\u001b[0": null,
};

test("values by key, in all the ways in which programs write them, and what only looks like one", () => {
  const found = Object.fromEntries(Object.keys(VALUES).map((line) => [line, valueIn(line)]));
  assert.deepEqual(found, VALUES);
});

test("every beginning of these lines is read within itself", () => {
  for (const line of Object.keys(VALUES))
    for (let length = 0; length <= line.length; length++) {
      const part = line.slice(0, length);
      const alone = valueIn(part, "", "\n");
      for (const [before, after] of [
        ["?", "=1"],
        ['"', '"'],
        ["CEF:|", ", b=9"],
      ] as const)
        assert.equal(valueIn(part, before, after), alone, part);
    }
});
