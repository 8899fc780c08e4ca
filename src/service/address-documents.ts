/** Minimum characters of a part of a response, except the last. */
const PART = 1 << 14;

/** A map from each text to its document, or a document per line. */
export type DocumentForm = "map" | "lines";

/**
 * The documents of addresses and prefixes as one response, in parts. `documentAt` returns the document of the text at
 * an index, as JSON. An address contains nothing that JSON escapes.
 */
export function* writeDocuments(
  texts: readonly string[],
  form: DocumentForm,
  documentAt: (index: number) => string,
): Generator<string, void> {
  let part = form === "map" ? "{" : "";
  for (let index = 0; index < texts.length; index++) {
    const document = documentAt(index);
    part += form === "lines" ? `${document}\n` : `${index === 0 ? '"' : ',"'}${texts[index]!}":${document}`;
    if (part.length < PART) continue;
    yield part;
    part = "";
  }
  yield form === "map" ? `${part}}` : part;
}
