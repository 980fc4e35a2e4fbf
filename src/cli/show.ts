import { defined } from '../defined.ts';
import type { Event } from '../event/catalogue.ts';
import type { CircuitView, HoldView } from '../control/methods/host.ts';
import type { MetricView } from '../control/methods/metric.ts';
import type { RuleView } from '../control/methods/rule.ts';
import type { ProjectView } from '../control/methods/project.ts';
import type { Symptom } from '../view/doubt.ts';
import type { FieldCell, HistoryView, RecordView } from '../view/record.ts';
import type { TargetView } from '../control/methods/target.ts';
import { ageText, clockText, durationText } from '../time-text.ts';
import { countsText, excerptLines, failureText, pagesLeftText, showScrapeLine } from './show-scrape.ts';
import { showFiles } from './show-files.ts';
import { showMetrics } from './show-metrics.ts';
import { showRules } from './show-rules.ts';
import { recordTables } from './record-tables.ts';
import { type Fact, factLines, table } from './table.ts';
import { showStatus, type Terminal } from './terminal.ts';
import { countText, isText, othersText, plainText, projectsText, valueText } from './text.ts';

/** Formats projects as a table, one a row. */
export function showProjects(terminal: Terminal, projects: readonly ProjectView[]): string {
  const now = terminal.now();
  return table(terminal, projects, [
    ['PROJECT', ({ id }) => id],
    ['STATUS', (project) => statusText(terminal, project)],
    ['TARGETS', ({ targets }) => targetsText(terminal, targets)],
    ['SCRAPED', ({ targets }) => lastText(targets, now), { spare: true }],
    ['NEXT', ({ targets }) => nextText(terminal, targets), { spare: true }],
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
  const failing = targets.filter((target) => target.status === 'parked' || target.lastError).length - lost.length;
  const doubtful = targets.filter(({ conditions }) => conditions.includes('doubtful')).length;
  const wrong = [
    ...(failing > 0 ? [`${failing} failing`] : []),
    ...(doubtful > 0 ? [`${doubtful} doubtful`] : []),
    ...(lost.length > 0 ? [`${lost.length} gone since ${clockText(Math.min(...lost), terminal.now())}`] : []),
  ];
  return `${targets.length}${wrong.length > 0 ? terminal.paint('red', ` (${wrong.join(', ')})`) : ''}`;
}

/** Formats what a target gives less of than before, and since when. */
export function doubtText({ since, symptoms }: NonNullable<TargetView['doubt']>, now: number): string {
  return `since ${clockText(since, now)}: ${symptoms.map(symptomText).join('; ')}`;
}

function symptomText({ kind, record, field, before, now }: Symptom): string {
  if (kind === 'pages_failed') return `${now} of ${before} pages of ${record} could be read`;
  if (kind === 'fewer_records') return `${now} ${record} where there were ${before}`;
  return kind === 'no_record'
    ? `no ${record} where there ${before === 1 ? 'was 1' : `were ${before}`}`
    : `no ${record} has ${field}, which ${before} had`;
}

/** Formats since when a page is gone, by the clocks of UTC. */
export function goneText({ since, times }: NonNullable<TargetView['gone']>, now: number): string {
  return `since ${clockText(since, now)}, asked ${countText(times, 'time')}`;
}

function lastText(targets: ProjectView['targets'], now: number): string {
  const lastAt = Math.max(...targets.map((target) => target.lastScrape?.startedAt ?? -Infinity));
  return lastAt === -Infinity ? 'never' : ageText(lastAt, now);
}

function nextText(terminal: Terminal, targets: ProjectView['targets']): string {
  const dueAt = Math.min(...targets.map((target) => target.dueAt ?? Infinity));
  return dueAt === Infinity ? '–' : showDue(terminal, dueAt);
}

/** What of a project is shown besides its targets. */
interface ProjectParts {
  readonly records: readonly RecordView[];
  readonly metrics: readonly MetricView[];
  readonly rules: readonly RuleView[];
}

/** Formats a project: its heading, its targets, its metrics, its rules and its records. */
export function showProject(
  terminal: Terminal,
  project: ProjectView,
  { records, metrics, rules }: ProjectParts,
): string {
  const labels = project.labels.length > 0 ? `  [${project.labels.map(plainText).join(', ')}]` : '';
  const heading = `${terminal.paint('bold', project.id)}  ${plainText(project.name)}  ${showStatus(terminal, project.status)}${labels}`;
  return [
    heading,
    ...project.targets.map((target) => showTarget(terminal, target, project)),
    metrics.length === 0 ? '' : showMetrics(terminal, metrics),
    rules.length === 0 ? '' : showRules(terminal, rules),
    showRecords(terminal, records),
    showFiles(terminal, records),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

/** Formats when a target is due: `due` where that has passed and the target waits for its turn. */
function showDue(terminal: Terminal, dueAt: number): string {
  return dueAt > terminal.now() ? ageText(dueAt, terminal.now()) : 'due';
}

/** The facts that tell what scrapes of a target have left to later ones. */
export function leftFacts({ gaps, pagesLeft }: Pick<TargetView, 'gaps' | 'pagesLeft'>, now: number): readonly Fact[] {
  return [
    ['left out', gaps?.map((gap) => gapText(gap, now)).join('\n')],
    ['to read', pagesLeft === undefined ? undefined : pagesLeftText(pagesLeft)],
  ];
}

function gapText({ page, since }: NonNullable<TargetView['gaps']>[number], now: number): string {
  return `what lay behind page ${page} of the list ${ageText(since, now)}; the next scrapes read it`;
}

function showTarget(terminal: Terminal, target: TargetView, project: ProjectView): string {
  const now = terminal.now();
  const { lastScrape, crashes, parked, lastError, gone, doubt, endsAt } = target;
  const last = crashes.last === undefined ? '' : `, the last: ${plainText(crashes.last)}`;
  const facts: readonly Fact[] = [
    ['shared', target.others && othersText(target.others)],
    ['last scrape', lastScrape && showScrapeLine(terminal, lastScrape)],
    [
      'not asked',
      target.conditions.includes('definition_error')
        ? terminal.paint('red', `no definition of source ${target.source} is loaded`)
        : undefined,
    ],
    ...leftFacts(target, now),
    ['waiting', target.waiting === undefined ? undefined : `scrape ${target.waiting}`],
    ['next', target.dueAt === undefined ? undefined : showDue(terminal, target.dueAt)],
    ['gone', gone && goneText(gone, now)],
    ['doubtful', doubt && doubtText(doubt, now)],
    ['ends', endsAt === undefined ? undefined : ageText(endsAt, now)],
    ['last error', lastError && [terminal.paint('red', failureText(lastError)), ...excerptLines(lastError)].join('\n')],
    ['crashes', crashes.total > 0 ? `${crashes.total}, ${crashes.inRow} in a row${last}` : undefined],
    [
      'parked',
      parked && `${ageText(parked.at, now)}: ${plainText(parked.reason)}; tried again ${ageText(parked.retryAt, now)}`,
    ],
  ];
  const statuses = [statusIn(project, target), ...target.conditions].map((status) => showStatus(terminal, status));
  return [
    `target ${target.target}  ${target.source}  ${statuses.join(' ')}`,
    `  ${plainText(target.url)}`,
    ...factLines(facts),
  ].join('\n');
}

/**
 * Returns the status to show of a target. Targets of an archived project keep their own status in the store, for
 * when it is restored.
 */
function statusIn(project: ProjectView, { status }: TargetView): string {
  return project.status === 'archived' && status === 'active' ? 'archived' : status;
}

/** Formats records: first those that are known, then those that complete scrapes of a list or site no longer find. */
function showRecords(terminal: Terminal, records: readonly RecordView[]): string {
  const known = records.filter(({ absent }) => absent === undefined);
  const lost = records.filter(({ absent }) => absent !== undefined);
  const told = [
    showFields(terminal, known),
    records.flatMap((record) => heldLines(terminal, record)).join('\n'),
    lost.flatMap((record) => absentLine(terminal, record)).join('\n'),
    showFields(terminal, lost),
  ];
  return told.filter((part) => part !== '').join('\n\n');
}

function showFields(terminal: Terminal, records: readonly RecordView[]): string {
  const now = terminal.now();
  return recordTables(terminal, records, {
    noun: 'record',
    before: [['KEY', ({ key }) => plainText(key), { cutTo: 16 }]],
    after: [
      [
        'CHANGED',
        (record) => ageText(Math.max(record.firstSeenAt, ...cellsOf(record).map(changedAt)), now),
        { spare: true },
      ],
      // A record is no fresher than the field that was verified longest ago.
      ['VERIFIED', (record) => ageText(Math.min(record.updatedAt, ...cellsOf(record).map(verifiedAt)), now)],
    ],
    fieldsOf: ({ fields }) => Object.keys(fields),
    // Nothing where the field was never observed, which differs from a page that has no value.
    cellOf: ({ fields, precision }, field) =>
      fields[field] === undefined ? '' : cellText(fields[field].value, precision?.[field]),
    mayCut: ({ fields }, field) => isText(fields[field]?.value),
    cutTo: 10,
    byField: (rows) => showByField(terminal, rows),
  });
}

function showByField(terminal: Terminal, records: readonly RecordView[]): string {
  const rows = records.flatMap(({ fields, ...record }) =>
    Object.entries(fields).map(([name, cell]) => ({ ...record, ...cell, name })),
  );
  return table(terminal, rows, [
    ['RECORD', ({ source, type, key }) => `${source} ${type} ${plainText(key)}`, { cutTo: 16 }],
    ['FIELD', ({ name }) => name],
    ['VALUE', ({ name, value, precision }) => cellText(value, precision?.[name]), { cutTo: 16 }],
    ['SINCE', ({ observedAt }) => ageText(observedAt, terminal.now()), { spare: true }],
    ['VERIFIED', ({ verifiedAt }) => ageText(verifiedAt, terminal.now())],
  ]);
}

/** Formats a value; that of a date says how much its text did, where that is less: `2017-01-01 (month)`. */
function cellText(value: FieldCell['value'], precision: string | undefined): string {
  return precision === undefined ? valueText(value) : `${valueText(value)} (${plainText(precision)})`;
}

function cellsOf({ fields }: RecordView): readonly FieldCell[] {
  return Object.values(fields);
}

function changedAt({ observedAt }: FieldCell): number {
  return observedAt;
}

function verifiedAt({ verifiedAt }: FieldCell): number {
  return verifiedAt;
}

/** Formats the values of a record that are held: what the site shows in place of what is known. */
function heldLines(terminal: Terminal, { source, type, key, held = {} }: RecordView): string[] {
  return Object.entries(held).map(([field, { value, observedAt, isRejected }]) => {
    const state = isRejected === true ? 'rejected' : `held since ${ageText(observedAt, terminal.now())}`;
    return terminal.paint('yellow', `${source} ${type} ${plainText(key)}: ${field}: ${valueText(value)} is ${state}`);
  });
}

/** Formats since when complete scrapes of a list or site have not found a record. */
function absentLine(terminal: Terminal, { source, type, key, absent }: RecordView): string[] {
  if (absent === undefined) return [];
  const since = `absent since ${ageText(absent.since, terminal.now())}, for ${countText(absent.times, 'complete scrape')}`;
  return [terminal.paint('yellow', `${source} ${type} ${plainText(key)}: ${since}`)];
}

/** Formats an event on one line. */
export function showEvent(terminal: Terminal, event: Event): string {
  const where = [event.projects && projectsText(event.projects), event.source]
    .filter((part) => part !== undefined)
    .join(' ');
  const when = new Date(event.at).toISOString().slice(11, 19);
  return `${terminal.paint('dim', `${event.id} ${when}`)}  ${event.type}  ${where}  ${dataTexts(terminal, event).join('  ')}`.trimEnd();
}

/** The parts of an event's data: in words where their meaning is known, else as `name=value`. */
function dataTexts(terminal: Terminal, event: Event): string[] {
  switch (event.type) {
    case 'record.added':
    case 'record.changed': {
      const { fields, ...record } = event.data;
      return [
        ...namedTexts(record),
        ...Object.entries(fields).map(([name, change]) => `${name}: ${showChange(change)}`),
      ];
    }
    case 'scrape.completed':
    case 'scrape.failed':
    case 'scrape.aborted':
    case 'scrape.cancelled': {
      const { reason, steps, counts, errors, repeated, endReason, failure } = event.data;
      return [
        ...namedTexts({ reason }),
        countText(steps, 'step'),
        countsText(counts),
        ...(errors === undefined ? [] : [countText(errors, 'error')]),
        ...(repeated === undefined ? [] : [countText(repeated, 'repeated key')]),
        ...namedTexts(defined({ endReason })),
        ...(failure === undefined ? [] : [failureText(failure)]),
      ];
    }
    case 'target.parked':
    case 'actor.gave_up': {
      const { retryAt, times, ...rest } = event.data;
      return [...namedTexts(rest), `tried again ${ageText(retryAt, terminal.now())}`, ...namedTexts({ times })];
    }
    default:
      return namedTexts(event.data);
  }
}

function namedTexts(values: object): string[] {
  return Object.entries(values).map(([name, value]) => `${name}=${valueText(value)}`);
}

/** Formats a change as `old → new`, or as the new value alone where the field was not known. */
export function showChange(change: unknown): string {
  if (typeof change !== 'object' || change === null || !('new' in change)) return valueText(change);
  return 'old' in change ? `${valueText(change.old)} → ${valueText(change.new)}` : valueText(change.new);
}

/** Formats by which scrape, and by which version of its definition, something was read. */
export function scrapeText({ scrape, version }: Pick<HistoryView, 'scrape' | 'version'>): string {
  return scrape === 0 ? 'pulse' : [scrape, version?.slice(0, 8)].filter((part) => part !== undefined).join(' ');
}

/** Formats what delays the next request to a host. */
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

/** Formats the circuit of a source that is stopped or resuming. */
export function circuitText({ state, nextAt, times }: CircuitView, now: number): string {
  const what = state === 'open' ? 'open, as most of its targets failed' : 'resuming, a few targets at first';
  const next = nextAt === undefined ? '' : `; tried again ${ageText(nextAt, now)}`;
  return `${what}${times > 1 ? `, ${times} times in a row` : ''}${next}`;
}
