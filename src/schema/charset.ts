/** Returns the name of the charset that a label stands for, by the WHATWG's standard of encodings; undefined for a label that it does not list. */
export function charsetNamed(label: string): string | undefined {
  const name = label.trim().toLowerCase();
  if (name === 'utf-8') return name;
  // No text is written in it; a `<meta>` that says so means Windows-1252 as well.
  if (name === 'x-user-defined') return 'windows-1252';
  try {
    return new TextDecoder(name).encoding;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
