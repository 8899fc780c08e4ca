import { UpdateError } from "../../update/update-error.ts";

/** Why a list could not be fetched. */
export interface FetchFailure {
  readonly code: string;
  readonly message: string;
}

/**
 * Describes an error in words that reveal nothing about the network of the server: neither the addresses of a name, nor
 * which of them respond.
 */
export function failureOf(error: UpdateError): FetchFailure {
  const { code, message } = error;
  switch (code) {
    case "address-refused":
    case "unreachable":
    case "proxy":
      return {
        code: "unreachable",
        message:
          "the host cannot be reached, or is not on the public internet; the operator may allow its addresses with --outbound-allow",
      };
    case "timeout":
      return { code, message: "the host took too long to respond" };
    case "untrusted":
      return { code, message: "the certificate of the host is not trusted, or is for another name" };
    case "too-large":
      return { code, message: "the list is too long to be fetched" };
    case "status": {
      const [, status] = /status (\d{3})/.exec(message) ?? [];
      return { code, message: `the host responds with status ${status ?? "unknown"}` };
    }
    case "redirect":
      return { code, message: "the URL redirects too often" };
    case "bad-url":
      return { code, message: "only https URLs are fetched, and this one is not, or redirects to one that is not" };
    case "encoding":
      return { code, message: "the response has a compression that was not requested, or is corrupt" };
    default:
      return { code: "unreachable", message: "the list cannot be fetched" };
  }
}
