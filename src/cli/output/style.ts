type Format = Parameters<typeof import("node:util").styleText>[0];
export type Style = (format: Format, text: string) => string;

/**
 * Colours for a stream: none unless it is a terminal, none with NO_COLOR; FORCE_COLOR forces them (as in node:util).
 */
export function styleFor(stream: NodeJS.WriteStream): Style {
  const { styleText } = process.getBuiltinModule("node:util");
  return (format, text) => styleText(format, text, { stream });
}
