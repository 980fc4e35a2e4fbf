import type { Result } from '../control/methods.ts';
import type { PaceView, PromiseView, ReasonView, RequestedHold, WhyView } from '../control/methods/why.ts';
import { ageText, durationText } from './duration.ts';
import { circuitText, holdText } from './show.ts';
import { showStatus } from './show-status.ts';
import type { Terminal } from './terminal.ts';
import { countText, plainText } from './text.ts';

/** When each target of a project is next due, and why then, as sentences. */
export function showWhy(terminal: Terminal, { id, status, paused, targets }: Result<'project.why'>): string {
  const isArchived = status === 'archived';
  const outlook = isArchived ? 'archived' : paused === undefined ? 'open' : 'paused';
  const shown = targets.map((target) => showTarget(terminal, target, outlook));
  const heading = terminal.paint('bold', id) + (isArchived ? `  ${showStatus(terminal, status)}` : '');
  const note = paused === undefined ? [] : [terminal.paint('red', pausedText(paused))];
  return [[heading, ...note].join('\n'), ...shown].join('\n\n');
}

/** That nothing at all is scraped, and why. */
export function pausedText(paused: string): string {
  return `nothing is scraped at present: ${plainText(paused)}`;
}

/** When what a person asked for can begin, and what holds it back until then. */
export function heldText({ dueAt, because }: RequestedHold, now: number): string {
  const told = because.filter(({ by, effect }) => by === 'manual' || effect === 'holds');
  return dueAt === undefined ? idleText('active', because, now) : dueText(dueAt, told, undefined, now);
}

/** Whether what is due will be asked for: an archived project, or a daemon that scrapes nothing, asks for nothing. */
type Outlook = 'open' | 'paused' | 'archived';

function showTarget(terminal: Terminal, why: WhyView, outlook: Outlook): string {
  const now = terminal.now();
  const { target, source, url, conditions, pace, promises, host, circuit, session, userAgent } = why;
  const status = outlook === 'archived' && why.status === 'active' ? 'archived' : why.status;
  const lines = [
    `target ${target}  ${source}  ${[status, ...conditions].map((each) => showStatus(terminal, each)).join(' ')}`,
    `  ${plainText(url)}`,
    `  ${terminal.paint('bold', nextText(why, outlook, now))}`,
  ];
  if (pace !== undefined) lines.push(`  pace         ${paceText(pace, now)}`);
  lines.push(...promises.map((promise) => `  freshness    ${promiseText(promise, now)}`));
  if (host !== undefined) lines.push(`  host         ${hostText(host, now)}`);
  if (circuit !== undefined) lines.push(`  circuit      ${circuitText(circuit, now)}`);
  if (session !== undefined)
    lines.push(
      `  session      ${session.code}${session.message === undefined ? '' : `: ${plainText(session.message)}`}`,
    );
  lines.push(`  asked as     ${plainText(userAgent)}`, `  robots.txt   ${robotsText(why.robots)}`);
  return lines.join('\n');
}

/** The sentence: when, because of what, and what holds it back. */
function nextText({ status, parked, running, dueAt, because, pace }: WhyView, outlook: Outlook, now: number): string {
  if (outlook === 'archived') return 'not due: its project is archived';
  if (parked !== undefined)
    return `parked, tried again at ${instantText(parked.retryAt, now)}: ${plainText(parked.reason)}`;
  const runs = running === undefined ? '' : `scrape ${running} runs; `;
  if (dueAt === undefined) return `${runs}${idleText(status, because, now)}`;
  return `${runs}${outlook === 'paused' ? 'would be ' : ''}${dueText(dueAt, because, pace, now)}`;
}

function dueText(dueAt: number, because: readonly ReasonView[], pace: PaceView | undefined, now: number): string {
  const when = dueAt <= now ? `due now, since ${instantText(dueAt, now)}` : `next at ${instantText(dueAt, now)}`;
  return `${when}: ${reasonsText(because, pace, now)}`;
}

/** Why nothing asks for a turn. */
function idleText(status: string, because: readonly ReasonView[], now: number): string {
  if (status !== 'active') return `not due: it is ${status}`;
  if (because.some(({ by }) => by === 'definition'))
    return 'not due: no definition of its source is loaded, and nothing is asked until it is back';
  const awaited = because.find(({ effect }) => effect === 'awaits');
  if (awaited?.at !== undefined)
    return `not due yet: the day that begins at ${instantText(awaited.at, now)} pays for its next scrape`;
  const closed = because.find(({ by, at }) => by === 'hours' && at === undefined);
  return closed === undefined
    ? 'not due: nothing asks for it'
    : 'not due: the hours in which it may be asked never come';
}

function reasonsText(because: readonly ReasonView[], pace: PaceView | undefined, now: number): string {
  const asks = because.filter(({ effect }) => effect === 'asks');
  const holds = because.filter(({ effect }) => effect === 'holds');
  const [first, ...others] = asks;
  const told = [first === undefined ? 'nothing asks for it' : askText(first, pace)];
  let from = first?.at;
  for (const hold of holds) {
    told.push(`held back${from === undefined ? '' : ` from ${clockText(from, now)}`} by ${holdBackText(hold)}`);
    from = hold.at;
  }
  for (const other of others)
    if (other.at !== undefined) told.push(`${askText(other, pace)} would come at ${instantText(other.at, now)}`);
  return told.join('; ');
}

