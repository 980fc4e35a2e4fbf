import { type Book } from '../book.ts';
import { longLength } from '../../extract/value/plain-text.ts';
import { anyOf, findAll, fittingGroups, patternLength, wordOrPattern } from '../pattern.ts';
import { cssPlace, jqPlace, jsonPlace, type Place, placeLength, xpathPlace } from '../place.ts';

/** The rules of a watch, with those of its groups and of all watches. */
export interface WatchRules {
  readonly includes: readonly string[];
  readonly removes: readonly string[];
  readonly ignoredTexts: readonly string[];
  readonly extracts: readonly string[];
  readonly linesWith: readonly string[];
  readonly isSorted: boolean;
  readonly isUnique: boolean;
}

/** How a page is read. */
export interface TextRule {
  /** The keys of the definition that say how the page is opened. */
  readonly document: Readonly<Record<string, unknown>>;
  /** The rule of the field `text`. */
  readonly text: Readonly<Record<string, unknown>>;
  /** Filters that snapshots went through too, and that are run on them again without a loss. */
  readonly again: readonly object[];
}

/** What a page is, by the media type that its last answer had. */
type Kind = 'html' | 'json' | 'xml' | 'text';

function kindOf(contentType: string, includes: readonly string[], isSource: boolean): Kind {
  const hasJson = includes.some((each) => /^(?:json|jq|jqraw):/.test(each));
  if (/json/.test(contentType) || (contentType === '' && hasJson)) return 'json';
  if (isSource) return 'text';
  if (/html/.test(contentType) || contentType === '') return 'html';
  return /xml|rss|atom/.test(contentType) ? 'xml' : contentType.startsWith('text/') ? 'text' : 'html';
}

/** Translates the filters of a watch. What has no counterpart is noted. */
export function textRule(
  book: Book,
  label: string,
  rules: WatchRules,
  { contentType, isSource }: { readonly contentType: string; readonly isSource: boolean },
): TextRule {
  const kind = kindOf(contentType.toLowerCase(), rules.includes, isSource);
  const given = rules.includes.flatMap((each) => placeIn(book, label, each, kind));
  const places = given.slice(0, fittingPlaces(given));
  if (places.length < given.length)
    book.leave(label, `filters after the first ${places.length}`, 'a field has no room for more');
  if (rules.includes.length > 0 && places.length === 0)
    book.leave(label, 'all of its filters', 'the page is watched as a whole');
  const ignore = rules.removes.flatMap((each) => removedIn(book, label, each, kind));
  const { filters, again, mayBeEmpty } = lineFilters(book, label, rules);
  const required = mayBeEmpty ? {} : { required: true };
  const cut = { cut: longLength };
  if (kind === 'json')
    return {
      document: { provider: 'json' },
      text: { ...jsonRule(book, label, places), ...withFilters(book, label, filters), ...required },
      again: [],
    };
  const joined = [{ join: '\n' }, ...filters, cut];
  if (kind === 'text' || (kind === 'xml' && places.length === 0))
    return {
      document: { provider: 'text' },
      text: { json: '$.text', filters: [...(filters.length > 0 ? filters : ['lines']), cut], ...required },
      again,
    };
  const document = {
    ...(kind === 'xml' && { provider: 'xml' }),
    ...(kind === 'html' && { tree: 'browser' }),
    ...(ignore.length > 0 && { ignore: ignore.slice(0, 50) }),
  };
  if (ignore.length > 50) book.leave(label, 'elements to remove after the first 50', 'a definition has no more');
  if (places.length === 0)
    return { document, text: { css: 'body', take: 'lines', filters: [...filters, cut], ...required }, again };
  const [first] = places;
  const embedded = places.find(({ by }) => by === 'json');
  if (embedded !== undefined)
    return {
      document,
      text: { json: embedded.text, in: 'ld+json', type: 'json', ...withFilters(book, label, filters), ...required },
      again: [],
    };
  const isOne = places.every(({ by }) => by === first?.by);
  const found = (by: 'css' | 'xpath', texts: readonly string[]) => ({ [by]: texts.join(by === 'css' ? ', ' : ' | ') });
  if (isOne && first !== undefined && first.by !== 'json')
    return {
      document,
      text: {
        ...found(
          first.by,
          places.map(({ text }) => text),
        ),
        take: 'lines',
        filters: joined,
        ...required,
      },
      again,
    };
  book.leave(label, 'selectors beside XPaths', 'the first that finds something is taken, not all one after the other');
  const any = places.map(({ by, text }) => ({ [by]: text, take: 'lines' }));
  return { document, text: { any, filters: joined, ...required }, again };
}

type Found = Extract<Place, { readonly ok: true }>;

/** The most places of a rule that are tried one after the other. */
const mostPlaces = 20;

/** How many of the first places a rule has room for: as one list of selectors, or of XPaths, or one by one where they are of several kinds. */
function fittingPlaces(places: readonly Found[]): number {
  const isOne = places.every(({ by }) => by === places[0]?.by);
  if (!isOne) return mostPlaces;
  if (places[0]?.by === 'json') return places.length;
  let length = 0;
  const past = places.findIndex(({ text }) => (length += text.length + ' | '.length) > placeLength);
  return past < 0 ? places.length : Math.max(1, past);
}

