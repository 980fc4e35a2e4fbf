import { once } from 'node:events';
import { createServer } from 'node:net';
import { rmSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { connect, ConnectionError, type Client } from '../control/client.ts';
import { demoConfig, demoProjects, installSources } from './install.ts';
import { launcherFile } from '../own-package.ts';
import { endText, startProcess } from '../process/own-process.ts';
import { showOn, type Output, type Show } from './show.ts';
import { startWeb } from './web.ts';

/** How the demo runs. */
export interface DemoOptions {
  /** The duration of the demo, in ms. Default: until Ctrl-C. */
  readonly forMs?: number;
  /** The seed from which the demo web is computed; another seed gives other figures. Default: 1. */
  readonly seed?: number;
  /** Tells events and summary as JSON, one object per line. */
  readonly json?: boolean;
  /** The stream to which events are written. Default: standard output. */
  readonly output?: Output;
  /** The file of the daemon's program. Default: the program that runs now. */
  readonly program?: string;
}

/** The longest start of the daemon, in milliseconds. */
const readyMs = 30_000;
const askAgainMs = 50;
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** A second signal within this time, in milliseconds, counts as the first one. */
const patienceMs = 1_000;
/** The interval, in milliseconds, of asking whether the process that started this one still lives. No system tells when it ends. */
const parentEveryMs = 500;

/**
 * Opens a web of its own, tracks it with a real daemon and shows what happens. The daemon is a process of its own in a
 * temporary folder. Web, daemon and folder are gone when this resolves with the exit status: 0 when its time was over, a
 * signal ended it or the process that started it has gone, 1 when the daemon died. Rejects if the daemon is not ready within 30 s.
 */
export async function runDemo({
  forMs,
  seed = 1,
  json = false,
  output = process.stdout,
  program = launcherFile,
}: DemoOptions = {}): Promise<number> {
  using interruption = interruptible();
  await using cleanup = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'heronry-demo-'));
  // A process that exits at once, as when its output is closed, has no time for anything that waits.
  const sweep = () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  process.once('exit', sweep);
  cleanup.defer(() => void process.removeListener('exit', sweep));
  cleanup.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

  const openedAt = Date.now();
  const web = await startWeb({ seed, openedAt });
  cleanup.defer(() => web.close());
  await installSources(join(folder, 'sources'), web.origin, openedAt);
  await writeFile(join(folder, 'heronry.yaml'), `${demoConfig}http: { port: ${await freePort()} }\n`);
  const socket =
    process.platform === 'win32' ? String.raw`\\.\pipe\heronry-demo-${process.pid}` : join(folder, 'control.sock');
  const daemon = await startProcess(program, [
    'start',
    '--config',
    join(folder, 'heronry.yaml'),
    '--data',
    join(folder, 'data'),
    '--socket',
    socket,
    '--sources',
    join(folder, 'sources'),
  ]);
  cleanup.use(daemon);

  const over = new AbortController();
  const stop = AbortSignal.any([interruption.signal, over.signal]);
  const show = showOn(output, json);
  const startedAt = performance.now();
  try {
    const life = watch({ show, socket, origin: web.origin, forMs, stop });
    const first = await Promise.race([life, daemon.ended]);
    if (first === 'over') return 0;
    const died = first === 'hung up' ? await daemon.stop() : first;
    show.say(`the daemon ${endText(died)}; the last it wrote:\n${died.tail.join('\n')}`);
    return 1;
  } finally {
    over.abort();
    show.end(performance.now() - startedAt);
  }
}

interface Watch {
  readonly show: Show;
  readonly socket: string;
  readonly origin: string;
  readonly forMs: number | undefined;
  readonly stop: AbortSignal;
}

