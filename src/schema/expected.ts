/** Something wrong with the value at a path of a file; zod's issues have these members too. */
export interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** Makes the parameter of a schema for its message: what was expected, then what was there. */
export function expected(what: string): { error(issue: { readonly input?: unknown }): string } {
  return { error: ({ input }) => (input === undefined ? `missing, expected ${what}` : got(input, what)) };
}

/** Writes a message such as `expected a list, got 5`. */
export function got(input: unknown, what: string): string {
  return `expected ${what}, got ${shown(input)}`;
}

/** The offending value, cut where it gets long. */
function shown(value: unknown): string {
  const text = typeof value === 'number' ? numberText(value) : originsAlone(JSON.stringify(value) ?? String(value));
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}

/** Replaces all but scheme and host in all URLs of a text by `…`: a path, such as that of a webhook, may be a secret as well. */
function originsAlone(text: string): string {
  return withoutCredentials(text).replaceAll(/(:[/\\]{2,}[^/\\?#\s"']*[/\\?#])[^\s"']+/g, '$1…');
}

/** Formats a number as YAML does, which also has `.nan` and `.inf`. */
function numberText(value: number): string {
  if (Number.isNaN(value)) return '.nan';
  return Number.isFinite(value) ? String(value) : value > 0 ? '.inf' : '-.inf';
}

/** Replaces user names and passwords in all URLs of a text by `…`. */
export function withoutCredentials(text: string): string {
  return text.replaceAll(/(:[/\\]{2,})[^/\\?#\s"'@]*(?:@[^/\\?#\s"'@]*)*@/g, '$1…@');
}
