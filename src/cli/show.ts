import type { EventView } from '../control/methods/event.ts';
import type { CircuitView, HoldView } from '../control/methods/host.ts';
import type { ProjectView, RecordView } from '../control/methods/project.ts';
import type { TargetView } from '../control/methods/target.ts';
import type { ScrapeView } from '../control/methods/scrape.ts';
import { ageText, durationText } from './duration.ts';
import { countsText, excerptLines, failureText, showScrapeLine } from './show-scrape.ts';
import { showStatus } from './show-status.ts';
import { table } from './table.ts';
import type { Terminal } from './terminal.ts';
import { countText, plainText, valueText } from './text.ts';

/** Projects, one per row. */
export function showProjects(terminal: Terminal, projects: readonly ProjectView[]): string {
  const rows = projects.map((project) => {
    const { targets } = project;
    const dueAt = Math.min(...targets.map((target) => target.dueAt ?? Infinity));
    const lastAt = Math.max(...targets.map((target) => target.lastScrape?.startedAt ?? -Infinity));
    const wrong = targets.filter((target) => target.status === 'parked' || target.lastError).length;
    return [
      project.id,
      showStatus(terminal, project.status),
      `${targets.length}${wrong > 0 ? terminal.paint('red', ` (${wrong} failing)`) : ''}`,
      lastAt === -Infinity ? 'never' : ageText(lastAt, terminal.now()),
      dueAt === Infinity ? '–' : showDue(terminal, dueAt),
      plainText(project.name),
    ];
  });
  return table(terminal, ['PROJECT', 'STATUS', 'TARGETS', 'SCRAPED', 'NEXT', 'NAME'], rows);
}

