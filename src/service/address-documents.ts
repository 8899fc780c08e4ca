/** Characters of a part of a response, at least. */
const PART = 1 << 14;

/** A map from each text to its document, or a document per line. */
export type DocumentForm = "map" | "lines";

/**
 * The documents of addresses and prefixes as one response, in parts. `documentAt` gives the document of the text at a
 * place, as JSON. An address contains nothing that JSON escapes.
 */
export function* writeDocuments(
  texts: readonly string[],
  form: DocumentForm,
  documentAt: (place: number) => string,
): Generator<string, void> {
  let part = form === "map" ? "{" : "";
  for (let place = 0; place < texts.length; place++) {
    const document = documentAt(place);
    part += form === "lines" ? `${document}\n` : `${place === 0 ? '"' : ',"'}${texts[place]!}":${document}`;
    if (part.length < PART) continue;
    yield part;
    part = "";
  }
  yield form === "map" ? `${part}}` : part;
}
