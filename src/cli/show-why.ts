import type { Result } from '../control/methods.ts';
import type { ObjectiveView, ReasonView, RequestedHold, WhyView } from '../control/methods/why.ts';
import { agesText, ageText, clockText, durationText } from '../time-text.ts';
import { restingText } from './resting-text.ts';
import { circuitText, holdText } from '../view/host-text.ts';
import { goneText, leftFacts, ticketFacts } from './show-target.ts';
import { type Fact, factLines } from './table.ts';
import { showStatus, type Terminal } from './terminal.ts';
import { countText, plainText } from '../view/text.ts';

/** Formats when each target of a project is next due, and why then. */
export function showWhy(terminal: Terminal, { id, status, paused, targets }: Result<'project.why'>): string {
  const isArchived = status === 'archived';
  const outlook = isArchived ? 'archived' : paused === undefined ? 'open' : 'paused';
  const shown = targets.map((target) => showTarget(terminal, target, outlook));
  const heading = terminal.paint('bold', id) + (isArchived ? `  ${showStatus(terminal, status)}` : '');
  const note = paused === undefined ? [] : [terminal.paint('red', pausedText(paused))];
  return [[heading, ...note].join('\n'), ...shown].join('\n\n');
}

/** Formats why nothing is scraped at present. */
export function pausedText(paused: string): string {
  return `nothing is scraped at present: ${plainText(paused)}`;
}

/** Formats when a requested scrape can begin, and what holds it back until then. */
export function heldText({ dueAt, because }: RequestedHold, now: number): string {
  const told = because.filter(({ by, effect }) => by === 'manual' || effect === 'holds');
  return dueAt === undefined ? idleText('active', because, now) : dueText(dueAt, told, now);
}

/** Whether a due target is scraped: not in an archived project, nor while scraping is paused. */
type Outlook = 'open' | 'paused' | 'archived';

function showTarget(terminal: Terminal, why: WhyView, outlook: Outlook): string {
  const now = terminal.now();
  const {
    target,
    source,
    url,
    conditions,
    paceText,
    paceFrom,
    objectives,
    resting = [],
    host,
    line,
    circuit,
    session,
    userAgent,
  } = why;
  const status = outlook === 'archived' && why.status === 'active' ? 'archived' : why.status;
  const facts: readonly Fact[] = [
    ['gone', why.gone && goneText(why.gone, now)],
    ...ticketFacts(why.tickets, now),
    ...leftFacts(why, now),
    ['pace', paceText && `${plainText(paceText)}${paceFrom === undefined ? '' : `, as ${paceFrom} asks`}`],
    ...objectives.map((objective): Fact => ['freshness', objectiveText(objective, now)]),
    ...resting.map((each): Fact => ['freshness', restingText(each, now)]),
    ['host', host && hostText(host, now)],
    ['turn', line && lineText(line, now)],
    ['circuit', circuit && circuitText(circuit, now)],
    ['session', session && [session.code, ...(session.message ? [plainText(session.message)] : [])].join(': ')],
    ['asked as', plainText(userAgent)],
    ['robots.txt', robotsText(why.robots)],
  ];
  return [
    `target ${target}  ${source}  ${[status, ...conditions].map((each) => showStatus(terminal, each)).join(' ')}`,
    `  ${plainText(url)}`,
    `  ${terminal.paint('bold', nextText(why, outlook, now))}`,
    ...factLines(facts),
  ].join('\n');
}

/** Formats when a target is next due, the reason, and what holds it back. */
function nextText({ status, parked, running, dueAt, because }: WhyView, outlook: Outlook, now: number): string {
  if (outlook === 'archived') return 'not due: its project is archived';
  if (parked !== undefined)
    return `parked, tried again at ${instantText(parked.retryAt, now)}: ${plainText(parked.reason)}`;
  const runs = running === undefined ? '' : `scrape ${running} runs; `;
  if (dueAt === undefined) return `${runs}${idleText(status, because, now)}`;
  return `${runs}${outlook === 'paused' ? 'would be ' : ''}${dueText(dueAt, because, now)}`;
}

function dueText(dueAt: number, because: readonly ReasonView[], now: number): string {
  const when = dueAt <= now ? `due now, since ${instantText(dueAt, now)}` : `next at ${instantText(dueAt, now)}`;
  return `${when}: ${reasonsText(because, now)}`;
}

/** Formats why a target is not due at all. */
function idleText(status: string, because: readonly ReasonView[], now: number): string {
  if (status !== 'active') return `not due: it is ${status}`;
  if (because.some(({ by }) => by === 'definition'))
    return 'not due: no definition of its source is loaded, and nothing is asked until it is back';
  const awaited = because.find(({ effect }) => effect === 'awaits');
  if (awaited?.at !== undefined)
    return `not due yet: the day that begins at ${instantText(awaited.at, now)} pays for its next scrape`;
  const paused = because.find(({ by, at }) => by === 'pause' && at === undefined);
  if (paused !== undefined) return `not due until it is resumed: ${plainText(paused.text)}`;
  const closed = because.find(({ by, at }) => by === 'hours' && at === undefined);
  return closed === undefined
    ? 'not due: nothing asks for it'
    : 'not due: the hours in which it may be asked never come';
}