/** One project: what it is, its targets, and what is known of it. */
export function showProject(terminal: Terminal, project: ProjectView, records: readonly RecordView[]): string {
  const labels = project.labels.length > 0 ? `  [${project.labels.map(plainText).join(', ')}]` : '';
  const heading = `${terminal.paint('bold', project.id)}  ${plainText(project.name)}  ${showStatus(terminal, project.status)}${labels}`;
  return [
    heading,
    ...project.targets.map((target) => showTarget(terminal, target, project)),
    showRecords(terminal, records),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

/** When something is due; what is overdue waits for its turn. */
function showDue(terminal: Terminal, dueAt: number): string {
  return dueAt > terminal.now() ? ageText(dueAt, terminal.now()) : 'due';
}

function showTarget(terminal: Terminal, target: TargetView, project: ProjectView): string {
  const now = terminal.now();
  const { lastScrape, crashes, parked, lastError } = target;
  const lines = [
    `target ${target.target}  ${target.source}  ${[statusIn(project, target), ...target.conditions].map((status) => showStatus(terminal, status)).join(' ')}`,
    `  ${plainText(target.url)}`,
  ];
  if (lastScrape) lines.push(`  last scrape  ${showScrapeLine(terminal, lastScrape)}`);
  if (target.waiting !== undefined) lines.push(`  waiting      scrape ${target.waiting}`);
  if (target.dueAt !== undefined) lines.push(`  next         ${showDue(terminal, target.dueAt)}`);
  if (lastError)
    lines.push(`  last error   ${terminal.paint('red', failureText(lastError))}`, ...excerptLines(lastError));
  if (crashes.total > 0) {
    const last = crashes.last === undefined ? '' : `, the last: ${plainText(crashes.last)}`;
    lines.push(`  crashes      ${crashes.total}, ${crashes.inRow} in a row${last}`);
  }
  if (parked) {
    lines.push(
      `  parked       ${ageText(parked.at, now)}: ${plainText(parked.reason)}; tried again ${ageText(parked.retryAt, now)}`,
    );
  }
  return lines.join('\n');
}

/** A target keeps its own status while its project is archived, to have it again when that is restored. */
function statusIn(project: ProjectView, { status }: TargetView): string {
  return project.status === 'archived' && status === 'active' ? 'archived' : status;
}

/** What is known, and apart from it, last, what complete crawls no longer find. */
function showRecords(terminal: Terminal, records: readonly RecordView[]): string {
  const known = records.filter(({ absent }) => absent === undefined);
  const lost = records.filter(({ absent }) => absent !== undefined);
  const told = [
    showFields(terminal, known),
    lost.flatMap((record) => absentLine(terminal, record)).join('\n'),
    showFields(terminal, lost),
  ];
  return told.filter((part) => part !== '').join('\n\n');
}

function showFields(terminal: Terminal, records: readonly RecordView[]): string {
  const rows = records.flatMap(({ source, type, key, fields }) =>
    Object.entries(fields).map(([name, cell]) => [
      `${source} ${type} ${plainText(key)}`,
      name,
      valueText(cell.value),
      ageText(cell.observedAt, terminal.now()),
      ageText(cell.verifiedAt, terminal.now()),
    ]),
  );
  return rows.length === 0 ? '' : table(terminal, ['RECORD', 'FIELD', 'VALUE', 'SINCE', 'VERIFIED'], rows, 'headed');
}

/** What complete crawls no longer find. */
function absentLine(terminal: Terminal, { source, type, key, absent }: RecordView): string[] {
  if (absent === undefined) return [];
  const since = `absent since ${ageText(absent.since, terminal.now())}, for ${countText(absent.times, 'crawl')}`;
  return [terminal.paint('yellow', `${source} ${type} ${plainText(key)}: ${since}`)];
}

/** One event on one line. */
export function showEvent(terminal: Terminal, event: EventView): string {
  const where = [event.project, event.source].filter((part) => part !== undefined).join(' ');
  const when = new Date(event.at).toISOString().slice(11, 19);
  return `${terminal.paint('dim', `${event.id} ${when}`)}  ${event.type}  ${where}  ${showData(terminal, event.data)}`.trimEnd();
}

function showData(terminal: Terminal, data: Readonly<Record<string, unknown>>): string {
  const { fields, ...rest } = data;
  const told = Object.entries(rest).map(([name, value]) => dataText(terminal, name, value));
  if (typeof fields === 'object' && fields !== null) {
    for (const [name, change] of Object.entries(fields)) told.push(`${name}: ${showChange(change)}`);
  }
  return told.join('  ');
}

/** One thing that an event tells: in words where its name is known, else as `name=value`. */
function dataText(terminal: Terminal, name: string, value: unknown): string {
  if (name === 'counts' && isCounts(value)) return countsText(value);
  if (name === 'failure' && isFailure(value)) return failureText(value);
  if (name === 'errors' && typeof value === 'number') return countText(value, 'error');
  if (name === 'repeated' && typeof value === 'number') return countText(value, 'repeated key');
  if (name === 'steps' && typeof value === 'number') return countText(value, 'step');
  if (name === 'retryAt' && typeof value === 'number') return `tried again ${ageText(value, terminal.now())}`;
  return `${name}=${valueText(value)}`;
}

function isCounts(value: unknown): value is ScrapeView['counts'] {
  return typeof value === 'object' && value !== null && 'added' in value && 'changed' in value && 'confirmed' in value;
}

function isFailure(value: unknown): value is { readonly code: string; readonly message: string } {
  return typeof value === 'object' && value !== null && 'code' in value && 'message' in value;
}

/** `old → new`, or the new value alone where the field was not known. */
export function showChange(change: unknown): string {
  if (typeof change !== 'object' || change === null || !('new' in change)) return valueText(change);
  return 'old' in change ? `${valueText(change.old)} → ${valueText(change.new)}` : valueText(change.new);
}

/** Why a host is not asked yet. */
export function holdText({ kind, delayMs = 0, capped, step }: HoldView): string {
  switch (kind) {
    case 'gap':
      return `gap of ${durationText(delayMs)}`;
    case 'crawl_delay':
      return `crawl-delay of ${durationText(delayMs)}`;
    case 'throttle':
      return `throttle of ${durationText(delayMs)}`;
    case 'retry_after':
      return capped ? 'Retry-After, capped' : 'Retry-After';
    case 'back_off':
      return `back-off, step ${step}`;
    case 'concurrency':
      return 'as many under way as may be';
    case 'unsent':
      return 'one under way is not sent yet';
    case 'circuit':
      return 'circuit open';
    default:
      return kind satisfies never;
  }
}

/** How a source stands that was stopped as a whole. */
export function circuitText({ state, nextAt, times }: CircuitView, now: number): string {
  const what = state === 'open' ? 'open, as most of its targets failed' : 'resuming, a few targets at first';
  const next = nextAt === undefined ? '' : `; tried again ${ageText(nextAt, now)}`;
  return `${what}${times > 1 ? `, ${times} times in a row` : ''}${next}`;
}
