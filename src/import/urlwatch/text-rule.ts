import { longLength } from '../../extract/value/plain-text.ts';
import type { Book } from '../book.ts';
import { findAll, pythonPattern } from '../pattern.ts';
import { cssPlace, jqPlace, type Place, xpathPlace } from '../place.ts';
import type { UrlwatchFilter } from './filters.ts';

/** How the page of a job is read. */
export interface TextRule {
  readonly document: Readonly<Record<string, unknown>>;
  readonly text: Readonly<Record<string, unknown>>;
}

/** Endings of addresses whose documents are no HTML. */
const plainEndings = /\.(?:txt|text|md|csv|tsv|log|ics|json|xml|rss|atom|ya?ml|ini|cfg|conf|js|css|patch|diff)$/i;

/** Filters of a text that leave it as it is for a comparison by lines. */
const idle: ReadonlySet<string> = new Set(['strip', 'striplines', 'beautify', 'format-json', 'pretty-xml']);

/** What is known while the filters of a job are gone through. */
class Rule {
  readonly #book: Book;
  readonly #label: string;
  place: Extract<Place, { readonly ok: true }> | undefined;
  /** Whether only the first match counts. */
  isFirst = false;
  isText = false;
  isXml = false;
  isJson = false;
  mayBeEmpty = false;
  readonly ignore: string[] = [];
  readonly filters: unknown[] = [];

  constructor(book: Book, label: string) {
    this.#book = book;
    this.#label = label;
  }

  add({ kind, options }: UrlwatchFilter): void {
    switch (kind) {
      case 'css':
      case 'xpath':
        return this.#element(kind, options);
      case 'element-by-id':
        return this.#find(cssPlace(`[id=${JSON.stringify(textOf(options['id']))}]`), kind);
      case 'element-by-class':
        return this.#find(cssPlace(`[class~=${JSON.stringify(textOf(options['class']))}]`), kind);
      case 'element-by-style':
        return this.#find(cssPlace(`[style=${JSON.stringify(textOf(options['style']))}]`), kind);
      case 'element-by-tag':
        return this.#find(cssPlace(textOf(options['tag'])), kind);
      case 'jq':
        this.isJson = true;
        return this.#find(jqPlace(textOf(options['query'])), kind);
      case 'html2text':
        this.isText = true;
        return;
      case 'grep':
      case 'grepi':
        return this.#pattern(kind, options['re'], (pattern) => [
          { lines: { [kind === 'grep' ? 'keep' : 'drop']: pattern } },
        ]);
      case 're.sub':
        return this.#pattern(kind, options['pattern'], (from) => [
          { replace: { from, to: javaScriptText(textOf(options['repl'])) } },
        ]);
      case 're.findall': {
        const to = options['repl'] === undefined ? undefined : javaScriptText(textOf(options['repl']));
        return this.#pattern(kind, options['pattern'], (from) => [
          ...findAll([from], 'whole'),
          ...(to === undefined ? [] : [{ replace: { from, to } }]),
        ]);
      }
      case 'sort':
      case 'remove-duplicate-lines':
        if (options['separator'] !== undefined && options['separator'] !== '\n')
          return this.leave(kind, 'only lines are sorted, or told apart');
        if (options['reverse'] === true)
          this.leave(kind, 'lines are sorted upwards, which is as good for a comparison');
        this.filters.push({ lines: kind === 'sort' ? { sort: true } : { unique: true } });
        return;
      case 'shellpipe':
        return this.leave(kind, 'definitions run no programs: a plug-in may (docs/plug-ins.md)');
      case 'reverse':
        return this.leave(kind, 'the order of lines stays as it is');
      default:
        if (!idle.has(kind)) this.leave(kind, 'there is no such filter');
    }
  }

  leave(kind: string, why: string): void {
    this.#book.leave(this.#label, `the filter ${kind.slice(0, 40)}`, why);
  }

  #find(place: Place, kind: string): void {
    if (!place.ok) return this.leave(kind, place.why);
    if (this.place === undefined) {
      this.place = place;
      return;
    }
    if (this.place.by === 'css' && place.by === 'css' && !/,/.test(this.place.text + place.text))
      this.place = { ...place, text: `${this.place.text} ${place.text}` };
    else this.leave(kind, 'it searches what another filter found: a definition has one place');
  }

  #element(kind: 'css' | 'xpath', options: UrlwatchFilter['options']): void {
    if (options['method'] === 'xml') this.isXml = true;
    const written = textOf(options[kind === 'css' ? 'selector' : 'path']);
    const { skip, maxitems } = options;
    const [from, most] = [Number(skip ?? 0), Number(maxitems ?? 0)];
    const isRange = from > 0 || most > 1;
    const bounded = isRange
      ? `(${written})[position() > ${from}${most > 0 ? ` and position() <= ${from + most}` : ''}]`
      : written;
    if (isRange && kind === 'css')
      this.leave(kind, '`skip`, and `maxitems` beyond 1, are left out: an XPath can count');
    this.#find(kind === 'css' ? cssPlace(written.replaceAll('|', '\\:')) : xpathPlace(bounded), kind);
    if (most === 1 && from === 0) this.isFirst = true;
    if (options['namespaces'] !== undefined)
      this.leave(kind, '`namespaces` are left out: prefixes are those that the document has');
    if (options['sort'] === true) this.filters.push({ lines: { sort: true } });
    if (options['exclude'] === undefined) return;
    const excluded = kind === 'css' ? cssPlace(textOf(options['exclude'])) : undefined;
    if (excluded?.ok === true) this.ignore.push(excluded.text);
    else this.leave(kind, '`exclude` is left out: elements are taken out by CSS selectors');
  }

  #pattern(kind: string, given: unknown, filters: (pattern: string) => readonly unknown[]): void {
    const pattern = pythonPattern(textOf(given));
    if (!pattern.ok) return this.leave(kind, pattern.why);
    this.mayBeEmpty = true;
    this.filters.push(...filters(pattern.pattern));
  }
}

