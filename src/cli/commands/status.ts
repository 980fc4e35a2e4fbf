import { Command } from 'commander';
import type { DaemonStatus } from '../../control/methods/daemon.ts';
import { examples, helpGroups, print, withDaemon } from '../cli.ts';
import { CommandError } from '../exit-status.ts';
import { ageText } from '../../time-text.ts';
import { showStatus, type Terminal } from '../terminal.ts';
import { pausedWhat, pauseText } from '../../view/pause.ts';
import { isHeldUp, isHeldUpForLong, queuesText } from '../../view/queues.ts';
import { stoppedText } from '../../view/stopped.ts';
import { bytesText, countText, plainText } from '../../view/text.ts';

/** `status`: shows the state of the daemon. */
export function createCommand(terminal: Terminal): Command {
  return new Command('status')
    .helpGroup(helpGroups.daemon)
    .description('show the state of the daemon')
    .option(
      '--check',
      'for a monitor: one line on standard output, and exits with 1 if something is wrong that nobody has acknowledged or snoozed',
    )
    .addHelpText('after', examples('heronry status', 'heronry status --check', 'heronry status --json'))
    .action(({ check }: { readonly check?: true }, command: Command) =>
      withDaemon(terminal, command, async (client) => {
        const status = await client.call('daemon.status', {});
        const troubles = check === true ? troublesOf(status, terminal.now()) : [];
        const line = troubles.length > 0 ? troubles.join('; ') : wellText(status);
        print(terminal, command, status, () => (check === true ? line : showDaemon(terminal, status)));
        if (troubles.length > 0) throw new CommandError('failed', line, { isTold: true });
      }),
    );
}

/** What is wrong with the daemon, or with what it tracks, and neither acknowledged nor snoozed. */
function troublesOf(status: DaemonStatus, now: number): string[] {
  const { tickets, paused, backup, sources, stopped, targets, queues, version } = status;
  const { uninitialised = 0 } = sources;
  return [
    ...(tickets.open > 0 ? [`${countText(tickets.open, 'ticket')} ${tickets.open === 1 ? 'is' : 'are'} open`] : []),
    ...(paused === undefined ? [] : [`scraping is paused: ${plainText(paused)}`]),
    ...(backup?.failure === undefined ? [] : [`the backup stands still: ${plainText(backup.failure)}`]),
    ...(stopped?.map((each) => stoppedText(each, now)) ?? []),
    ...(queues !== undefined && isHeldUpForLong(queues, now) ? [`queues: ${queuesText(queues, version, now)}`] : []),
    ...(sources.broken > 0 ? [`${countText(sources.broken, 'source')} with problems`] : []),
    ...(uninitialised > 0 ? [`${countText(uninitialised, 'source')} without a secret: heronry sources`] : []),
    ...brokenTexts(status).map((text) => `${text} with problems`),
    ...(sources.missing > 0 ? [`${countText(sources.missing, 'source')} with targets, but without a definition`] : []),
    ...(targets.parked > 0
      ? [`${countText(targets.parked, 'target')} ${targets.parked === 1 ? 'is' : 'are'} parked`]
      : []),
  ];
}

/** Counts the files with problems that define no source, by what they define. */
function brokenTexts({ brokenFiles }: DaemonStatus): string[] {
  const { types = 0, sinks = 0, pipelines = 0 } = brokenFiles ?? {};
  const counts = [
    ['type', types],
    ['sink', sinks],
    ['pipeline', pipelines],
  ] as const;
  return counts.filter(([, count]) => count > 0).map(([noun, count]) => countText(count, noun));
}

function wellText({ projects, targets, sources, tickets }: DaemonStatus): string {
  const counts = [
    countText(projects.active, 'project'),
    countText(targets.active, 'target'),
    countText(sources.ready, 'source'),
  ];
  const { acknowledged, snoozed } = tickets;
  const known = [
    ...(acknowledged > 0 ? [`; ${countText(acknowledged, 'ticket')} acknowledged`] : []),
    ...(snoozed > 0 ? [`; ${countText(snoozed, 'ticket')} snoozed`] : []),
  ];
  return `ok: ${counts.join(', ')}${known.join('')}`;
}

function showDaemon(terminal: Terminal, status: DaemonStatus): string {
  const { projects, targets, sources, scrapes } = status;
  const remaining = status.remaining > 0 ? `, ${countText(status.remaining, 'actor')} still to start` : '';
  const broken = sources.broken > 0 ? terminal.paint('red', `, ${sources.broken} with problems`) : '';
  const unready = sources.uninitialised ?? 0;
  const secrets = unready > 0 ? terminal.paint('red', `, ${unready} of them without a secret: heronry sources`) : '';
  const missing =
    sources.missing > 0 ? terminal.paint('red', `, ${sources.missing} with targets, but without a definition`) : '';
  const parked = targets.parked > 0 ? terminal.paint('red', `, ${targets.parked} parked`) : '';
  const paused = status.paused === undefined ? '' : terminal.paint('red', ', but scraping is paused');
  const lines = [
    `heronry ${status.version} is ${showStatus(terminal, status.state)}${remaining}${paused}`,
    `started   ${ageText(status.startedAt, terminal.now())}, pid ${status.pid}, Node ${status.node}`,
    `load      ${bytesText(status.memoryBytes)} of memory; the loop is up to ${status.loopDelayMs} ms late${commitsText(status)}`,
    `projects  ${projects.active} active, ${projects.finished} finished, ${projects.archived} archived`,
    `targets   ${targets.active} active, ${targets.finished} finished, ${targets.disabled} disabled${parked}`,
    `sources   ${sources.ready} ready${secrets}${broken}${missing}`,
    ...brokenTexts(status).map((text) => terminal.paint('red', `broken    ${text} with problems: heronry validate`)),
    `scrapes   ${scrapes.running} running, ${scrapes.waiting} waiting; since the start ${scrapes.complete} complete, ${scrapes.failed} failed, ${scrapes.aborted ?? 0} aborted, ${scrapes.cancelled} cancelled`,
    ...ticketLines(terminal, status),
    `turns     ${offersText(terminal, status)}`,
    ...backlogLines(terminal, status),
    ...queuesLines(terminal, status),
    ...(status.config === undefined ? [] : [`config    ${status.config}`]),
    `data      ${status.data}`,
    `socket    ${status.socket}`,
    ...backupLines(terminal, status),
    ...stoppedLines(terminal, status),
  ];
  if (status.apiOnly === true) lines.push('mode      serves its control methods alone, and scrapes nothing');
  if (status.paused !== undefined) lines.push(terminal.paint('red', `paused    ${fullText(terminal, status)}`));
  for (const pause of status.pauses ?? [])
    if ((pause.source ?? pause.host) !== undefined)
      lines.push(terminal.paint('yellow', `paused    ${pausedWhat(pause)}: ${pauseText(pause, terminal.now())}`));
  return lines.join('\n');
}

