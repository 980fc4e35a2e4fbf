/** Decodes a part of the path of an URL. Returns nothing where it is not well encoded. */
export function decodedPart(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
