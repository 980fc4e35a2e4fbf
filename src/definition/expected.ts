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
  const text =
    typeof value === 'number' ? numberText(value) : withoutCredentials(JSON.stringify(value) ?? String(value));
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}

/** As YAML has it, in which a number may also be none, or endless. */
function numberText(value: number): string {
  if (Number.isNaN(value)) return '.nan';
  return Number.isFinite(value) ? String(value) : value > 0 ? '.inf' : '-.inf';
}

/** A text in which no URL shows a user name or password. */
export function withoutCredentials(text: string): string {
  return text.replaceAll(/(:[/\\]{2,})[^/\\?#\s"'@]*(?:@[^/\\?#\s"'@]*)*@/g, '$1…@');
}
