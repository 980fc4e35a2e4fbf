/** What one text or JSON value of a document is. */
export type ScalarRule =
  | { readonly type: 'text' | 'url' | 'json' }
  | ({ readonly type: 'date' | 'datetime' } & DateOptions)
  | { readonly type: 'integer' | 'number'; readonly decimal?: '.' | ',' }
  | { readonly type: 'boolean'; readonly true?: readonly string[]; readonly false?: readonly string[] }
  | { readonly type: 'money'; readonly currency?: string; readonly decimal?: '.' | ',' };

/** How dates are written; without formats as ISO 8601 does. */
export interface DateOptions {
  /** Luxon's or, where there is a `%`, strptime's; `ISO` and `RFC2822` are names of whole forms, `X` and `x` count seconds and milliseconds since 1970. The first that fits counts. */
  readonly formats?: readonly string[];
  /** Whose names of months and days are meant; English by default. */
  readonly locale?: string;
  /** Where texts without an offset were written; UTC by default. */
  readonly zone?: string;
}