function ticketLines(terminal: Terminal, { tickets: { open, acknowledged, snoozed } }: DaemonStatus): string[] {
  if (open + acknowledged + snoozed === 0) return [];
  const counts = [
    ...(open > 0 ? [terminal.paint('red', `${open} open`)] : []),
    ...(acknowledged > 0 ? [`${acknowledged} acknowledged`] : []),
    ...(snoozed > 0 ? [`${snoozed} snoozed`] : []),
  ];
  return [`tickets   ${counts.join(', ')}: heronry tickets`];
}

function backupLines(terminal: Terminal, { backup }: DaemonStatus): string[] {
  if (backup === undefined) return [];
  const { upToAt, failure } = backup;
  const upTo = upToAt === undefined ? 'no whole copy since the start' : `up to ${ageText(upToAt, terminal.now())}`;
  const standsStill = failure === undefined ? '' : terminal.paint('red', `, stands still: ${plainText(failure)}`);
  return [`backup    ${upTo}${standsStill}`];
}

function stoppedLines(terminal: Terminal, { stopped = [] }: DaemonStatus): string[] {
  return stopped.map((each) => terminal.paint('red', `stopped   ${stoppedText(each, terminal.now())}`));
}

const waitTexts: Readonly<Record<Exclude<DaemonStatus['offers'][number]['waitFor'], 'room'>, string>> = {
  gap: "for their hosts' pauses",
  crawl_delay: 'for crawl-delays',
  throttle: 'for throttled hosts',
  retry_after: 'for a Retry-After',
  back_off: 'for a back-off',
  concurrency: 'for requests under way',
  unsent: 'for requests about to be sent',
  circuit: 'for circuits',
  preparation: 'for robots.txt or a log-in',
  pause: 'as they are paused',
};

/** Formats how many offers wait for turns, what they wait for, and since when the oldest of each was due. */
function offersText(terminal: Terminal, { offers, queues }: DaemonStatus): string {
  if (offers.length === 0) return 'nobody waits';
  return offers
    .map(
      ({ waitFor, offers: count, oldestAt }) =>
        `${count} wait ${waitFor === 'room' ? roomText(queues) : waitTexts[waitFor]}, due since ${ageText(oldestAt, terminal.now())}`,
    )
    .join('; ');
}

/** Says what offers wait for that nothing but room in flight holds back. */
function roomText(queues: DaemonStatus['queues']): string {
  switch (queues?.state) {
    case undefined:
      return 'for room in the daemon';
    case 'ready':
      return 'for room in the daemon, or a worker process that has a slot';
    case 'unattended':
    case 'idle':
      return 'for a worker process';
    default:
      return 'for the queues';
  }
}

/** Formats the backlog, in which each host counts once. */
function backlogLines(terminal: Terminal, { backlog: { turns, oldestAt }, queues }: DaemonStatus): string[] {
  if (oldestAt === undefined) return [];
  const hosts = `${countText(turns, 'host')} could be asked now, and ${turns === 1 ? 'waits' : 'wait'}`;
  const room = queues === undefined || queues.state === 'ready' ? 'for room in flight' : roomText(queues);
  return [`backlog   ${hosts} ${room}, since ${ageText(oldestAt, terminal.now())}`];
}

function queuesLines(terminal: Terminal, { queues, version }: DaemonStatus): string[] {
  if (queues === undefined) return [];
  const text = queuesText(queues, version, terminal.now());
  return [`queues    ${isHeldUp(queues) ? terminal.paint('red', text) : text}`];
}

/** Formats how many changes shared a transaction of the store; nothing before the first. */
function commitsText({ commits: { transactions, changes } }: DaemonStatus): string {
  return transactions === 0 ? '' : `; ${(changes / transactions).toFixed(1)} changes a transaction`;
}

/** Formats why scraping is paused, and when it may go on. */
function fullText(terminal: Terminal, { paused = '', pausedUntil, pauses = [] }: DaemonStatus): string {
  const isByHand = pauses.some(({ source, host }) => (source ?? host) === undefined);
  if (pausedUntil === undefined || isByHand) return plainText(paused);
  return `${plainText(paused)}; whether there is room again is tried ${ageText(pausedUntil, terminal.now())}`;
}