function askText({ by }: ReasonView, pace: PaceView | undefined): string {
  switch (by) {
    case 'interval':
      return pace?.kind === 'interval' ? `every ${durationText(pace.everyMs)} on its grid` : 'its interval';
    case 'cron':
      return pace?.kind === 'cron' ? `cron "${plainText(pace.pattern)}" in ${pace.zone}` : 'its cron pattern';
    case 'tokens':
      return "the day's plan, paid for with a token";
    case 'continuous':
      return pace?.kind === 'continuous' ? `${durationText(pace.sleepMs)} after the scrape before` : 'it goes on';
    case 'objective':
      return 'its objective, to be verified again in time';
    case 'first':
      return 'its first scrape, after the initial delay';
    case 'manual':
      return 'somebody asked for it';
    case 'restart':
    case 'crash':
    case 'backoff':
    case 'circuit':
    case 'hours':
    case 'definition':
      return holdBackText({ by });
    default:
      return by satisfies never;
  }
}

function holdBackText({ by }: Pick<ReasonView, 'by'>): string {
  switch (by) {
    case 'restart':
      return 'the start of the daemon, which spreads what was overdue';
    case 'crash':
      return 'a crash, after which the initial delay passes again';
    case 'backoff':
      return "its host's back-off";
    case 'circuit':
      return "its source's circuit, which is open";
    case 'hours':
      return 'the hours in which it may be asked';
    case 'definition':
      return 'the lack of a definition of its source';
    default:
      return by;
  }
}

/** What makes it due time and again, with its state. */
export function paceText(pace: PaceView, now: number): string {
  switch (pace.kind) {
    case 'interval': {
      const grid = `${durationText(pace.phaseMs)} behind ${clockText(pace.originAt, now)}`;
      return `every ${durationText(pace.everyMs)}, on a grid ${pace.phaseMs === 0 ? `from ${clockText(pace.originAt, now)}` : grid}`;
    }
    case 'cron':
      return `cron "${plainText(pace.pattern)}", by the clocks of ${pace.zone}`;
    case 'tokens': {
      const found =
        pace.found.length === 0 ? 'nothing known yet' : `the last ${countText(pace.found.length, 'scrape')}`;
      const planned =
        pace.planned.length === 0 ? '' : `; planned ${pace.planned.map((at) => clockText(at, now)).join(', ')}`;
      return `tokens: ${numberText(pace.tokens)} of ${numberText(pace.cap)}, priority ${numberText(pace.priority)} a day by ${found}, at most ${pace.perDay} a day${planned}`;
    }
    case 'continuous': {
      const failed =
        pace.failures === 0
          ? ''
          : `; ${countText(pace.failures, 'failure')} in a row, so up to ${durationText(pace.longestMs)}`;
      return `continuous, ${durationText(pace.sleepMs)} after each end${failed}`;
    }
    case 'objective':
      return `as often as its objective needs: ${agesText(pace)}`;
    default:
      return pace satisfies never;
  }
}

function promiseText(promise: PromiseView, now: number): string {
  const { field, warnAfterMs, errorAfterMs, isVerified, ageMs, deadlineAt } = promise;
  const limits = agesText({ warnAfterMs, errorAfterMs });
  const what = field === undefined ? '' : `field ${plainText(field)}: `;
  const due =
    deadlineAt <= now
      ? `should have been by ${instantText(deadlineAt, now)}`
      : `to be verified by ${instantText(deadlineAt, now)}`;
  const verified = isVerified ? 'verified' : 'never verified, counted from its creation';
  return `${what}${verified} ${durationText(ageMs)} ago; ${limits}; ${due}${sinceText(promise, now)}`;
}

/** Since when it is late, and since when it is broken where that came later. */
function sinceText({ level, sinceAt, brokenAt }: PromiseView, now: number): string {
  if (level === 'fresh' || sinceAt === undefined) return '';
  if (brokenAt === undefined) return `, ${level} since ${instantText(sinceAt, now)}`;
  const warned = brokenAt === sinceAt ? '' : `, warn since ${instantText(sinceAt, now)}`;
  return `${warned}, error since ${instantText(brokenAt, now)}`;
}

function agesText({ warnAfterMs, errorAfterMs }: Pick<PromiseView, 'warnAfterMs' | 'errorAfterMs'>): string {
  return [
    ...(warnAfterMs === undefined ? [] : [`warns after ${durationText(warnAfterMs)}`]),
    ...(errorAfterMs === undefined ? [] : [`is broken after ${durationText(errorAfterMs)}`]),
  ].join(', ');
}

function hostText({ key, nextAt, hold, waiting, delayMs }: NonNullable<WhyView['host']>, now: number): string {
  const next =
    nextAt === undefined
      ? 'a request under way must come back first'
      : nextAt <= now
        ? 'can be asked now'
        : `can be asked ${ageText(nextAt, now)}`;
  const why = hold === undefined ? '' : ` (${holdText(hold)})`;
  const pause = delayMs === 0 ? '' : `; a pause of ${durationText(delayMs)} as a rule`;
  return `${plainText(key)}: ${next}${why}${pause}; ${waiting === 0 ? 'nobody waits' : `${waiting} wait`}`;
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

/** `14:03:12 UTC (in 12m)`; with its day where that is another one. */
export function instantText(at: number, now: number): string {
  return `${clockText(at, now)} UTC (${ageText(at, now)})`;
}

/** An instant by the clocks of UTC, with its day where that is not today. */
export function clockText(at: number, now: number): string {
  const [day = '', time = ''] = new Date(at).toISOString().slice(0, 19).split('T');
  return day === new Date(now).toISOString().slice(0, 10) ? time : `${day} ${time}`;
}

/** At most two places behind the point. */
function numberText(value: number): string {
  return String(Math.round(value * 100) / 100);
}