/** Translates the filters of a job. What has no counterpart is noted; undefined where its page cannot be read at all. */
export function textRule(
  book: Book,
  label: string,
  given: readonly UrlwatchFilter[],
  url: string,
): TextRule | undefined {
  const binary = given.find(({ kind }) =>
    ['pdf2text', 'ocr', 'ical2text', 'csv2text', 'hexdump', 'sha1sum'].includes(kind),
  );
  if (binary?.kind === 'pdf2text' || binary?.kind === 'ocr') {
    book.leave(label, 'the watch', `its filter ${binary.kind} reads what is no text`);
    return undefined;
  }
  const rule = new Rule(book, label);
  for (const each of given) rule.add(each);
  const { place, filters, ignore, isFirst } = rule;
  const required = rule.mayBeEmpty ? {} : { required: true };
  const cut = { cut: longLength };
  if (rule.isJson) {
    if (filters.length > 0)
      rule.leave('of lines and texts', 'JSON is compared as values: name what matters by a JSON path');
    const path = place?.by === 'json' ? place.text : '$';
    const text = path.includes('*')
      ? { json: path, type: 'array', of: { type: 'json' } }
      : { json: path, type: 'json' };
    return { document: { provider: 'json' }, text: { ...text, ...required } };
  }
  const isPlain =
    place === undefined && !rule.isText && (rule.isXml || plainEndings.test(URL.parse(url)?.pathname ?? ''));
  if (isPlain)
    return {
      document: { provider: 'text' },
      text: { json: '$.text', filters: [...(filters.length > 0 ? filters : ['lines']), cut], ...required },
    };
  const take = rule.isText || place?.by === 'xpath' ? 'lines' : 'outer';
  const found = place === undefined ? { css: rule.isText ? 'body' : 'html' } : { [place.by]: place.text };
  const joined = place === undefined || isFirst ? filters : [{ join: '\n' }, ...filters];
  const isMarkup = take === 'outer' && joined.length <= 1 && filters.length === 0;
  return {
    document: {
      ...(rule.isXml ? { provider: 'xml' } : { tree: 'browser' }),
      ...(ignore.length > 0 && { ignore }),
    },
    text: { ...found, take, filters: [...joined, ...(isMarkup ? ['lines'] : []), cut], ...required },
  };
}

/** What stands for groups in a replacement of Python, as JavaScript has it. */
function javaScriptText(text: string): string {
  return text
    .replaceAll('$', '$$$$')
    .replaceAll(/\\g<0>/g, '$$&')
    .replaceAll(/\\(?:g<)?(\d{1,2})>?/g, '$$$1')
    .replaceAll(/\\g<(\w+)>/g, '$$<$1>')
    .replaceAll('\\n', '\n')
    .replaceAll('\\t', '\t');
}

function textOf(given: unknown): string {
  return typeof given === 'string' ? given : typeof given === 'number' ? String(given) : '';
}
