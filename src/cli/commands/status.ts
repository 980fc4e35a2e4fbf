import { Command } from 'commander';
import type { DaemonStatus } from '../../control/methods/daemon.ts';
import { examples, print, withDaemon } from '../cli.ts';
import { ageText } from '../duration.ts';
import { showStatus } from '../show-status.ts';
import type { Terminal } from '../terminal.ts';
import { bytesText, countText, plainText } from '../text.ts';

/** `status`: how the daemon fares. */
export function statusCommand(terminal: Terminal): Command {
  return new Command('status')
    .description('show how the daemon fares')
    .addHelpText('after', examples('heronry status', 'heronry status --json'))
    .action((_options: object, command: Command) =>
      withDaemon(terminal, command, async (client) => {
        const status = await client.call('daemon.status', {});
        print(terminal, command, status, () => showDaemon(terminal, status));
      }),
    );
}

function showDaemon(terminal: Terminal, status: DaemonStatus): string {
  const { projects, targets, sources, scrapes } = status;
  const remaining = status.remaining > 0 ? `, ${countText(status.remaining, 'target')} still to start` : '';
  const broken = sources.broken > 0 ? terminal.paint('red', `, ${sources.broken} with problems`) : '';
  const parked = targets.parked > 0 ? terminal.paint('red', `, ${targets.parked} parked`) : '';
  const paused = status.paused === undefined ? '' : terminal.paint('red', ', but scraping is paused');
  const lines = [
    `heronry ${status.version} is ${showStatus(terminal, status.state)}${remaining}${paused}`,
    `started   ${ageText(status.startedAt, terminal.now())}, pid ${status.pid}, Node ${status.node}, ${bytesText(status.memoryBytes)}`,
    `projects  ${projects.active} active, ${projects.finished} finished, ${projects.archived} archived`,
    `targets   ${targets.active} active, ${targets.finished} finished, ${targets.disabled} disabled${parked}`,
    `sources   ${sources.ready} ready${broken}`,
    `scrapes   ${scrapes.running} running, ${scrapes.waiting} waiting; since the start ${scrapes.complete} complete, ${scrapes.failed} failed, ${scrapes.cancelled} cancelled`,
    `data      ${status.data}`,
    `socket    ${status.socket}`,
  ];
  if (status.apiOnly === true) lines.push('mode      serves its control methods alone, and scrapes nothing');
  if (status.paused !== undefined) lines.push(terminal.paint('red', `paused    ${pauseText(terminal, status)}`));
  return lines.join('\n');
}

/** Why nothing is scraped, and when that is tried again. */
function pauseText(terminal: Terminal, { paused = '', pausedUntil }: DaemonStatus): string {
  if (pausedUntil === undefined) return plainText(paused);
  return `${plainText(paused)}; whether there is room again is tried ${ageText(pausedUntil, terminal.now())}`;
}
