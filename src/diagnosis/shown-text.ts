import type { Value } from '../extract/value/value.ts';
import { spend } from '../work-budget.ts';

/** The texts of a page and of its attributes, in which values are looked for. */
export class ShownText {
  readonly #text: string;
  /** How often each word stands in the text; a number is always a word of its own. */
  readonly #words = new Map<string, number>();
  readonly #counts = new Map<string, number>();

  /**
   * @param source - the page with its markup, for its attributes.
   * @param apart - the texts of its elements, each apart from the next.
   */
  constructor({ source, apart }: { readonly source: string; readonly apart: string }) {
    const attributes = Array.from(
      source.matchAll(/\b(?:content|data-[\w-]{1,40}|value|href|src|alt|title)\s*=\s*"([^"]{1,500})"/gi),
      ([, value]) => value,
    );
    this.#text = ` ${plain(`${apart} ${attributes.join(' ')}`)} `;
    for (const word of this.#text.split(' ')) this.#words.set(word, (this.#words.get(word) ?? 0) + 1);
  }

  /** Counts the places at which the text of a value stands, as `textsOf` gives it. */
  count(text: string): number {
    const word = /^ (\S+) $/.exec(text)?.[1];
    if (word !== undefined) return this.#words.get(word) ?? 0;
    const count = this.#counts.get(text) ?? this.#occurrences(text);
    this.#counts.set(text, count);
    return count;
  }

  #occurrences(part: string): number {
    spend(this.#text.length / 10);
    const step = Math.max(1, part.trimEnd().length);
    let count = 0;
    for (let at = this.#text.indexOf(part); at >= 0; at = this.#text.indexOf(part, at + step)) count += 1;
    return count;
  }
}

/** The most different texts of values that are looked for on the two pages. */
const mostTexts = 200;

/**
 * The share of values that a page still shows, of those that the good one showed; of many different values, some are looked for.
 *
 * @param unclear - what becomes of a value of one record that the page shows, but less often than the good one did: it may have moved, or stand there
 * for another reason.
 */
export function shareKept(
  values: readonly Value[],
  good: ShownText,
  bad: ShownText,
  unclear: 'is lost' | 'is left out' = 'is lost',
): number {
  const counts = new Map<string, number>();
  for (const text of values.flatMap(textsOf)) if (text !== '') counts.set(text, (counts.get(text) ?? 0) + 1);
  let [shown, kept, leftOut] = [0, 0, 0];
  for (const [text, times] of sampleOf([...counts])) {
    const had = good.count(text);
    if (had === 0) continue;
    const has = bad.count(text);
    shown += times;
    // As often as before: a short number may stand elsewhere as well.
    if (has >= Math.min(had, times) && has > had - times) kept += times;
    else if (unclear === 'is left out' && times === 1 && has > 0) leftOut += 1;
  }
  if (shown === 0) return 0;
  return shown === leftOut ? 1 : kept / (shown - leftOut);
}

/** Some of many items, spread over all of them. The steps differ, as items of one kind may stand at regular distances. */
function sampleOf<T>(items: readonly T[]): readonly T[] {
  if (items.length <= mostTexts) return items;
  return Array.from({ length: mostTexts }, (_, at) => {
    const place = ((at + ((at * 0.618_034) % 1)) * items.length) / mostTexts;
    return items.slice(Math.floor(place), Math.floor(place) + 1);
  }).flat();
}

/** How a value may stand on a page; a number has a space on both sides, as it is a word. */
function textsOf(value: Value): string[] {
  if (typeof value === 'string') return [plain(value)];
  if (typeof value === 'number') return [` ${plain(String(value))} `];
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((each: Value) => textsOf(each));
  const { amount } = value as Readonly<Record<string, Value | undefined>>;
  return typeof amount === 'string' || typeof amount === 'number' ? [` ${plain(String(amount))} `] : [];
}

/** A text in small letters with single spaces, where numbers are digits alone and end in no zeros behind a point. */
function plain(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/\d[\d.,]*/g, (number) => ` ${digitsOf(number)} `)
    .replaceAll(/\s+/g, ' ')
    .trim();
}

function digitsOf(number: string): string {
  const [, whole = number, rest = ''] = /^(.*?)(?:[.,](\d{1,2}))?[.,]?$/.exec(number) ?? [];
  const decimals = rest.replace(/0+$/, '');
  return `${whole.replaceAll(/[.,]/g, '')}${decimals === '' ? '' : `.${decimals}`}`;
}
