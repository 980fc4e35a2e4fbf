// A program of its own: of two children one has code that goes astray, in one way after the other, and the other must not
// notice. Prints one line of JSON for each way. With an argument, code that belongs to no life goes astray.
import { once } from 'node:events';
import { createServer, connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { systemClock } from '../../src/clock.ts';
import { describeReason } from '../../src/actor/errors.ts';
import type { Report } from '../../src/actor/report.ts';
import { supervisor } from '../../src/actor/supervisor.ts';
import { createSystem } from '../../src/actor/system.ts';
import type { Behaviour, Self } from '../../src/actor/types.ts';

type Way = (self: Self<string>) => void | Promise<void>;

/** Ways to go astray that end the life. */
const ways: Readonly<Record<string, Way>> = {
  'a rejection in a task': (self) => self.task(async () => strayRejection(), String),
  'a late rejection in a task': (self) => self.task(async () => void delay(2).then(strayRejection), String),
  'a rejection deep in promises of a task': (self) =>
    self.task(async () => void delay(1).then(() => Promise.all([delay(1).then(strayRejection), delay(9)])), String),
  'an exception in a timer of a task': (self) => self.task(async () => void setTimeout(strayException, 2), String),
  'an exception in a timer that a timer of a task set': (self) =>
    self.task(async () => void setTimeout(() => setImmediate(strayException), 1), String),
  'an exception in a socket of a task': (self) => self.task(strayOnSocket, String),
  'a rejection in receive': () => void strayRejection(),
  'a rejection in an asynchronous receive': async () => void (await strayRejection()),
  'an exception in a microtask of receive': () => queueMicrotask(strayException),
  'a rejection in a timer that receive set': () => void setTimeout(() => void strayRejection(), 2),
};

/** Ways to go astray after the end of the life. */
const lateWays: Readonly<Record<string, Way>> = {
  'a rejection in a task': (self) => {
    self.task(() => delay(2).then(strayRejection), String);
    self.stop();
  },
  'an exception in a listener of the abort signal': (self) => {
    self.signal.addEventListener('abort', strayException);
    self.stop();
  },
};

function strayException(): never {
  throw new Error('astray');
}

async function strayRejection(): Promise<string> {
  void Promise.reject(new Error('astray'));
  return 'fine';
}

async function strayOnSocket(signal: AbortSignal): Promise<void> {
  const server = createServer({ noDelay: true }, (socket) => socket.end('hello')).listen(0);
  signal.addEventListener('abort', () => server.close());
  await once(server, 'listening');
  const address = server.address();
  if (typeof address === 'object' && address !== null) connect(address.port).once('data', strayException);
}

/** Has one of two children go astray, and tells how both are once the culprit lives again. */
async function run(way: Way, isLate: boolean) {
  const [back, stray] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const strays: string[] = [];
  const told = (report: Report): void => {
    if (report.type !== 'stray') return;
    strays.push(String(report.reason[1]));
    stray.resolve();
  };
  const system = createSystem({ clock: systemClock(), report: told });
  const blame = (error: unknown): void => void (system.blame(error) || process.exit(1));
  process.on('unhandledRejection', blame).on('uncaughtException', blame);
  let lives = 0;
  const culprit = (self: Self<string>): Behaviour<string> => {
    lives += 1;
    if (lives === 1) self.send('go');
    else back.resolve();
    return { receive: (message) => (message === 'go' ? way(self) : undefined) };
  };
  const bystander = (): Behaviour<string> => ({ receive() {} });
  const children = [
    { id: 'culprit', start: culprit },
    { id: 'bystander', start: bystander },
  ];
  await system.spawn(supervisor({ strategy: 'one_for_one', children }));
  await back.promise;
  if (isLate) await stray.promise;
  await system.idle();
  process.off('unhandledRejection', blame).off('uncaughtException', blame);
  const [one, other] = system.inspect()[0]?.children ?? [];
  return { lastExit: describeReason(one?.lastExit ?? 'noproc'), restarts: [one?.restarts, other?.restarts], strays };
}

function print(way: string, outcome: object): void {
  console.log(JSON.stringify({ way, ...outcome }));
}

if (process.argv[2] === undefined) {
  for (const [name, way] of Object.entries(ways)) print(name, await run(way, false));
  for (const [name, way] of Object.entries(lateWays)) print(`${name}, late`, await run(way, true));
} else {
  const system = createSystem({ clock: systemClock() });
  process.on('uncaughtException', (error) => process.exit(system.blame(error) ? 0 : 1));
  strayException();
}
