import type { DateLexicon, Duration, Meaning, TimeUnit } from './date-lexicon.ts';
import { type DatePart, datesOf } from './date-parts.ts';
import { type Token, tokensOf } from './date-tokens.ts';

/** A time of day as a text says it. */
export interface ClockTime {
  readonly hour: number;
  readonly minute?: number;
  readonly second?: number;
  readonly ms?: number;
}

/** What a text says of a date, by one way of reading it. */
export interface Phrase {
  readonly year?: number;
  /** The last two digits of a year whose century is not said. */
  readonly shortYear?: number;
  readonly month?: number;
  readonly day?: number;
  /** From 1 for Monday. */
  readonly weekday?: number;
  readonly time?: ClockTime;
  /** Minutes before UTC's clocks. */
  readonly offset?: number;
  /** Amounts of time from the present. */
  readonly shifts?: readonly Duration[];
  /** Amounts of time without a direction. */
  readonly amounts?: readonly Duration[];
}

/** The days of units, roughly, to tell the larger from the smaller. */
const unitSizes: Readonly<Record<TimeUnit, number>> = {
  ...{ year: 365, quarter: 91, month: 30, week: 7, day: 1 },
  ...{ hour: 1 / 24, minute: 1 / 1_440, second: 1 / 86_400 },
};

type Ago = Extract<Meaning, { kind: 'ago' }>['value'];

/** Ways to read a text that are tried, at most. */
const maxSteps = 20_000;

/** Returns the ways in which a whole text can be read as a date; none if it is no date, or has more ways than are tried. */
export function phrasesOf(text: string, lexicon: DateLexicon): readonly Phrase[] {
  const tokens = tokensOf(text, lexicon);
  return tokens === undefined ? [] : new PhraseReader(tokens, lexicon).read();
}

class PhraseReader {
  readonly #tokens: readonly Token[];
  readonly #lexicon: DateLexicon;
  readonly #found: Phrase[] = [];
  #steps = 0;

  constructor(tokens: readonly Token[], lexicon: DateLexicon) {
    this.#tokens = tokens;
    this.#lexicon = lexicon;
  }

  read(): readonly Phrase[] {
    this.#from(0, {});
    return this.#steps > maxSteps ? [] : this.#found;
  }

  #from(at: number, phrase: Phrase): void {
    this.#steps += 1;
    if (this.#steps > maxSteps) return;
    const token = this.#tokens[at];
    if (token === undefined) {
      if (isWhole(phrase)) this.#found.push(phrase);
      return;
    }
    if (this.#isSkipped(at)) this.#from(at + 1, phrase);
    for (const { value } of this.#meanings(at, 'weekday'))
      if (phrase.weekday === undefined) this.#from(at + 1, { ...phrase, weekday: value });
    if (phrase.time === undefined) this.#times(at, (next, time) => this.#from(next, { ...phrase, time }));
    else if (phrase.offset === undefined) this.#offsets(at, (next, offset) => this.#from(next, { ...phrase, offset }));
    if (phrase.shifts === undefined && phrase.amounts === undefined) {
      if (phrase.day === undefined && phrase.month === undefined) {
        this.#dates(at, (next, date) => {
          if (phrase.year === undefined || (date.year ?? date.shortYear) === undefined)
            this.#from(next, { ...phrase, ...date });
        });
        if (phrase.year === undefined)
          this.#amounts(at, (next, amounts) => this.#from(next, { ...phrase, ...amounts }));
      } else if (phrase.year === undefined && phrase.shortYear === undefined && phrase.time !== undefined) {
        const year = this.#number(at, 4);
        if (year !== undefined) this.#from(at + 1, { ...phrase, year });
      }
    }
  }

