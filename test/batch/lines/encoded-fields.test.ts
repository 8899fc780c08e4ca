/** Fields as URLs have them: the address is that of the text before it was encoded. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Random } from "../../../bench/data/random.ts";
import { fieldAddress, type AddressChoice } from "../../../src/batch/lines/fields/field-address.ts";
import { createFound } from "../../../src/batch/lines/find-address.ts";
import { randomIpv6, randomQuad } from "../../kernel/random-lines.ts";
import { rounds } from "../../rounds.ts";

const SEED = 20261128;
const FIELDS = rounds({ short: 100_000, long: 2_000_000 });
const CHOICES: readonly AddressChoice[] = ["first", "last", "first-public"];

function addressOf(text: string, choice: AddressChoice): string {
  const found = createFound();
  const bytes = Buffer.from(`${text}\n`, "latin1");
  const family = fieldAddress(bytes, 0, bytes.length - 1, choice, found);
  return family === 0 ? "none" : `${family}: ${[...found.subarray(0, family === 4 ? 1 : 4)].join()}`;
}

const FORMS = ["?", "?", "?", "?:80", "[?]", "[?]:443", "?/24", " ? ", '"?"', "unknown", "x?", '"[?]:80"'];

function randomField(random: Random): string {
  const items = Array.from({ length: 1 + random.below(3) }, () =>
    FORMS[random.below(FORMS.length)]!.replace("?", random.below(2) === 0 ? randomQuad(random) : randomIpv6(random)),
  );
  const isForwarded = random.below(6) === 0;
  return items.map((item) => (isForwarded ? `for="${item.replaceAll('"', "")}";proto=https` : item)).join(", ");
}

test("an encoded field has the address of the field, whichever counts", () => {
  const random = new Random(SEED);
  let [found, onlyDecoded] = [0, 0];
  for (let done = 0; done < FIELDS; done++) {
    const text = randomField(random);
    if (text.includes("%")) continue; // a zone is encoded itself
    const choice = CHOICES[random.below(CHOICES.length)]!;
    const once = encodeURIComponent(text);
    const encoded =
      random.below(4) === 0 ? encodeURIComponent(once) : random.below(3) === 0 ? once.toLowerCase() : once;
    const expected = addressOf(text, choice);
    assert.equal(addressOf(encoded, choice), expected, `${choice} of ${encoded}`);
    if (expected !== "none") found++;
    if (expected !== "none" && encoded !== text) onlyDecoded++;
  }
  assert.ok(found > FIELDS / 3 && onlyDecoded > FIELDS / 4);
});

test("what is no address is none when it is decoded, and a zone stays one", () => {
  const none = [
    "x%3A",
    "2001%3Adb8",
    "%31.2.3.4",
    "1%2E2%2E3%2E4",
    "1.2.3.4%3A99999",
    "%",
    "%3",
    "%3A",
    "fe80%3A%3A1%",
  ];
  for (const text of none) assert.equal(addressOf(text, "first"), "none", text);
  for (const text of ["fe80::1%20", "fe80::1%22", "fe80::1%3a", "fe80::1%eth0"])
    assert.equal(addressOf(text, "first"), addressOf("fe80::1", "first"), text);
  assert.equal(addressOf("fe80%3A%3A1%25eth0", "first"), addressOf("fe80::1", "first"));
  assert.notEqual(addressOf("2001%3Adb8%3A%3A7", "first"), addressOf("2001:db8::8", "first"), "negative control");
});
