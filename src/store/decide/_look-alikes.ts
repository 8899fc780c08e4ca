import { keyOfName } from "../name-key.ts";

/**
 * Letters of other alphabets that are drawn as Latin ones, each after the Latin letter: of UTS #39 (confusables.txt)
 * those of the alphabets that are in use. Latin letters and digits that resemble each other (l and 1) are not among
 * them: names differ by them in good faith.
 */
const LOOK_ALIKES = `
  aАаΑαꭺɑ bВьΒᏴ cСсᏟᴄ dԁᎠ eЕеΕᎬҽ gԌᏀɡց hНһΗᎻհ iІіΙιᎥɩ jЈјᎫյϳ kКкΚκᏦ lӏᏞʟ mМмΜᎷ nΝηпոռ oОоΟοσՕօᴏ pРрΡρᏢ
  qԚԛզ rгᎡ sЅѕᏚՏꜱ tТтΤτᎢ uυսՍᴜ vνѵᏙᴠ wԜԝᎳᴡ xХхΧχ yУуΥγүᎩ zΖᏃᴢ`;

const LATIN = new Map(
  LOOK_ALIKES.trim()
    .split(/\s+/)
    .flatMap(([latin, ...others]) => others.map((other) => [other, latin!] as const)),
);

/**
 * What a name looks like: names that give the same can be taken for each other. Compatible forms and letters that are
 * drawn alike are the same.
 */
function looksOf(name: string): string {
  const drawn = [...name.normalize("NFKC")].map((letter) => LATIN.get(letter) ?? letter).join("");
  // By way of capitals, as some letters have two small forms.
  return drawn.toUpperCase().toLowerCase();
}

/** Whether one of the names can be taken for the other. */
export function areAlike(one: string, other: string): boolean {
  return keyOfName(one) === keyOfName(other) || looksOf(one) === looksOf(other);
}
