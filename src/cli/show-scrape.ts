import type { ScrapeView, StepView, Unfound, Unparsed } from '../view/scrape.ts';
import { ageText, durationText } from '../time-text.ts';
import { showStatus, type Terminal } from './terminal.ts';
import { bytesText, countText, cutText, plainText } from '../view/text.ts';

/** The longest excerpt of a site's answer that is shown, in characters. */
const excerptLength = 400;

/** The most notes that are shown of one step. */
const mostNotes = 20;

/**
 * Formats how long a scrape took; undefined while it runs. Undefined also where the end of the daemon interrupted it: such a
 * scrape is ended when the daemon starts again.
 */
export function tookText({ startedAt, endedAt, failure }: ScrapeView): string | undefined {
  return endedAt === undefined || failure?.code === 'interrupted' ? undefined : durationText(endedAt - startedAt);
}

/** What an end that leaves part of a list unread means, by its reason. */
const leftText: ReadonlyMap<string, string> = new Map([
  ['page_limit', ' with items left that the next scrapes read'],
  ['catching_up', ' with some items still left that the next scrapes read'],
]);

/** Formats a scrape on one line. */
export function showScrapeLine(terminal: Terminal, scrape: ScrapeView): string {
  const took = tookText(scrape);
  const facts = [
    `scrape ${scrape.scrape} ${showEnd(terminal, scrape)}${took === undefined ? '' : ` in ${took}`}`,
    ageText(scrape.startedAt, terminal.now()),
    ...(scrape.wish === undefined ? [] : [wishText(scrape.wish)]),
    countText(scrape.steps, 'step'),
    countsText(scrape.counts),
    ...(scrape.endReason === undefined || scrape.status === 'aborted'
      ? []
      : [`ended by ${plainText(scrape.endReason)}${leftText.get(scrape.endReason) ?? ''}`]),
    ...(scrape.pagesLeft === undefined ? [] : [pagesLeftText(scrape.pagesLeft)]),
  ];
  const failure = scrape.failure ? `: ${failureText(scrape.failure)}` : '';
  return [`${facts.join(', ')}${failure}`, ...unfoundTexts(terminal, scrape.unfound)].join('; ');
}

/** The number up to which pages of items are counted. */
const mostCountedPages = 10_000;

/** Formats how many pages of items are still to be read. */
export function pagesLeftText(pages: number): string {
  return `${countText(pages, 'page')}${pages < mostCountedPages ? '' : ' or more'} of items left that the next scrapes read`;
}

/** Formats a scrape's status, with the guard that ended it and the numbers of its errors and repeated keys. */
export function showEnd(terminal: Terminal, scrape: ScrapeView): string {
  const { status, endReason } = scrape;
  const why = status === 'aborted' && endReason !== undefined ? `: ${plainText(endReason)}` : '';
  const met = metTexts(scrape);
  return `${showStatus(terminal, status)}${why}${met.length > 0 ? ` with ${met.join(' and ')}` : ''}`;
}

function metTexts({ errors = 0, repeated = 0 }: Pick<ScrapeView, 'errors' | 'repeated'>): string[] {
  return [
    ...(errors > 0 ? [countText(errors, 'error')] : []),
    ...(repeated > 0 ? [countText(repeated, 'repeated key')] : []),
  ];
}

/** Formats the wishes of the person who requested a scrape. */
export function wishText({ full, from, to, args }: NonNullable<ScrapeView['wish']>): string {
  return [
    ...(full ? ['full'] : []),
    ...(from === undefined ? [] : [`from ${from}`]),
    ...(to === undefined ? [] : [`to ${to}`]),
    ...(args === undefined ? [] : [argsText(args)]),
  ].join(' ');
}

/** Formats the arguments of a plug-in's `collect`, each in quotes. */
export function argsText(args: readonly string[]): string {
  return `with ${args.map((arg) => JSON.stringify(plainText(arg))).join(' ')}`;
}

/** Formats a step on one line, with the site's excerpt and the step's notes on lines below. */
export function showStep(terminal: Terminal, step: StepView): string {
  const { failure } = step;
  const facts = [
    `step ${step.step}`,
    plainText(step.url),
    ...(step.page === undefined ? [] : [`page ${step.page}`]),
    durationText(step.elapsedMs),
    failure
      ? terminal.paint('red', [...(step.status === undefined ? [] : [step.status]), failureText(failure)].join(', '))
      : `${step.status ?? '–'}${step.location === undefined ? '' : ` to ${plainText(step.location)}`}, ${bytesText(step.bytes)}, ${countsText(step.counts)}`,
    ...metTexts(step).map((text) => terminal.paint('yellow', text)),
  ];
  const notes = noteLines(terminal, [...(step.notes ?? []), ...step.unparsed.map(unparsedText)]).map(
    (line) => `    ${line}`,
  );
  return [facts.join('  '), ...excerptLines(failure), ...notes].join('\n');
}

/** Formats what could not be read: of which record, by its key or its place on the page, and why. */
export function unparsedText({ record, key, position, field, text, expected }: Unparsed): string {
  const which = key === undefined ? (position === undefined ? '' : ` no. ${position}`) : ` ${plainText(key)}`;
  return `${record}${which} ${field}: expected ${expected}, got "${plainText(text)}"`.trimStart();
}

/** Fields that no record has and that are named in the line of a scrape. */
const mostUnfound = 3;

function unfoundTexts(terminal: Terminal, unfound: readonly Unfound[] = []): string[] {
  const hidden = unfound.length - mostUnfound;
  return [
    ...unfound.slice(0, mostUnfound).map((each) => terminal.paint('yellow', plainText(unfoundText(each)))),
    ...(hidden > 0 ? [`and ${countText(hidden, 'field')} more in none`] : []),
  ];
}

/** Formats a field that no record has: of how many, and where it was looked for. */
export function unfoundText({ record, field, records, rule }: Unfound): string {
  return `${record}.${field}: in none of ${countText(records, 'record')}${rule === undefined ? '' : `, looked for at ${rule}`}`;
}

/** Formats notes, one a line, and the number of those that are left out. */
export function noteLines(terminal: Terminal, notes: readonly string[] = []): string[] {
  const hidden = notes.length - mostNotes;
  return [
    ...notes.slice(0, mostNotes).map((note) => terminal.paint('yellow', cutText(plainText(note), excerptLength))),
    ...(hidden > 0 ? [`… and ${countText(hidden, 'note')} more: --json has them all`] : []),
  ];
}

/** Formats a failure as one sentence, with its cause where that is not its code. */
export function failureText({ code, message, cause }: NonNullable<StepView['failure']>): string {
  const taken = cause === undefined || cause === code ? '' : ` (${plainText(cause)})`;
  return `${plainText(code)}: ${plainText(message)}${taken}`;
}

/** Formats the excerpt of a failure on a line of its own; no line without an excerpt. */
export function excerptLines(failure: StepView['failure']): string[] {
  const excerpt = plainText(failure?.excerpt ?? '');
  return excerpt === '' ? [] : [`    it said: ${cutText(excerpt.replaceAll(/\s+/g, ' '), excerptLength)}`];
}

/** Formats how many records were added, changed and confirmed; missing and gone ones are named where there are any. */
export function countsText({ added, changed, confirmed, missing = 0, gone = 0 }: ScrapeView['counts']): string {
  const kept = `${added} added, ${changed} changed, ${confirmed} confirmed`;
  return `${kept}${missing > 0 ? `, ${missing} missing` : ''}${gone > 0 ? `, ${gone} gone` : ''}`;
}
