// The kinds of bytes of a line, ordered so that "still in the first run" and "still in the token" are one comparison
// each. The kernel's are the same (`KINDS` in src/kernel/workspace.ts).
export const HEX = 1;
export const DOTS = 2;
export const OTHER = 4;
export const COLONS = 8;
export const DELIMITER = 16;
/** A delimiter that may belong to an escape, whose other bytes then look like the first of a token. */
export const ESCAPE = 48;

export const KIND = new Uint8Array(256).fill(DELIMITER);
for (let byte = 0x30; byte <= 0x39; byte++) KIND[byte] = HEX;
for (let byte = 0x41; byte <= 0x5a; byte++) KIND[byte] = KIND[byte + 0x20] = byte <= 0x46 ? HEX : OTHER;
KIND[0x5f] = OTHER; // _
KIND[0x2e] = DOTS;
KIND[0x3a] = COLONS;
for (const byte of [0x23, 0x25, 0x3b, 0x5b, 0x5c]) KIND[byte] = ESCAPE; // # % ; [ \
