import { LRUCache } from 'lru-cache';
import {
  type DateLexicon,
  type Meaning,
  mayPart,
  type NumberField,
  type NumberOrder,
  type TimeUnit,
  timeUnits,
} from './date-lexicon.ts';
import { extraWords, zoneOffsets } from './date-words.ts';
import { plainDigit } from './plain-text.ts';

/** Making a lexicon takes some 10 ms, and the first of a process 50 ms. */
const lexicons = new LRUCache<string, DateLexicon>({ max: 50, memoMethod: (locale) => lexiconOf(locale) });

/** Returns the words of a language's dates. */
export function dateLexicon(locale: string): DateLexicon {
  return lexicons.memo(locale);
}

/** Returns a phrase for why a language's dates cannot be read; undefined if they can. */
export function calendarFault(locale: string): string | undefined {
  const { calendar } = new Intl.DateTimeFormat(locale).resolvedOptions();
  return calendar === 'gregory'
    ? undefined
    : `its years are of the calendar "${calendar}": write "${new Intl.Locale(locale, { calendar: 'gregory' }).toString()}" where a page has those of the common era`;
}

/** What stands before and behind the number in a phrase for an amount of time. */
interface AmountForm {
  readonly unit: TimeUnit;
  readonly amount: number;
  readonly before: string;
  readonly behind: string;
}

/** Numbers of every plural form that a language has. */
const samples = [1, 2, 3, 5, 8, 11, 20, 21, 22, 25, 100, 1_000_000];

/** The units that a word may mean. Where a language shortens months to one letter, its pages may mean minutes by it. */
function meantBy(word: string, unit: TimeUnit): readonly TimeUnit[] {
  return unit === 'month' && word.length === 1 ? ['month', 'minute'] : [unit];
}

/** The words with which all texts begin. */
function sharedStart(texts: readonly string[]): string {
  const [first = '', ...others] = texts;
  let length = first.length;
  for (const text of others) while (!text.startsWith(first.slice(0, length))) length -= 1;
  const isWhole = (at: number): boolean =>
    at === 0 || texts.every((text) => text.length === at || mayPart(text.charAt(at - 1), text.charAt(at)));
  while (!isWhole(length)) length -= 1;
  return first.slice(0, length).trim();
}

function reversed(text: string): string {
  return Array.from(text).toReversed().join('');
}

