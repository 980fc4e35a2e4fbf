import { Command } from 'commander';
import type { Client } from '../../control/client.ts';
import type { HostView } from '../../control/methods/host.ts';
import { defined } from '../../defined.ts';
import { listRows, examples, helpGroups, print, withDaemon } from '../cli.ts';
import { ageText, durationText } from '../../time-text.ts';
import { CommandError } from '../exit-status.ts';
import { limitOption } from '../options.ts';
import { circuitText, holdText, robotsText } from '../../view/host-text.ts';
import { factLines, table } from '../table.ts';
import type { Terminal } from '../terminal.ts';
import { countText, plainText } from '../../view/text.ts';

type HostSource = HostView['sources'][number];

/** `hosts`: shows when each host can next be asked, and why not sooner. */
export function createCommand(terminal: Terminal): Command {
  return new Command('hosts')
    .helpGroup(helpGroups.sources)
    .description('show when each host can next be asked and why not sooner, or everything about one host')
    .argument('[key]', 'the politeness key of one host, or an address on it')
    .option('--limit <count>', 'the most hosts to show; by default all', limitOption)
    .addHelpText('after', examples('heronry hosts', 'heronry hosts https://shop.example', 'heronry hosts --json'))
    .action((key: string | undefined, { limit }: { readonly limit?: number }, command: Command) =>
      withDaemon(terminal, command, async (client) => {
        if (key !== undefined) {
          const host = await findHost(client, key);
          return print(terminal, command, host, () => showHost(terminal, host));
        }
        let isCut = false;
        const listing = { ...defined({ limit }), noun: 'host' };
        const hosts = await listRows(terminal, listing, 'hosts', async (most, after?: string) => {
          const { hosts: some, next, cut } = await client.call('host.list', { limit: most, ...defined({ after }) });
          isCut = cut !== undefined;
          return { hosts: some, next };
        });
        if (isCut) terminal.err('… and perhaps hosts of further targets that were not asked yet');
        if (hosts.length === 0) terminal.err('no host was asked yet, or none lately');
        print(terminal, command, hosts, () => showHosts(terminal, hosts));
      }),
    );
}

/**
 * Resolves with the host of a politeness key, else with the host of an address. Rejects with a `CommandError` where
 * neither is known.
 */
async function findHost(client: Client, key: string): Promise<HostView> {
  const origin = URL.parse(key)?.origin ?? key;
  for (const wanted of new Set([key, origin])) {
    const [host] = (await client.call('host.list', { key: wanted })).hosts;
    if (host) return host;
  }
  throw new CommandError('not_found', `nothing is known of a host "${plainText(key)}"`);
}

function showHosts(terminal: Terminal, hosts: readonly HostView[]): string {
  return table(terminal, hosts, [
    ['HOST', ({ key }) => plainText(key)],
    ['SOURCES', ({ sources }) => sources.map(({ id }) => id).join(', ') || '–', { cutTo: 8 }],
    ['NEXT', (host) => nextText(terminal, host)],
    ['WHY', ({ hold }) => (hold ? holdText(hold) : '–'), { cutTo: 16 }],
    ['BACK-OFF', ({ backOffStep }) => (backOffStep === 0 ? '–' : `step ${backOffStep}`), { spare: true }],
    ['WAITING', ({ waiting }) => String(waiting), { spare: true }],
    ['OPEN', ({ open }) => String(open), { spare: true }],
    ['DELAY', ({ delayMs }) => (delayMs === undefined ? '–' : durationText(delayMs)), { spare: true }],
    ['LATENCY', ({ latencyMs }) => (latencyMs === undefined ? '–' : durationText(latencyMs)), { spare: true }],
    ['ROBOTS', ({ sources }) => [...new Set(sources.map(robotsWord))].join(', ') || '–', { spare: true }],
  ]);
}

function nextText(terminal: Terminal, { nextAt }: HostView): string {
  if (nextAt === undefined) return '–';
  return nextAt <= terminal.now() ? 'now' : ageText(nextAt, terminal.now());
}

function robotsWord({ robots, robotsTxt }: HostSource): string {
  if (robots === 'ignore') return 'ignored';
  if (robotsTxt?.unreachable) return 'unreachable';
  return robotsTxt?.askedAt === undefined ? 'not asked' : 'obeyed';
}

function showHost(terminal: Terminal, host: HostView): string {
  const { key, open, delayMs, latencyMs, failures, backOffStep, hold, retryAfter, sources } = host;
  const now = terminal.now();
  const capped = retryAfter?.capped ? '; it asked for more than the 24h that are honoured' : '';
  return [
    terminal.paint('bold', plainText(key)),
    ...factLines([
      ['next', `${nextText(terminal, host)}${hold ? `: ${holdText(hold)}` : ''}`],
      ['delay', delayMs === undefined ? undefined : `${durationText(delayMs)} as a rule`],
      ['open', countText(open, 'request')],
      ['waiting', waitingText(host, now)],
      ['latency', latencyMs === undefined ? undefined : `${durationText(latencyMs)}, the last`],
      ['failures', failures > 0 ? `${failures} in a row, back-off at step ${backOffStep}` : undefined],
      ['Retry-After', retryAfter && `ends ${ageText(retryAfter.until, now)}${capped}`],
    ]),
    ...sources.flatMap((source) => showSource(source, now)),
    ...(host.cut === undefined ? [] : [`… and more than these ${countText(sources.length, 'source')}`]),
  ].join('\n');
}

function waitingText({ waiting, next }: HostView, now: number): string {
  if (waiting === 0) return 'nobody';
  const first = next.map(({ source, dueAt }) => `${source ?? 'robots.txt or a log-in'} due ${ageText(dueAt, now)}`);
  return `${waiting}: ${first.join(', ')}${waiting > next.length ? ', …' : ''}`;
}

function showSource(
  { id, robots, robotsTxt, userAgent, delayMs, concurrency, circuit }: HostSource,
  now: number,
): string[] {
  const asked = robotsTxt === undefined ? 'its origin is not known yet' : robotsText(robotsTxt, now);
  return [
    `source ${id}`,
    ...factLines([
      ['definition', `a pause of ${durationText(delayMs)}, ${countText(concurrency, 'request')} at a time`],
      ['robots.txt', robots === 'ignore' ? 'ignored' : `obeyed: ${asked}`],
      ['user agent', userAgent && plainText(userAgent)],
      ['circuit', circuit && circuitText(circuit, now)],
    ]),
  ];
}