/** Adds the projects and shows what the daemon tells, until its time is over, `stop` fires, or the daemon hangs up. */
async function watch({ show, socket, origin, forMs, stop }: Watch): Promise<'over' | 'hung up'> {
  try {
    using client = await readyClient(socket, stop);
    if (client === undefined) return 'over';
    show.say(`a web at ${origin}, a daemon at ${socket}: try \`heronry --socket ${socket} list\` in another terminal`);
    show.say(await dashboardText(client, socket));
    const projects = demoProjects(origin);
    let firstScrapes = 0;
    await client.subscribe({ after: 0 }, (event) => {
      show.take(event);
      if (event.type !== 'scrape.completed' || (firstScrapes += 1) !== projects.length) return;
      // By now what was found at first has scrolled the address away, and the code in it may be used.
      void dashboardText(client, socket).then((text) => {
        if (!stop.aborted) show.say(text);
      });
    });
    for (const project of projects) await client.call('project.add', project);
    return await Promise.race([
      client.closed.then(() => 'hung up' as const),
      pause(forMs, stop).then(() => 'over' as const),
    ]);
  } catch (error) {
    if (error instanceof ConnectionError && error.code === 'hung_up') return 'hung up';
    throw error;
  }
}

/** Says where the dashboard is. The port may have been taken since it was found free: the demo goes on without. */
async function dashboardText(client: Client, socket: string): Promise<string> {
  try {
    const { url } = await client.call('login.invite', {});
    return `the dashboard, once and within two minutes: ${url} (\`heronry --socket ${socket} dashboard\` prints another address)`;
  } catch (error) {
    return `there is no dashboard: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** A port of the loopback address that nobody listens at. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  if (typeof address !== 'object' || address === null) throw new Error('expected a server that listens at a port');
  return address.port;
}

/** A connection to the daemon once it is ready; nothing when `stop` fires before. Another process' start can only be asked for again and again. */
async function readyClient(socket: string, stop: AbortSignal): Promise<(Client & Disposable) | undefined> {
  const deadline = performance.now() + readyMs;
  let client: Client | undefined;
  while (!stop.aborted) {
    client ??= await connected(socket);
    const open = client;
    if (open !== undefined && (await open.call('daemon.status', {})).state === 'ready')
      return { ...open, [Symbol.dispose]: () => open.close() };
    if (performance.now() > deadline) throw new Error(`expected the daemon to be ready within ${readyMs / 1_000} s`);
    await pause(askAgainMs, stop);
  }
  client?.close();
  return undefined;
}

async function connected(socket: string): Promise<Client | undefined> {
  try {
    return await connect(socket);
  } catch (error) {
    if (error instanceof ConnectionError && error.code === 'no_daemon') return undefined;
    throw error;
  }
}

/** Waits so long, or for ever, but no longer than until `stop` fires. */
async function pause(ms: number | undefined, stop: AbortSignal): Promise<void> {
  if (stop.aborted) return;
  if (ms === undefined) return void (await once(stop, 'abort'));
  await wait(ms, undefined, { signal: stop }).catch((error: unknown) => {
    if (!stop.aborted) throw error;
  });
}

/**
 * Aborts `signal` when a signal first asks this process to end, or when the process that started it has gone. A signal that comes a
 * second or more later ends the process at once. An earlier one is the same Ctrl-C again, since a whole group of processes gets it and
 * the launcher passes it on.
 */
function interruptible(): Disposable & { readonly signal: AbortSignal } {
  const controller = new AbortController();
  const fire = () => {
    if (!controller.signal.aborted) setTimeout(release, patienceMs).unref();
    controller.abort();
  };
  const parent = process.ppid;
  const watch = setInterval(() => process.ppid === parent || fire(), parentEveryMs).unref();
  const release = () => signals.forEach((signal) => process.removeListener(signal, fire));
  for (const signal of signals) process.on(signal, fire);
  return {
    signal: controller.signal,
    // After a signal its timer releases: the second one may come when the demo has ended and its process has not.
    [Symbol.dispose]() {
      clearInterval(watch);
      if (!controller.signal.aborted) release();
    },
  };
}