function reasonsText(because: readonly ReasonView[], now: number): string {
  const asks = because.filter(({ effect }) => effect === 'asks');
  const holds = because.filter(({ effect }) => effect === 'holds');
  const [first, ...others] = asks;
  const told = [first === undefined ? 'nothing asks for it' : plainText(first.text)];
  let from = first?.at;
  for (const hold of holds) {
    told.push(`held back${from === undefined ? '' : ` from ${clockText(from, now)}`} by ${plainText(hold.text)}`);
    from = hold.at;
  }
  for (const other of others)
    if (other.at !== undefined) told.push(`${plainText(other.text)} would come at ${instantText(other.at, now)}`);
  return told.join('; ');
}

function objectiveText(objective: ObjectiveView, now: number): string {
  const { field, warnAfterMs, errorAfterMs, isVerified, ageMs, deadlineAt } = objective;
  const limits = agesText({ warnAfterMs, errorAfterMs });
  if (objective.records !== undefined) return recordsText(objective, objective.records, now);
  const what = field === undefined ? '' : `field ${plainText(field)}: `;
  const due =
    deadlineAt <= now
      ? `should have been by ${instantText(deadlineAt, now)}`
      : `to be verified by ${instantText(deadlineAt, now)}`;
  const verified = isVerified ? 'verified' : 'never verified, counted from its creation';
  return `${what}${verified} ${durationText(ageMs)} ago; ${limits}; ${due}${sinceText(objective, now)}`;
}

/** Formats an objective on records by its oldest record, with the records that re-checks missed. */
function recordsText(
  { field, warnAfterMs, errorAfterMs, ageMs, deadlineAt, ...objective }: ObjectiveView,
  { count, overdue, missed }: NonNullable<ObjectiveView['records']>,
  now: number,
): string {
  const limits = agesText({ warnAfterMs, errorAfterMs });
  const what = field === undefined ? '' : ` by field ${plainText(field)}`;
  if (count === 0) return `each record${what}: none yet; ${limits}`;
  const late = overdue === 0 ? `next deadline ${instantText(deadlineAt, now)}` : `${countText(overdue, 'record')} late`;
  const failing = missed.map(
    ({ type, key, times, message, retryAt }) =>
      `; ${plainText(`${type} ${key}`)} was not had in ${countText(times, 're-check')} (${plainText(message)}), again ${ageText(retryAt, now)}`,
  );
  return `each of ${countText(count, 'record')}${what}: the oldest verified ${durationText(ageMs)} ago; ${limits}; ${late}${sinceText({ ...objective, ageMs, deadlineAt }, now)}${failing.join('')}`;
}

/** Formats since when a target is late, and since when its objective is broken where that came later. */
function sinceText({ level, sinceAt, brokenAt }: ObjectiveView, now: number): string {
  if (level === 'fresh' || sinceAt === undefined) return '';
  if (brokenAt === undefined) return `, ${level} since ${instantText(sinceAt, now)}`;
  const warned = brokenAt === sinceAt ? '' : `, warn since ${instantText(sinceAt, now)}`;
  return `${warned}, error since ${instantText(brokenAt, now)}`;
}

function hostText({ key, nextAt, hold, waiting, delayMs }: NonNullable<WhyView['host']>, now: number): string {
  const next =
    nextAt === undefined
      ? hold?.kind === 'pause'
        ? 'is asked nothing until a person resumes it'
        : 'a request under way must come back first'
      : nextAt <= now
        ? 'can be asked now'
        : `can be asked ${ageText(nextAt, now)}`;
  const why = hold === undefined ? '' : ` (${holdText(hold)})`;
  const pause = delayMs === 0 ? '' : `; a pause of ${durationText(delayMs)} as a rule`;
  return `${plainText(key)}: ${next}${why}${pause}; ${waiting === 0 ? 'nobody waits' : `${waiting} wait`}`;
}

const shutTexts = {
  circuit: 'the circuit of its source',
  preparation: 'its robots.txt or a log-in',
  pause: 'the end of a pause',
} as const;

function lineText({ before, shut }: NonNullable<WhyView['line']>, now: number): string {
  const place = before === 0 ? 'first in line' : `in line behind ${countText(before, 'other')}`;
  if (shut === undefined) return place;
  const until = shut.until === undefined ? '' : ` until ${instantText(shut.until, now)}`;
  const waitsFor = shutTexts[shut.waitFor];
  return `${place}, which waits for ${waitsFor}${until}`;
}

function robotsText({ verdict, rule, crawlDelayMs, cause }: WhyView['robots']): string {
  const told = [
    verdict === 'unknown' ? 'not asked for yet' : verdict,
    ...(rule === undefined ? [] : [`by "${plainText(rule)}"`]),
    ...(crawlDelayMs === undefined ? [] : [`crawl-delay ${durationText(crawlDelayMs)}`]),
    ...(cause === undefined ? [] : [plainText(cause)]),
  ];
  return told.join(', ');
}

/** Formats an instant as `14:03:12 UTC (in 12m)`, with the day where it is not today. */
export function instantText(at: number, now: number): string {
  return `${clockText(at, now)} UTC (${ageText(at, now)})`;
}
