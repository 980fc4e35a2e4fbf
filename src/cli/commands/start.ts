import { join, resolve } from 'node:path';
import { Command, Option } from 'commander';
import { defined } from '../../defined.ts';
import { examples, globalOptions, helpGroups, print } from '../cli.ts';
import type { Detached } from '../detached.ts';
import { CommandError } from '../exit-status.ts';
import { configName, projectFolder } from '../project-folder.ts';
import type { Terminal } from '../terminal.ts';

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

interface Options {
  readonly role: 'all' | 'api';
  readonly config?: string;
  readonly data?: string;
  readonly sources?: string;
  readonly apiOnly?: boolean;
  readonly logLevel?: (typeof logLevels)[number];
  readonly detach?: boolean;
  readonly log?: string;
}

/** The options that mean nothing where this process is not the daemon. */
const ofDaemonAlone = [
  ['--data', 'data'],
  ['--sources', 'sources'],
  ['--api-only', 'apiOnly'],
  ['--detach', 'detach'],
  ['--log', 'log'],
] as const;

const roleHelp = `
Roles, to split it over machines (docs/workers.md):
  --role all      the daemon: the scheduler and all that is kept. Alone, it asks sites and serves as well
  --role api      serves HTTP for the daemon that \`http: { daemon: … }\` of its configuration names, and keeps nothing
  heronry worker  asks sites and reads pages for the daemon`;

/** `start`: runs the daemon in the foreground, or in a process of its own. */
export function createCommand(terminal: Terminal): Command {
  return new Command('start')
    .helpGroup(helpGroups.begin)
    .description('run the daemon in the foreground, until interrupted or told to stop; with --detach in the background')
    .option(
      '-c, --config <file>',
      'the configuration; by default the heronry.yaml of the present folder, or the nearest above it, if there is one',
    )
    .option('--data <folder>', 'the folder of its data')
    .option('--sources <folder>', 'the folder of definitions')
    .addOption(
      new Option('--role <role>', 'the part that this process plays; see below').choices(['all', 'api']).default('all'),
    )
    .option('--api-only', 'only serve the control methods: no scrapes, no pulses')
    .addOption(new Option('--log-level <level>', 'the lowest level that is logged').choices(logLevels))
    .option('--detach', 'run it in the background: return when it listens, or when it could not start')
    .option('--log <file>', 'with --detach: append its log to this file; by default to daemon.log in its data folder')
    .addHelpText(
      'after',
      examples(
        'heronry start',
        'heronry start --detach',
        'heronry start --data /srv/heronry --sources definitions',
        'heronry start --api-only',
        'heronry start --role api --config edge.yaml',
      ),
    )
    .addHelpText('after', roleHelp)
    .action(async (options: Options, command: Command) => {
      const { role, config, data, sources, apiOnly, logLevel, detach = false, log } = options;
      const [flag] = ofDaemonAlone.find(([, name]) => options[name] !== undefined) ?? [];
      if (role === 'api' && flag !== undefined)
        throw new CommandError('usage', `start: --role api: expected no ${flag} beside it, which is for the daemon`);
      if (log !== undefined && !detach)
        throw new CommandError('usage', 'start: --log: expected --detach beside it; redirect the error stream without');
      const { socket } = globalOptions(command);
      const absolute = (path: string | undefined) => (path === undefined ? undefined : resolve(terminal.cwd, path));
      const project = projectFolder(terminal.cwd);
      const file = absolute(config) ?? (project && join(project, configName));
      if (role === 'api') {
        const { runApi } = await import('../../api.ts');
        process.exitCode = await runApi(defined({ config: file, logLevel }));
        return;
      }
      const places = defined({ socket: absolute(socket), data: absolute(data) });
      const asked = defined({ ...places, config: file, sources: absolute(sources), apiOnly, logLevel });
      if (detach) {
        const { startDetached } = await import('../detached.ts');
        const started = await startDetached(asked, absolute(log));
        if (typeof started === 'number') process.exitCode = started;
        else print(terminal, command, started, detachedText);
        return;
      }
      const [{ startPlace }, { tellStarting }] = await Promise.all([import('../socket.ts'), import('../starting.ts')]);
      // Before all that takes long to load, so that a command which is run at once finds it.
      const listens = tellStarting(await startPlace(terminal, file, places));
      const { exitProcess, runDaemon } = await import('../../daemon.ts');
      const status = await runDaemon({ ...asked, listens });
      // BullMQ leaves connections and timers behind where the server of the queues was away.
      exitProcess(status);
    });
}

function detachedText({ pid, socket, data, log }: Detached): string {
  return `the daemon listens at ${socket} (pid ${pid})\nits data: ${data}\nits log:  ${log}`;
}
