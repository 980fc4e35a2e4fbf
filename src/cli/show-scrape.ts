import type { ScrapeView, StepView } from '../control/methods/scrape.ts';
import { ageText, durationText } from './duration.ts';
import { showStatus } from './show-status.ts';
import type { Terminal } from './terminal.ts';
import { bytesText, countText, cutText, plainText } from './text.ts';

/** As much of what a site said as helps to tell why it refused. */
const excerptLength = 400;

/** Notes of one step that are shown. */
const mostNotes = 20;

/** One scrape on one line. */
export function showScrapeLine(terminal: Terminal, scrape: ScrapeView): string {
  const took = scrape.endedAt === undefined ? '' : ` in ${durationText(scrape.endedAt - scrape.startedAt)}`;
  const facts = [
    `scrape ${scrape.scrape} ${showEnd(terminal, scrape)}${took}`,
    ageText(scrape.startedAt, terminal.now()),
    ...(scrape.wish === undefined ? [] : [wishText(scrape.wish)]),
    countText(scrape.steps, 'step'),
    countsText(scrape.counts),
    ...(scrape.endReason === undefined || scrape.status === 'aborted'
      ? []
      : [`ended by ${plainText(scrape.endReason)}`]),
  ];
  const failure = scrape.failure ? `: ${failureText(scrape.failure)}` : '';
  return `${facts.join(', ')}${failure}`;
}

/** How a scrape stands: its status, with the guard that ended it or the errors and repeated keys that it met. */
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

/** How a person wanted a scrape to go. */
export function wishText({ full, from, to, args }: NonNullable<ScrapeView['wish']>): string {
  return [
    ...(full ? ['full'] : []),
    ...(from === undefined ? [] : [`from ${from}`]),
    ...(to === undefined ? [] : [`to ${to}`]),
    ...(args === undefined ? [] : [argsText(args)]),
  ].join(' ');
}

/** Arguments of a plug-in's `collect`, so that one can tell where each ends. */
export function argsText(args: readonly string[]): string {
  return `with ${args.map((arg) => JSON.stringify(plainText(arg))).join(' ')}`;
}

/** One step on one line, and under it what the site said where it failed, and what else was noticed. */
export function showStep(terminal: Terminal, step: StepView): string {
  const { failure } = step;
  const facts = [
    `step ${step.step}`,
    plainText(step.url),
    ...(step.page === undefined ? [] : [`page ${step.page}`]),
    durationText(step.elapsedMs),
    failure
      ? terminal.paint('red', [...(step.status === undefined ? [] : [step.status]), failureText(failure)].join(', '))
      : `${step.status ?? '–'}, ${bytesText(step.bytes)}, ${countsText(step.counts)}`,
    ...metTexts(step).map((text) => terminal.paint('yellow', text)),
  ];
  const notes = noteLines(terminal, [...(step.notes ?? []), ...step.unparsed.map(unparsedText)]).map(
    (line) => `    ${line}`,
  );
  return [facts.join('  '), ...excerptLines(failure), ...notes].join('\n');
}

/** A value that was found and is none of its field's type. */
export function unparsedText({ record, field, text, expected }: StepView['unparsed'][number]): string {
  return `${record}.${field}: expected ${expected}, got "${plainText(text)}"`;
}

/** What was noticed besides, such as fields of a plug-in that no record declares. */
export function noteLines(terminal: Terminal, notes: readonly string[] = []): string[] {
  const hidden = notes.length - mostNotes;
  return [
    ...notes.slice(0, mostNotes).map((note) => terminal.paint('yellow', cutText(plainText(note), excerptLength))),
    ...(hidden > 0 ? [`… and ${countText(hidden, 'note')} more: --json has them all`] : []),
  ];
}

/** A failure as one sentence, with what it was taken for. */
export function failureText({ code, message, cause }: NonNullable<StepView['failure']>): string {
  const taken = cause === undefined || cause === code ? '' : ` (${plainText(cause)})`;
  return `${plainText(code)}: ${plainText(message)}${taken}`;
}

/** The beginning of what a site said with a failure, on a line of its own. */
export function excerptLines(failure: StepView['failure']): string[] {
  const excerpt = plainText(failure?.excerpt ?? '');
  return excerpt === '' ? [] : [`    it said: ${cutText(excerpt.replaceAll(/\s+/g, ' '), excerptLength)}`];
}

/** What commits did with records; what is missing or gone is told where there is any. */
export function countsText({ added, changed, confirmed, missing = 0, gone = 0 }: ScrapeView['counts']): string {
  const kept = `${added} added, ${changed} changed, ${confirmed} confirmed`;
  return `${kept}${missing > 0 ? `, ${missing} missing` : ''}${gone > 0 ? `, ${gone} gone` : ''}`;
}
