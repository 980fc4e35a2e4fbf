import type { ProjectView } from '../control/methods/project.ts';
import { ageText, clockText, dueText } from '../time-text.ts';
import { table } from './table.ts';
import { type Terminal, showStatus } from './terminal.ts';
import { plainText } from '../view/text.ts';

/** Formats projects as a table, one a row. */
export function showProjects(terminal: Terminal, projects: readonly ProjectView[]): string {
  const now = terminal.now();
  return table(terminal, projects, [
    ['PROJECT', ({ id }) => id],
    ['STATUS', (project) => statusText(terminal, project)],
    ['TARGETS', ({ targets }) => targetsText(terminal, targets)],
    ['SCRAPED', ({ targets }) => lastText(targets, now), { spare: true }],
    ['NEXT', ({ targets }) => nextText(targets, now), { spare: true }],
    ['NAME', ({ name }) => plainText(name), { cutTo: 12, spare: true }],
  ]);
}

/** Formats the status of a project; in place of `active`, that it has targets of which nothing can be asked. */
function statusText(terminal: Terminal, { status, targets }: ProjectView): string {
  const isLost = status === 'active' && targets.some(({ conditions }) => conditions.includes('definition_error'));
  return showStatus(terminal, isLost ? 'definition_error' : status);
}

function targetsText(terminal: Terminal, targets: ProjectView['targets']): string {
  const lost = targets.flatMap(({ gone, status }) => (gone !== undefined && status === 'active' ? [gone.since] : []));
  const watched = targets.filter(({ status }) => status !== 'disabled');
  const failing = watched.filter((target) => target.status === 'parked' || target.lastError).length - lost.length;
  const troubled = targets.filter(({ conditions }) => conditions.includes('ticket')).length;
  const wrong = [
    ...(failing > 0 ? [`${failing} failing`] : []),
    ...(troubled > 0 ? [`${troubled} with tickets`] : []),
    ...(lost.length > 0 ? [`${lost.length} gone since ${clockText(Math.min(...lost), terminal.now())}`] : []),
  ];
  return `${targets.length}${wrong.length > 0 ? terminal.paint('red', ` (${wrong.join(', ')})`) : ''}`;
}

function lastText(targets: ProjectView['targets'], now: number): string {
  const lastAt = Math.max(...targets.map((target) => target.lastScrape?.startedAt ?? -Infinity));
  return lastAt === -Infinity ? 'never' : ageText(lastAt, now);
}

function nextText(targets: ProjectView['targets'], now: number): string {
  const dueAt = Math.min(...targets.map((target) => target.dueAt ?? Infinity));
  return dueAt === Infinity ? '–' : dueText(dueAt, now);
}
