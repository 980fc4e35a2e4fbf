import type { Result } from '../control/methods.ts';
import { ageText, durationText } from '../time-text.ts';
import type { StepEntry } from '../view/step-entry.ts';
import { bytesText, countText, plainText, projectsText } from '../view/text.ts';
import { showStep } from './show-scrape.ts';
import { factLines, table } from './table.ts';
import { showStatus, type Terminal } from './terminal.ts';

/** Formats steps as a table. */
export function showSteps(terminal: Terminal, steps: readonly StepEntry[]): string {
  const now = terminal.now();
  return table(terminal, steps, [
    ['STEP', ({ id }) => id],
    ['STATE', ({ state }) => showStatus(terminal, state)],
    ['TYPE', ({ type }) => type, { spare: true }],
    ['SOURCE', ({ source }) => plainText(source), { cutTo: 10, spare: true }],
    ['WORKER', ({ worker = '' }) => plainText(worker), { cutTo: 8, spare: true }],
    ['QUEUED', ({ queuedAt, dueAt }) => ageText(queuedAt ?? dueAt ?? now, now)],
    ['TOOK', (step) => tookText(step), { spare: true }],
    ['RESULT', resultText, { cutTo: 16 }],
    ['ADDRESS', ({ url }) => plainText(url), { cutTo: 24 }],
  ]);
}

/** Formats all that is known of a step. */
export function showStepDetail(terminal: Terminal, step: Result<'step.get'>): string {
  const { id, state, type, source, target, scrape, method, url, queuedAt, startedAt, endedAt, dueAt } = step;
  const { turns, worker, projects, version, progress, failure, stack, log, tries } = step;
  const now = terminal.now();
  const age = (at: number | undefined): string | undefined => (at === undefined ? undefined : ageText(at, now));
  const took = tookText(step);
  return [
    `step ${id} ${showStatus(terminal, state)}`,
    ...factLines([
      ['request', plainText(`${method} ${url}`)],
      ['for', `${type} of ${plainText(source)}${target === undefined ? '' : `, target ${target}`}`],
      ['projects', projects.length === 0 ? undefined : projectsText(projects)],
      [
        'scrape',
        scrape === undefined ? undefined : `${scrape}${progress === undefined ? '' : `, ${progressText(progress)}`}`,
      ],
      ['definition', version],
      ['due', age(dueAt)],
      ['queued', age(queuedAt)],
      ['started', age(startedAt)],
      ['ended', endedAt === undefined ? undefined : `${ageText(endedAt, now)}${took === '' ? '' : `, after ${took}`}`],
      ['turns', turns > 1 ? String(turns) : undefined],
      ['worker', worker && plainText(worker)],
      ['result', endedAt === undefined ? undefined : resultText(step)],
      ['failure', failure && plainText(`${failure.code}: ${failure.message}`)],
    ]),
    ...(stack ?? '').split('\n').flatMap((line) => (line === '' ? [] : [`    ${plainText(line)}`])),
    ...log.map(({ at, level, text }) => `  ${ageText(at, now)} ${level}: ${plainText(text)}`),
    ...tries.map((each) => `  ${showStep(terminal, each).replaceAll('\n', '\n  ')}`),
  ].join('\n');
}

function progressText({ status, steps, counts }: NonNullable<Result<'step.get'>['progress']>): string {
  const records = counts.added + counts.changed + counts.confirmed;
  return `${status} after ${countText(steps, 'step')} with ${countText(records, 'record')}`;
}

/** Formats how long a step ran; empty for one that did not. */
function tookText({ startedAt, endedAt }: StepEntry): string {
  return startedAt === undefined || endedAt === undefined ? '' : durationText(endedAt - startedAt);
}

function resultText({ status, bytes, records, failure, endedAt }: StepEntry): string {
  if (endedAt === undefined) return '';
  const parts = [
    ...(status === undefined ? [] : [String(status)]),
    ...(bytes === undefined ? [] : [bytesText(bytes)]),
    ...(records === undefined ? [] : [countText(records, 'record')]),
    ...(failure === undefined ? [] : [plainText(failure.code)]),
  ];
  return parts.join(', ');
}
