/** Decodes a part of an address. One with a "%" that encodes nothing, as a person may type it, stays as it is. */
export function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch (error) {
    if (error instanceof URIError) return part;
    throw error;
  }
}
