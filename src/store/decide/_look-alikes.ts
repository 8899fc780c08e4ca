import { keyOfName } from "../name-key.ts";

/**
 * Letters of other alphabets that look like Latin ones, each after the Latin letter: from UTS #39 (confusables.txt),
 * for the alphabets in use. Latin letters and digits that resemble each other (l and 1) are not included: names may
 * differ in those.
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
 * The skeleton of a name: names with the same skeleton can be mistaken for each other. Compatible forms and letters
 * that look alike are unified.
 */
function looksOf(name: string): string {
  const drawn = [...name.normalize("NFKC")].map((letter) => LATIN.get(letter) ?? letter).join("");
  // Through capitals, because some letters have two lower-case forms.
  return drawn.toUpperCase().toLowerCase();
}

/** Whether one of the names can be mistaken for the other. */
export function areAlike(one: string, other: string): boolean {
  return keyOfName(one) === keyOfName(other) || looksOf(one) === looksOf(other);
}
