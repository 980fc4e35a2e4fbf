import { Command } from 'commander';
import type { Client } from '../../control/client.ts';
import type { HostView } from '../../control/methods/host.ts';
import { allSlices } from '../all-slices.ts';
import { examples, print, withDaemon } from '../cli.ts';
import { ageText, durationText } from '../duration.ts';
import { CommandError, exitStatus } from '../exit-status.ts';
import { countOption } from '../options.ts';
import { circuitText, holdText } from '../show.ts';
import { table } from '../table.ts';
import type { Terminal } from '../terminal.ts';
import { countText, plainText } from '../text.ts';

type HostSource = HostView['sources'][number];

/** `hosts`: when each host can next be asked, and why not sooner. */
export function hostsCommand(terminal: Terminal): Command {
  return new Command('hosts')
    .description('show when each host can next be asked and why not sooner, or all of one')
    .argument('[key]', 'the politeness key of one, or an URL on it')
    .option('--limit <count>', 'at most so many', countOption, 1_000)
    .addHelpText('after', examples('heronry hosts', 'heronry hosts https://shop.example', 'heronry hosts --json'))
    .action((key: string | undefined, { limit }: { readonly limit: number }, command: Command) =>
      withDaemon(terminal, command, async (client) => {
        if (key !== undefined) {
          const host = await findHost(client, key);
          return print(terminal, command, host, () => showHost(terminal, host));
        }
        const hosts = await allSlices<HostView, string>(limit, async (most, from) => {
          const slice = { limit: most, ...(from !== undefined && { after: from }) };
          const { hosts: rows, next } = await client.call('host.list', slice);
          return { rows, next };
        });
        if (hosts.length === 0) terminal.err('no host was asked yet, or none lately');
        print(terminal, command, hosts, () => showHosts(terminal, hosts));
      }),
    );
}

/** The host of that key, or else the one that an URL is on. */
async function findHost(client: Client, key: string): Promise<HostView> {
  const origin = URL.parse(key)?.origin ?? key;
  for (const wanted of new Set([key, origin])) {
    const [host] = (await client.call('host.list', { key: wanted })).hosts;
    if (host) return host;
  }
  throw new CommandError(exitStatus.notFound, `nothing is known of a host "${plainText(key)}"`);
}

function showHosts(terminal: Terminal, hosts: readonly HostView[]): string {
  if (hosts.length === 0) return '';
  const rows = hosts.map((host) => [
    plainText(host.key),
    host.sources.map(({ id }) => id).join(', ') || '–',
    nextText(terminal, host),
    host.hold ? holdText(host.hold) : '–',
    host.backOffStep === 0 ? '–' : `step ${host.backOffStep}`,
    String(host.waiting),
    String(host.open),
    host.delayMs === undefined ? '–' : durationText(host.delayMs),
    host.latencyMs === undefined ? '–' : durationText(host.latencyMs),
    [...new Set(host.sources.map(robotsWord))].join(', ') || '–',
  ]);
  const headings = ['HOST', 'SOURCES', 'NEXT', 'WHY', 'BACK-OFF', 'WAITING', 'OPEN', 'DELAY', 'LATENCY', 'ROBOTS'];
  return table(terminal, headings, rows);
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
  const lines = [
    terminal.paint('bold', plainText(key)),
    `  next         ${nextText(terminal, host)}${hold ? `: ${holdText(hold)}` : ''}`,
    ...(delayMs === undefined ? [] : [`  delay        ${durationText(delayMs)} as a rule`]),
    `  open         ${countText(open, 'request')}`,
    `  waiting      ${waitingText(host, now)}`,
  ];
  if (latencyMs !== undefined) lines.push(`  latency      ${durationText(latencyMs)}, the last`);
  if (failures > 0) lines.push(`  failures     ${failures} in a row, back-off at step ${backOffStep}`);
  if (retryAfter) {
    const capped = retryAfter.capped ? '; it asked for more than the 24h that are honoured' : '';
    lines.push(`  Retry-After  ends ${ageText(retryAfter.until, now)}${capped}`);
  }
  return [...lines, ...sources.flatMap((source) => showSource(source, now))].join('\n');
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
    `  definition   a pause of ${durationText(delayMs)}, ${countText(concurrency, 'request')} at a time`,
    `  robots.txt   ${robots === 'ignore' ? 'ignored' : `obeyed: ${asked}`}`,
    ...(userAgent === undefined ? [] : [`  user agent   ${plainText(userAgent)}`]),
    ...(circuit === undefined ? [] : [`  circuit      ${circuitText(circuit, now)}`]),
  ];
}

function robotsText(
  { askedAt, askAt, status, rules, crawlDelayMs, unreachable }: NonNullable<HostSource['robotsTxt']>,
  now: number,
): string {
  if (askedAt === undefined) return 'not asked for yet';
  return [
    `asked ${ageText(askedAt, now)}`,
    ...(status === undefined ? [] : [`status ${status}`, countText(rules ?? 0, 'rule')]),
    ...(crawlDelayMs === undefined ? [] : [`crawl-delay ${durationText(crawlDelayMs)}`]),
    ...(unreachable === undefined
      ? []
      : [`unreachable ${countText(unreachable.times, 'time')} since: ${plainText(unreachable.cause)}`]),
    ...(askAt === undefined ? [] : [`again ${askAt <= now ? 'when needed' : ageText(askAt, now)}`]),
  ].join(', ');
}
