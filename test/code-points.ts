import fc from "fast-check";

const SURROGATES = 0x800;
const FIRST_SURROGATE = 0xd800;

/**
 * Any character but half a pair, as a unit of `fc.string`. What its own unit `binary` gives, without the table of a
 * million characters that it makes in each process, which takes a second.
 */
export const codePoint: fc.Arbitrary<string> = fc.nat(0x10ffff - SURROGATES).map(
  (number) => String.fromCodePoint(number < FIRST_SURROGATE ? number : number + SURROGATES),
  (text) => {
    const [character, ...more] = String(text);
    if (character === undefined || more.length > 0) throw new Error("not one character");
    const code = character.codePointAt(0)!;
    if (code >= FIRST_SURROGATE && code < FIRST_SURROGATE + SURROGATES) throw new Error("half a pair");
    return code < FIRST_SURROGATE ? code : code - SURROGATES;
  },
);