function wordsOf(text: string): string[] {
  return text.match(/[\p{L}\p{M}'’.]+/gu) ?? [];
}

function numberField(part: Intl.DateTimeFormatPart | undefined): NumberField | undefined {
  if (part === undefined || !/^\d+$/.test(part.value)) return undefined;
  const fields: readonly string[] = ['year', 'month', 'day', 'hour', 'minute', 'second'] satisfies NumberField[];
  return fields.includes(part.type) ? (part.type as NumberField) : undefined;
}

function numericForm(locale: Intl.Locale): { readonly order: NumberOrder; readonly hasPointTimes: boolean } {
  const parts = new Intl.DateTimeFormat(locale, {
    ...{ year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric' },
    timeZone: 'UTC',
  }).formatToParts(0);
  const order = parts.map(({ type }) => ({ year: 'y', month: 'm', day: 'd' })[type as string] ?? '').join('');
  const hour = parts.findIndex(({ type }) => type === 'hour');
  return { order: order === 'mdy' || order === 'ymd' ? order : 'dmy', hasPointTimes: parts[hour + 1]?.value === '.' };
}

/** Text in the form in which words are looked up: in lower case, with plain digits, spaces and apostrophes, without marks of abbreviation and of direction. */
function folded(text: string, locale: string): string {
  return text
    .normalize('NFKC')
    .replaceAll(/[\p{Cf}\u034f]/gu, '')
    .replaceAll(/\p{Nd}/gu, plainDigit)
    .toLocaleLowerCase(locale)
    .normalize('NFC')
    .replaceAll(/['`´‘’ʻʼʹ′‵՚ꞌ]/g, "'")
    .replaceAll(/(?<=[\p{L}\p{M}])[.॰׳]/gu, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

function unaccented(word: string): string {
  return /\p{Script=Latin}/u.test(word)
    ? word
        .normalize('NFD')
        .replaceAll(/\p{Mn}/gu, '')
        .normalize('NFC')
    : word;
}

function lexiconOf(tag: string): DateLexicon {
  const locale = new Intl.Locale(tag, { calendar: 'gregory', numberingSystem: 'latn' });
  const words = new Map<string, Meaning[]>();
  const signs = new Map<string, Set<number>>();
  const fold = (text: string): string => folded(text, tag);
  const bare = (text: string): string => fold(text).replaceAll(/^[^\p{L}\p{M}\p{N}]+|[^\p{L}\p{M}\p{N}]+$/gu, '');

  addNames();
  addParts();
  addHours();
  addUnits();
  addPhrases();
  addExtras();
  addUnaccented();
  const { order, hasPointTimes } = numericForm(locale);
  return {
    words,
    lengths: [...new Set([...words.keys()].map((word) => word.length))].toSorted((a, b) => b - a),
    signs,
    // English is the one language whose regions do not agree.
    orders: locale.language === 'en' && locale.region === undefined ? ['dmy', 'mdy', 'ymd'] : [order],
    hasPointTimes,
    fold,
  };

  function add(text: string, meaning: Meaning): void {
    const word = bare(text);
    if (!/\p{L}/u.test(word)) return;
    const known = words.get(word) ?? [];
    if (known.some((each) => JSON.stringify(each) === JSON.stringify(meaning))) return;
    words.set(word, [...known, meaning]);
  }

  function addSign(before: string, behind: string, sign: number): void {
    const [one, other] = [bare(before), bare(behind)];
    if (one === '' && other === '') return;
    const key = `${one}|${other}`;
    signs.set(key, (signs.get(key) ?? new Set()).add(sign));
    for (const value of [one, other]) if (value !== '') add(value, { kind: 'mark', value });
  }

  /** A name, and its beginnings of three letters and more, as pages shorten it. */
  function addName(name: string, kind: 'month' | 'weekday', value: number): void {
    add(name, { kind, value });
    const letters = /^[\p{L}\p{M}]+(?=\.?$)/u.exec(name)?.[0] ?? '';
    if (/^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{M}]+$/u.test(letters))
      for (let length = 3; length < letters.length; length += 1) add(letters.slice(0, length), { kind, value });
  }

  function addNames(): void {
    for (const width of ['long', 'short'] as const) {
      for (const beside of [{}, { day: 'numeric' }, { year: 'numeric' }, { day: 'numeric', year: 'numeric' }] as const)
        for (let month = 1; month <= 12; month += 1)
          for (const name of partsOf({ month: width, ...beside }, Date.UTC(2026, month - 1, 5), 'month')) {
            const [, before = '', digits, behind = ''] = /^(.*?)(\d+)(.*)$/.exec(name) ?? [];
            if (digits === undefined) addName(name, 'month', month);
            else {
              add(before, { kind: 'label', value: { field: 'month', isBefore: true } });
              add(behind, { kind: 'label', value: { field: 'month', isBefore: false } });
            }
          }
      for (const beside of [{}, { day: 'numeric', month: 'long' }] as const)
        for (let day = 1; day <= 7; day += 1)
          // 5 January 2026 is a Monday.
          for (const name of partsOf({ weekday: width, ...beside }, Date.UTC(2026, 0, 4 + day), 'weekday'))
            addName(name, 'weekday', day);
    }
  }

  /** The words between the parts of dates. What follows a number directly names it, as in `5日`. */
  function addParts(): void {
    const forms: Intl.DateTimeFormatOptions[] = [
      { hour: 'numeric' },
      { hour: 'numeric', minute: 'numeric', second: 'numeric' },
    ];
    for (const dateStyle of ['full', 'long', 'medium'] as const)
      for (const timeStyle of ['short', 'long', undefined] as const)
        forms.push({ dateStyle, ...(timeStyle && { timeStyle }) });
    forms.push({ month: 'long', year: 'numeric' }, { month: 'long', day: 'numeric' });
    for (const form of forms) {
      const parts = format(form, Date.UTC(2026, 2, 9, 14, 5, 7));
      for (const [index, { type, value }] of parts.entries()) {
        if (type === 'era') add(value, { kind: 'fill', value: true });
        if (type !== 'literal') continue;
        const before = parts[index - 1];
        const field = numberField(before);
        const isTime = field === 'hour' || field === 'minute' || field === 'second';
        const [first = '', ...others] = wordsOf(value);
        if (field !== undefined) add(first, { kind: 'label', value: { field, isBefore: false } });
        if (!isTime && (field === undefined || !/^[\p{L}\p{M}]/u.test(value)))
          add(first, { kind: 'fill', value: true });
        for (const word of others) add(word, { kind: 'fill', value: true });
        if (others.length > 0 && !isTime) add(value, { kind: 'fill', value: true });
        // Hebrew writes the preposition as a part of the month's name.
        const after = parts[index + 1];
        if (after?.type === 'month' && /\p{L}$/u.test(value)) prefixMonths(wordsOf(value).at(-1) ?? '');
      }
    }
  }

  function prefixMonths(prefix: string): void {
    for (const [word, meanings] of words)
      for (const meaning of meanings)
        if (meaning.kind === 'month' && !word.startsWith(prefix)) add(`${prefix}${word}`, meaning);
  }

  function addHours(): void {
    for (const form of [
      { hour12: true },
      ...(['long', 'short', 'narrow'] as const).map((dayPeriod) => ({ dayPeriod, hour12: true })),
    ]) {
      const hours = new Map<string, number>();
      for (let hour = 0; hour < 24; hour += 1)
        for (const name of partsOf({ hour: 'numeric', ...form }, Date.UTC(2026, 2, 9, hour), 'dayPeriod'))
          hours.set(name, (hours.get(name) ?? 0) | (1 << hour));
      for (const [name, value] of hours)
        for (const written of [name, name.replaceAll(/[\s.]/g, '')]) add(written, { kind: 'hours', value });
    }
    add('am', { kind: 'hours', value: 0xfff });
    add('pm', { kind: 'hours', value: 0xfff000 });
  }

  /** The units of amounts without a direction, as in `5 min`. */
  function addUnits(): void {
    for (const unit of timeUnits)
      for (const unitDisplay of ['long', 'short', 'narrow'] as const) {
        if (unit === 'quarter') continue;
        const format = new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay });
        for (const amount of samples)
          for (const { type, value } of format.formatToParts(amount)) if (type === 'unit') addUnit(value, unit);
      }
  }

  function addUnit(text: string, unit: TimeUnit): void {
    for (const meant of meantBy(bare(text), unit)) add(text, { kind: 'unit', value: [meant, 1] });
  }

  function addPhrases(): void {
    for (const style of ['long', 'short', 'narrow'] as const) {
      for (const sign of [-1, 1]) {
        const forms: AmountForm[] = [];
        for (const numeric of ['always', 'auto'] as const) {
          const format = new Intl.RelativeTimeFormat(locale, { style, numeric });
          for (const unit of timeUnits)
            for (const amount of numeric === 'always' ? samples : [0, 1, 2, 3]) {
              const parts = format.formatToParts(amount * sign, unit);
              const at = parts.findIndex(({ type }) => type !== 'literal');
              const end = parts.findLastIndex(({ type }) => type !== 'literal') + 1;
              const [before, behind] = [parts.slice(0, Math.max(at, 0)), parts.slice(end)].map((some) =>
                some.map(({ value }) => value).join(''),
              ) as [string, string];
              if (at < 0) add(behind, { kind: 'shift', value: [unit, amount * sign] });
              // A sign alone is no direction: it may be a dash.
              else if (!/[-+\u2212]/.test(before))
                forms.push({ unit, amount, before: bare(before), behind: bare(behind) });
            }
        }
        addForms(forms, sign);
      }
    }
  }

  /** What all units share tells the direction; the rest is the unit. */
  function addForms(forms: readonly AmountForm[], sign: number): void {
    const before = sharedStart(forms.map((form) => form.before));
    const behind = reversed(sharedStart(forms.map((form) => reversed(form.behind))));
    // Where one more word is left beside the unit, it may belong to the direction.
    if (behind !== '' || forms.every((form) => !form.behind.includes(' '))) addSign(before, behind, sign);
    const plural = new Set(forms.filter(({ amount }) => amount % 10 !== 1).map((form) => form.behind));
    for (const form of forms) {
      const unit = form.behind.slice(0, form.behind.length - behind.length);
      for (const value of [form.before, behind]) add(value, { kind: 'mark', value });
      for (const meant of meantBy(unit, form.unit))
        add(unit, { kind: 'ago', value: { by: [meant, sign], before: form.before, behind } });
      if (before + behind !== '' && form.before === before) addUnit(unit, form.unit);
      if (form.amount === 1 && !plural.has(form.behind)) add(unit, { kind: 'one', value: form.unit });
    }
  }

  function addExtras(): void {
    for (const [name, hours] of Object.entries(zoneOffsets)) add(name, { kind: 'zone', value: hours * 60 });
    const extra = extraWords[locale.language];
    if (extra === undefined) return;
    for (const word of extra.years?.split(' ') ?? [])
      add(word, { kind: 'label', value: { field: 'year', isBefore: false } });
    for (const word of extra.fill?.split(' ') ?? []) add(word, { kind: 'fill', value: true });
    for (const [index, some] of (extra.numbers?.split(' ') ?? []).entries())
      for (const word of some.split('|')) add(word, { kind: 'count', value: index + 1 });
    for (const word of extra.ordinals?.split(' ') ?? []) add(word, { kind: 'ordinal', value: true });
    for (const [before, behind] of extra.past ?? []) addSign(before, behind, -1);
    for (const [before, behind] of extra.future ?? []) addSign(before, behind, 1);
    for (const [word, value] of Object.entries(extra.units ?? {})) add(word, { kind: 'unit', value });
    for (const [word, value] of Object.entries(extra.phrases ?? {})) add(word, { kind: 'shift', value });
    for (const [word, value] of Object.entries(extra.clocks ?? {})) add(word, { kind: 'clock', value });
    for (const [word, value] of Object.entries(extra.months ?? {})) add(word, { kind: 'month', value });
    for (const [word, value] of Object.entries(extra.weekdays ?? {})) add(word, { kind: 'weekday', value });
  }

  /** Names as pages write them that leave marks out, as capitals often do in French. */
  function addUnaccented(): void {
    for (const [word, meanings] of words) {
      const plain = unaccented(word);
      if (plain !== word) for (const meaning of meanings) add(plain, meaning);
    }
  }

  function format(options: Intl.DateTimeFormatOptions, at: number): Intl.DateTimeFormatPart[] {
    return new Intl.DateTimeFormat(locale, { ...options, timeZone: 'UTC' }).formatToParts(at);
  }

  function partsOf(options: Intl.DateTimeFormatOptions, at: number, type: Intl.DateTimeFormatPartTypes): string[] {
    return format(options, at).flatMap((part) => (part.type === type ? [part.value] : []));
  }
}
