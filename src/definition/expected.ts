/** The sentence of a schema that refuses a value: what was expected, then what was there. */
export function expected(what: string): { error(issue: { readonly input?: unknown }): string } {
  return { error: ({ input }) => (input === undefined ? `missing, expected ${what}` : got(input, what)) };
}

/** `expected a list, got 5` */
export function got(input: unknown, what: string): string {
  return `expected ${what}, got ${shown(input)}`;
}

/** The offending value, cut where it gets long. */
function shown(value: unknown): string {
  const text = withoutCredentials(JSON.stringify(value) ?? String(value));
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}

/** A text in which no URL shows a user name or password. */
export function withoutCredentials(text: string): string {
  return text.replaceAll(/(:[/\\]{2,})[^/\\?#\s"'@]*(?:@[^/\\?#\s"'@]*)*@/g, '$1…@');
}
