import type { DaemonStatus } from '../control/methods/daemon.ts';

/** The `Content-Type` of the text format of Prometheus. */
export const figuresType = 'text/plain; version=0.0.4; charset=utf-8';

/** A sample of a metric: its labels, and its value. */
type Sample = readonly [labels: Readonly<Record<string, string>>, value: number];

/** Writes the state of the daemon in the text format of Prometheus. No project and no address is a label, as these have no bound. */
export function figuresText(status: DaemonStatus): string {
  const { scrapes, projects, targets, tickets, sources, commits } = status;
  const { running, waiting, complete, failed, aborted = 0, cancelled } = scrapes;
  return [
    family('heronry_info', 'gauge', 'The version of the daemon and of its run time.', [
      [{ version: status.version, node: status.node }, 1],
    ]),
    family('heronry_ready', 'gauge', 'Whether all that should run was started, and scraping is not paused.', [
      [{}, Number(status.state === 'ready' && status.paused === undefined)],
    ]),
    family('heronry_start_time_seconds', 'gauge', 'When the daemon started, in seconds since 1970.', [
      [{}, status.startedAt / 1_000],
    ]),
    family('heronry_memory_bytes', 'gauge', "Memory of the process's own, without the mapped file of the store.", [
      [{}, status.memoryBytes],
    ]),
    family('heronry_loop_delay_seconds', 'gauge', 'How late the event loop was of late, as a 99th percentile.', [
      [{}, status.loopDelayMs / 1_000],
    ]),
    family('heronry_projects', 'gauge', 'Projects by status.', byName('status', projects)),
    family('heronry_targets', 'gauge', 'Targets by status.', byName('status', targets)),
    family('heronry_sources', 'gauge', 'Sources by the state of their definitions.', byName('state', sources)),
    family('heronry_tickets', 'gauge', 'Tickets that are not resolved, by state.', byName('state', tickets)),
    family('heronry_worker_online', 'gauge', 'Whether an engine that runs steps is there.', [[{ worker: 'local' }, 1]]),
    family('heronry_scrapes_running', 'gauge', 'Scrapes under way.', [[{ worker: 'local' }, running]]),
    family('heronry_scrapes_waiting', 'gauge', 'Scrapes that were asked for and have not begun.', [[{}, waiting]]),
    family(
      'heronry_scrapes_total',
      'counter',
      'Scrapes that ended since the daemon started, by outcome.',
      byName('status', { complete, failed, aborted, cancelled }),
    ),
    family(
      'heronry_offers',
      'gauge',
      'Due targets and requests that wait for turns, by what they wait for.',
      status.offers.map(({ waitFor, offers }) => [{ wait_for: waitFor }, offers]),
    ),
    family('heronry_commits_total', 'counter', 'Transactions of the store since the daemon started.', [
      [{}, commits.transactions],
    ]),
    family('heronry_changes_total', 'counter', 'Changes in these transactions.', [[{}, commits.changes]]),
    family('heronry_last_event_id', 'gauge', 'The id of the newest event.', [[{}, status.lastEvent]]),
  ].join('');
}

function byName(label: string, counts: Readonly<Record<string, number>>): Sample[] {
  return Object.entries(counts).map(([name, count]) => [{ [label]: name }, count]);
}

function family(name: string, type: 'gauge' | 'counter', help: string, samples: readonly Sample[]): string {
  const lines = samples.map(([labels, value]) => `${name}${labelsText(labels)} ${value}`);
  return `${[`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines].join('\n')}\n`;
}

function labelsText(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function escaped(value: string): string {
  return value
    .replaceAll('\\', String.raw`\\`)
    .replaceAll('"', String.raw`\"`)
    .replaceAll('\n', String.raw`\n`);
}