  /** Whether a token says nothing: a comma, a dash between words, a preposition. */
  #isSkipped(at: number): boolean {
    const token = this.#tokens[at];
    if (token?.kind === 'sign') {
      if ('-–—'.includes(token.sign)) return token.isSpaced && this.#tokens[at + 1]?.isSpaced === true;
      return ',،、;.|()[]@·•'.includes(token.sign);
    }
    return this.#is(at, 'fill');
  }

  #meanings<K extends Meaning['kind']>(at: number, kind: K): readonly Extract<Meaning, { kind: K }>[] {
    const token = this.#tokens[at];
    return token?.kind === 'word'
      ? token.meanings.filter((each): each is Extract<Meaning, { kind: K }> => each.kind === kind)
      : [];
  }

  #is(at: number, kind: Meaning['kind']): boolean {
    return this.#meanings(at, kind).length > 0;
  }

  #isSign(at: number, signs: string, mayBeSpaced = false): boolean {
    const token = this.#tokens[at];
    return token?.kind === 'sign' && signs.includes(token.sign) && (mayBeSpaced || !token.isSpaced);
  }

  /** The number at a token, if it has `least` to `most` digits. */
  #number(at: number, least: number, most = least): number | undefined {
    const token = this.#tokens[at];
    return token?.kind === 'number' && token.digits.length >= least && token.digits.length <= most
      ? Number(token.digits)
      : undefined;
  }

  #isLabel(at: number, field: string): boolean {
    return this.#meanings(at, 'label').some(({ value }) => value.field === field && !value.isBefore);
  }

  #times(at: number, go: (next: number, time: ClockTime) => void): void {
    for (const { value } of this.#meanings(at, 'clock')) go(at + 1, { hour: value, minute: 0 });
    const before = this.#meanings(at, 'hours');
    if (before.length === 0) return this.#clocks(at, (next, time) => this.#halves(next, time, go));
    this.#clocks(at + 1, (next, time) => {
      for (const { value } of before) inHours(time, value, (found) => go(next, found));
    });
  }

  /** What tells AM from PM behind a time. */
  #halves(at: number, time: ClockTime, go: (next: number, time: ClockTime) => void): void {
    for (const { value } of this.#meanings(at, 'hours')) inHours(time, value, (found) => go(at + 1, found));
    // A number alone is no time of day, and one from 1 to 12 with minutes is one of 24 hours.
    if (time.minute !== undefined || this.#isLabel(at - 1, 'hour')) go(at, time);
  }

  #clocks(at: number, go: (next: number, time: ClockTime) => void): void {
    const hour = this.#number(at, 1, 2);
    if (hour === undefined || hour > 23) return;
    const { hasPointTimes } = this.#lexicon;
    const isLabelled = this.#isLabel(at + 1, 'hour') || this.#isHourLetter(at + 1);
    if (isLabelled) {
      go(at + 2, { hour });
      this.#minutes(at + 2, hour, go, true);
    } else if (this.#is(at + 1, 'hours')) go(at + 1, { hour });
    if (this.#isSign(at + 1, ':')) this.#minutes(at + 2, hour, go, false);
    if (this.#isSign(at + 1, '.')) {
      this.#minutes(
        at + 2,
        hour,
        (next, time) => {
          const isSaid = this.#is(next, 'hours') || this.#isLabel(next - 1, 'hour');
          if (hasPointTimes || isSaid) go(next, time);
        },
        false,
      );
    }
    if (this.#tokens[at - 1] !== undefined && this.#is(at - 1, 'hours')) go(at + 1, { hour });
  }

  /** An `h` between hours and minutes, as in `10h11`. */
  #isHourLetter(at: number): boolean {
    return (
      this.#meanings(at, 'unit').some(({ value: [unit] }) => unit === 'hour') &&
      this.#tokens[at]?.isSpaced === false &&
      this.#number(at + 1, 2) !== undefined
    );
  }

  #minutes(at: number, hour: number, go: (next: number, time: ClockTime) => void, isLabelled: boolean): void {
    const minute = this.#number(at, isLabelled ? 1 : 2, 2);
    if (minute === undefined || minute > 59) return;
    const minuteEnd =
      this.#isLabel(at + 1, 'minute') ||
      (isLabelled && this.#meanings(at + 1, 'unit').some(({ value: [unit] }) => unit === 'minute'))
        ? at + 2
        : at + 1;
    const separator = this.#isSign(at - 1, ':.') ? (this.#tokens[at - 1] as { sign: string }).sign : ':';
    const secondAt = this.#isSign(minuteEnd, separator) ? minuteEnd + 1 : minuteEnd;
    const second = secondAt > minuteEnd || isLabelled ? this.#number(secondAt, isLabelled ? 1 : 2, 2) : undefined;
    const end = (next: number): number =>
      this.#isLabel(next, 'hour') || this.#isLabel(next, 'second') ? next + 1 : next;
    if (second === undefined || (isLabelled && !this.#isLabel(secondAt + 1, 'second')))
      return go(end(minuteEnd), { hour, minute });
    if (second > 59) return;
    const fraction = this.#isSign(secondAt + 1, '.,') ? this.#tokens[secondAt + 2] : undefined;
    if (fraction?.kind === 'number' && !fraction.isSpaced && fraction.digits.length <= 9) {
      const ms = Number(fraction.digits.slice(0, 3).padEnd(3, '0'));
      return go(end(secondAt + 3), { hour, minute, second, ms });
    }
    go(end(secondAt + 1), { hour, minute, second });
  }

  #offsets(at: number, go: (next: number, offset: number) => void): void {
    const [zone] = this.#meanings(at, 'zone');
    if (zone !== undefined) go(at + 1, zone.value);
    const isNamed = zone?.value === 0;
    const signAt = isNamed ? at + 1 : at;
    if (!this.#isSign(signAt, '+-−', !isNamed)) return;
    const sign = this.#isSign(signAt, '+', true) ? 1 : -1;
    const token = this.#tokens[signAt + 1];
    if (token?.kind !== 'number' || token.isSpaced) return;
    const { digits } = token;
    const minutesAt = digits.length <= 2 && this.#isSign(signAt + 2, ':') ? this.#number(signAt + 3, 2) : undefined;
    const [hours, minutes] =
      digits.length === 4 ? [Number(digits.slice(0, 2)), Number(digits.slice(2))] : [Number(digits), minutesAt ?? 0];
    // What could end a span of hours, as in `10:00-11:30`, is no offset.
    const isSure =
      isNamed || sign > 0 || (digits.length === 4 && hours < 10 && this.#tokens[signAt]?.isSpaced === true);
    if (!isSure || digits.length === 3 || digits.length > 4 || hours > 14 || ![0, 30, 45].includes(minutes)) return;
    if (digits.length < 3 && minutesAt === undefined && !isNamed && digits.length !== 2) return;
    go(minutesAt === undefined ? signAt + 2 : signAt + 4, sign * (hours * 60 + minutes));
  }

  #dates(at: number, go: (next: number, date: Phrase) => void): void {
    this.#parts(at, [], (next, parts) => {
      for (const date of datesOf(parts, this.#lexicon.orders)) go(next, date);
    });
  }

  /** Two or three numbers and names of months, with what may stand between them. */
  #parts(at: number, before: readonly DatePart[], go: (next: number, parts: readonly DatePart[]) => void): void {
    if (before.length > 1 || before[0]?.label === 'year') go(at, before);
    if (before.length === 3) return;
    let start = at;
    let separator = '';
    let isCut = false;
    if (before.length > 0) {
      for (; start < this.#tokens.length; start += 1) {
        const token = this.#tokens[start];
        if (token?.kind === 'sign' && "./-–,'[]()、،".includes(token.sign)) separator += token.sign;
        else if (this.#is(start, 'fill')) isCut = true;
        else break;
      }
      const token = this.#tokens[start];
      // A colon is of times; two numbers beside each other are of no one date.
      if (
        token === undefined ||
        (separator === '' &&
          !isCut &&
          !token.isSpaced &&
          !before.at(-1)?.label &&
          token.kind === 'number' &&
          before.at(-1)?.month === undefined)
      )
        return;
    }
    const isBefore = this.#meanings(start, 'label').some(({ value }) => value.field === 'month' && value.isBefore);
    const numberAt = isBefore ? start + 1 : start;
    for (const { value } of this.#meanings(start, 'month'))
      if (before.every(({ month }) => month === undefined))
        this.#parts(start + 1, [...before, { month: value, separator }], go);
    const token = this.#tokens[numberAt];
    if (token?.kind !== 'number' || token.digits.length > 4 || token.digits.length === 3) return;
    const { digits } = token;
    const next = numberAt + 1;
    if (this.#isSign(next, ':')) return;
    if (isBefore) return this.#parts(next, [...before, { digits, separator, label: 'month' }], go);
    for (const label of ['year', 'month', 'day'])
      if (this.#isLabel(next, label)) this.#parts(next + 1, [...before, { digits, separator, label }], go);
    if (this.#is(next, 'ordinal') && this.#tokens[next]?.isSpaced === false)
      this.#parts(next + 1, [...before, { digits, separator, label: 'day' }], go);
    this.#parts(next, [...before, { digits, separator: isCut ? `${separator} ` : separator }], go);
  }

  #amounts(at: number, go: (next: number, found: Pick<Phrase, 'shifts' | 'amounts'>) => void): void {
    // A preposition may make another word of it: "am Morgen" is not tomorrow.
    if (!this.#is(at - 1, 'fill')) for (const { value } of this.#meanings(at, 'shift')) go(at + 1, { shifts: [value] });
    const marks = ['', ...this.#meanings(at, 'mark').map(({ value }) => value)];
    for (const mark of marks) {
      const start = this.#pastFills(mark === '' ? at : at + 1);
      this.#counts(start, [], (next, amounts, agos, isCounted) => {
        for (const behind of ['', ...this.#meanings(next, 'mark').map(({ value }) => value)]) {
          const end = behind === '' ? next : next + 1;
          // A whole phrase of the language says which unit a letter stands for.
          const exact = agos.filter((ago) => ago.before === mark && ago.behind === behind);
          for (const { by } of exact)
            go(end, { shifts: amounts.map(([, amount]): Duration => [by[0], amount * by[1]]) });
          if (exact.length > 0) continue;
          if (start === 0 && behind === '' && isCounted && isAmount(amounts) && !this.#isLabel(next - 1, 'day'))
            go(end, { amounts });
          for (const sign of this.#lexicon.signs.get(`${mark}|${behind}`) ?? [])
            go(end, { shifts: amounts.map(([unit, amount]): Duration => [unit, amount * sign]) });
        }
      });
    }
  }

  #pastFills(at: number): number {
    let start = at;
    while (this.#is(start, 'fill') && !this.#is(start, 'count') && !this.#is(start, 'one')) start += 1;
    return start;
  }

  /** Amounts of time, one after the other; with the whole phrases that a single one may be of. */
  #counts(
    at: number,
    before: readonly Duration[],
    go: (next: number, amounts: readonly Duration[], agos: readonly Ago[], isCounted: boolean) => void,
    size = Infinity,
  ): void {
    if (before.length === 0) for (const { value } of this.#meanings(at, 'one')) go(at + 1, [[value, 1]], [], false);
    const { amount, next } = this.#amountAt(at);
    if (amount === undefined) return;
    const agos = before.length > 0 ? [] : this.#meanings(next, 'ago').map(({ value }) => value);
    const units = this.#meanings(next, 'unit').map(({ value }) => value);
    if (units.length === 0 && agos.length > 0) go(next + 1, [['second', amount]], agos, true);
    for (const [unit, factor] of units) {
      const ownSize = unitSizes[unit] * factor;
      if (ownSize >= size) continue;
      const all: readonly Duration[] = [...before, [unit, amount * factor]];
      go(next + 1, all, agos, true);
      const comma = this.#isSign(next + 1, ',', true) ? next + 2 : next + 1;
      this.#counts(this.#pastFills(comma), all, go, ownSize);
    }
  }

  #amountAt(at: number): { readonly amount?: number; readonly next: number } {
    const [count] = this.#meanings(at, 'count');
    if (count !== undefined) return { amount: count.value, next: at + 1 };
    const amount = this.#number(at, 1, 9);
    if (amount === undefined) return { next: at };
    const fraction = this.#isSign(at + 1, '.,') ? this.#tokens[at + 2] : undefined;
    return fraction?.kind === 'number' && !fraction.isSpaced && fraction.digits.length <= 2
      ? { amount: Number(`${amount}.${fraction.digits}`), next: at + 3 }
      : { amount, next: at + 1 };
  }
}

/** Whether amounts of time can do without a word of direction. Russian also writes a year of four digits as `2000 год`. */
function isAmount(amounts: readonly Duration[]): boolean {
  return amounts.every(([unit, amount]) => unit !== 'year' || amount < 1_000);
}

function isWhole({ year, month, weekday, time, shifts, amounts }: Phrase): boolean {
  // A year alone is beside nothing else.
  if (year !== undefined && month === undefined) return weekday === undefined && time === undefined;
  return (
    month !== undefined || weekday !== undefined || time !== undefined || shifts !== undefined || amounts !== undefined
  );
}

/** Finds the hour that a time has in a part of the day, if there is one. */
function inHours(time: ClockTime, hours: number, go: (time: ClockTime) => void): void {
  const { hour } = time;
  const candidates = hour === 0 || hour > 12 ? [hour] : [hour % 12, (hour % 12) + 12];
  const fitting = candidates.filter((each) => (hours & (1 << each)) !== 0);
  const [only] = fitting;
  if (only !== undefined && fitting.length === 1) go({ ...time, hour: only });
}
