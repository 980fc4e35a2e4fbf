import { currenciesOf, type CurrencyOptions } from './currency.ts';
import { Refused } from './field-type.ts';
import { matchAt, perAt, priceWords } from './price-words.ts';

/** One of the prices of a text, as it is written. */
export interface WrittenPrice {
  /** The number, with its sign. */
  readonly number: string;
  readonly per?: string;
  readonly from?: true;
}

/** The prices of a text. */
export interface PriceText {
  readonly prices: readonly WrittenPrice[];
  /** The currencies that every sign of the text may mean; undefined where there is none. */
  readonly currencies: readonly string[] | undefined;
  /** The first sign. */
  readonly sign: string;
  /** Whether one sign stands for several prices that make no range: they may be anything unless they are equal. */
  readonly isLoose: boolean;
}

/** A part of a text; the letter of its kind makes the text's shape, such as `FSNP` for "from €5 / month". */
interface Token {
  /** Number, sign, per, from, label, taxed, to, minus, dash, other mark between prices, opening, end mark. */
  readonly kind: 'N' | 'S' | 'P' | 'F' | 'L' | 'X' | 'T' | 'M' | 'D' | '/' | '(' | '*';
  /** The characters of the token in the text. For kind `P`, the unit that the price is for, such as `month`. */
  readonly text: string;
  readonly end: number;
  /** The currencies that a sign may mean. */
  readonly codes?: readonly string[];
}

const before = '(?:M?S{0,2}|S{1,2}M)';
const behind = String.raw`S{0,2}(?:[PX*]|\((?=P))*`;
/** What may stand in a text: prices, each with what belongs to it, and what parts them. */
const wholeForm = new RegExp(`^X?L?X?F?${before}N${behind}(?:[TD/(]?F?S{0,2}N${behind})*$`);
const priceForm = /(F?)([MS]*)N[SX*(]*(P?)/g;

/** Reads the prices of a text whose white space is single blanks. Every word in it must be known: "off" or "save" says something else. */
export function readPrices(text: string, options: CurrencyOptions): PriceText | Refused {
  const tokens: Token[] = [];
  for (let at = 0; at < text.length;) {
    const token = tokenAt(text, at, options);
    if (token === undefined) return new Refused(`a price without "${/[^\d ]+|./u.exec(text.slice(at))?.[0] ?? ''}"`);
    tokens.push(token);
    at = text[token.end] === ' ' ? token.end + 1 : token.end;
  }
  const shape = tokens.map(({ kind }) => kind).join('');
  if (!wholeForm.test(shape)) return new Refused(shape.includes('N') ? 'a price' : 'a price with a number');
  const signs = tokens.filter(({ kind }) => kind === 'S');
  const currencies = signs
    .map(({ codes = [] }) => codes)
    .reduce<readonly string[] | undefined>(
      (all, codes) => all?.filter((code) => codes.includes(code)) ?? codes,
      undefined,
    );
  if (currencies?.length === 0) return new Refused('a price in one currency');
  const core = shape.replaceAll(/[^SN]/g, '');
  const isEach = signs.length === 0 || /^(?:(?:S+N)+S*|(?:NS+)+)$/.test(core);
  // Numbers without any sign may be a date or a size: `25-09`.
  const isBare = signs.length === 0 && /\d[-\u2013\u2014]\d/.test(text);
  if (isBare || (!isEach && !/^(?:S+N+|N+S+)$/.test(core))) return new Refused('a price with its currency');
  return {
    prices: Array.from(shape.matchAll(priceForm), (found) => priceOf(found, tokens)),
    currencies,
    sign: signs[0]?.text ?? '',
    isLoose: !isEach && /N[^TD]*N/.test(shape),
  };
}

function priceOf(found: RegExpExecArray, tokens: readonly Token[]): WrittenPrice {
  const [whole, from = '', leading = '', per = ''] = found;
  const number = tokens[found.index + from.length + leading.length]?.text ?? '';
  const last = tokens[found.index + whole.length - 1]?.text ?? '';
  return {
    number: `${leading.includes('M') ? '-' : ''}${number.replace(/[.,:][-\u2013\u2014]+$/u, '')}`,
    ...(per !== '' && { per: last }),
    ...(from !== '' && { from: true }),
  };
}

const numberForm =
  /(?:(?:\d{1,3}(?: \d{3})+(?!\d)|\d+)(?:[.,'’\u066b\u066c]\d+)*|\.\d+)(?:[.,:][-\u2013\u2014]{1,2}(?!\d))?/uy;
const wordsForm = /[^\d ]+(?: [^\d ]+){0,3}/uy;
const markForm = /(?:[A-Z]{1,3} ?)?\p{Sc}(?:[A-Z]{2,3}(?!\p{L}))?/uy;

function tokenAt(text: string, at: number, options: CurrencyOptions): Token | undefined {
  const [number] = matchAt(numberForm, text, at) ?? [];
  if (number !== undefined) return { kind: 'N', text: number, end: at + number.length };
  for (const { kind, form } of priceWords) {
    const [word] = matchAt(form, text, at) ?? [];
    if (word !== undefined) return { kind, text: word, end: at + word.length };
  }
  const per = at === 0 ? undefined : perAt(text, at, options.locale);
  if (per !== undefined) return { kind: 'P', ...per };
  return signAt(text, at, options) ?? markAt(text, at);
}

/** The longest text at a place that means a currency. */
function signAt(text: string, at: number, options: CurrencyOptions): Token | undefined {
  const [words = ''] = matchAt(wordsForm, text, at) ?? [];
  const runs = [4, 3, 2, 1].map((count) => words.split(' ').slice(0, count).join(' '));
  const candidates = new Set([
    // A point behind a mark such as `$` belongs to the number, but `kr.` is a sign.
    ...runs
      .flatMap((run) => [run, run.replace(/[-\u2013\u2014:;,()*|!/ ]+$/u, '')])
      .filter((run) => !/\p{Sc}\.+$/u.test(run)),
    matchAt(markForm, text, at)?.[0] ?? '',
    /^\p{Sc}/u.exec(words)?.[0] ?? '',
    // What a price is for may follow without a blank: `EUR/month`.
    /^[^/( ]*/u.exec(words)?.[0] ?? '',
  ]);
  for (const sign of candidates) {
    const codes = sign === '' ? [] : currenciesOf(sign, options);
    if (codes.length > 0) {
      const end = at + sign.length;
      return { kind: 'S', text: sign, codes, end: text[end] === ':' ? end + 1 : end };
    }
  }
  return undefined;
}

/** A dash that is open on its right side only is a minus. */
function markAt(text: string, at: number): Token | undefined {
  const mark = text[at] ?? '';
  const isAfterBlank = at === 0 || text[at - 1] === ' ';
  const isBeforeBlank = text[at + 1] === ' ' || at + 1 === text.length;
  const token = (kind: Token['kind']): Token => ({ kind, text: mark, end: at + 1 });
  if (mark === '\u2212' || mark === '-') {
    if (isAfterBlank === isBeforeBlank) return token(isAfterBlank || /[\d]/.test(text[at - 1] ?? '') ? 'D' : 'M');
    return isAfterBlank ? token('M') : /\d/.test(text[at - 1] ?? '') ? undefined : token('M');
  }
  if (/[\u2013\u2014]/.test(mark)) return token('D');
  if (/[/|(]/.test(mark)) return token(mark === '(' ? '(' : '/');
  return /[*)]/.test(mark) ? token('*') : undefined;
}