function placeIn(book: Book, label: string, filter: string, kind: Kind): Found[] {
  const given = filter.trim();
  if (given === '') return [];
  const [, prefix = '', rest = given] = /^(xpath1?|json|jq|jqraw|css):(.*)$/s.exec(given) ?? [];
  const place =
    prefix === 'json'
      ? jsonPlace(rest.trim().startsWith('$') ? rest : `$.${rest.trim()}`)
      : prefix.startsWith('jq')
        ? jqPlace(rest)
        : prefix.startsWith('xpath') || given.startsWith('/')
          ? xpathPlace(prefix === '' ? given : rest)
          : cssPlace(rest);
  const misplaced = place.ok && (place.by === 'json') !== (kind === 'json') && (place.by !== 'json' || kind !== 'html');
  if (place.ok && !misplaced && kind !== 'text') return [place];
  book.leave(
    label,
    `the filter ${quoted(filter)}`,
    place.ok ? `it finds nothing in ${kind === 'json' ? 'JSON' : `a document of ${kind}`}` : place.why,
  );
  return [];
}

function removedIn(book: Book, label: string, selector: string, kind: Kind): string[] {
  const given = selector.trim();
  if (given === '') return [];
  const isXPath = /^(?:\/|xpath1?:|\()/.test(given);
  const place = isXPath ? undefined : cssPlace(given);
  if (place?.ok === true && (kind === 'html' || kind === 'xml')) return [place.text];
  const why = isXPath
    ? 'elements are taken out by CSS selectors'
    : place?.ok === false
      ? place.why
      : `there are no elements in ${kind}`;
  book.leave(label, `the element to remove ${quoted(selector)}`, why);
  return [];
}

function jsonRule(book: Book, label: string, places: readonly Found[]): Readonly<Record<string, unknown>> {
  const [first, ...others] = places;
  if (others.length > 0)
    book.leave(label, 'JSON paths after the first', 'a field has one: add fields to its definition');
  const path = first?.text ?? '$';
  return /\*|\.\.|\?|:/.test(path) ? { json: path, type: 'array', of: { type: 'json' } } : { json: path, type: 'json' };
}

/** JSON is compared as JSON, of which no filter of lines leaves a part. */
function withFilters(book: Book, label: string, filters: readonly unknown[]): object {
  if (filters.length > 0)
    book.leave(label, 'its filters of lines and texts', 'JSON is compared as values: name what matters by a JSON path');
  return {};
}

interface LineFilters {
  readonly filters: readonly unknown[];
  readonly again: readonly object[];
  readonly mayBeEmpty: boolean;
}

function lineFilters(book: Book, label: string, rules: WatchRules): LineFilters {
  const { ignoredTexts, extracts, linesWith, isSorted, isUnique } = rules;
  const read = (what: string, given: readonly string[]) =>
    given.flatMap((each) => {
      if (each.trim() === '') return [];
      const pattern = wordOrPattern(each);
      if (pattern.ok) return [pattern];
      book.leave(label, `the ${what} ${quoted(each)}`, pattern.why);
      return [];
    });
  const dropped = read('text to ignore', ignoredTexts);
  const [across, within] = [
    dropped.filter(({ spansLines }) => spansLines),
    dropped.filter(({ spansLines }) => !spansLines),
  ];
  const kept = firstFitting(book, label, 'texts of lines to keep', read('text of lines to keep', linesWith));
  const found = firstFitting(book, label, 'texts to extract', read('text to extract', extracts));
  const again = [
    ...across.map(({ pattern }) => ({ replace: { from: pattern, to: '' } })),
    ...fittingGroups(within.map(({ pattern }) => pattern)).map((group) => ({ lines: { drop: anyOf(group) } })),
    ...(kept.length > 0 ? [{ lines: { keep: anyOf(kept) } }] : []),
  ];
  const order = { ...(isUnique && { unique: true }), ...(isSorted && { sort: true }) };
  return {
    filters: [
      ...again,
      ...(found.length > 0 ? findAll(found, 'groups') : []),
      ...(isSorted || isUnique ? [{ lines: order }] : []),
    ],
    again: [...again, ...(isSorted || isUnique ? [{ lines: order }] : [])],
    mayBeEmpty: again.length > 0 || found.length > 0,
  };
}

/** Characters that `findAll` puts around patterns, and some more. */
const around = 50;

/** The first patterns that one filter has room for; others are noted. */
function firstFitting(
  book: Book,
  label: string,
  what: string,
  given: readonly { readonly pattern: string }[],
): readonly string[] {
  const [first = [], ...others] = fittingGroups(
    given.map(({ pattern }) => pattern),
    around,
  );
  if (others.length > 0)
    book.leave(label, `${what} after the first ${first.length}`, `a filter has ${patternLength} characters`);
  return first;
}

/** A rule of the other tool as a note quotes it. */
export function quoted(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ');
  return `"${line.length > 80 ? `${line.slice(0, 79)}…` : line}"`;
}
