/** What it takes to send each event of a store to many streams, beside writing the same bytes to as many bare responses. */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { systemClock } from '../src/clock.ts';
import { eventHandlers } from '../src/control/handlers/event.ts';
import { startHttpServer } from '../src/http/server.ts';
import { openStore, type Store } from '../src/store/store.ts';
import { handlersWith } from '../test/control/daemon.ts';
import { hourly } from '../test/store/fixture.ts';
import { openStreams } from '../test/support/stream-clients.ts';

/** Processor time of one event and client, in microseconds. */
export interface FanOut {
  readonly ownUs: number;
  readonly bareUs: number;
}

/** Measures both once, with so many clients and events. */
export async function fanOut(clients: number, events: number): Promise<FanOut> {
  const path = await mkdtemp(join(tmpdir(), 'heronry-bench-'));
  const store = await openStore({ path, now: Date.now, scheduling: hourly });
  try {
    const alone = await cpuUsOf(() => tell(store, events));
    return {
      ownUs: ((await ownUs(store, clients, events)) - alone) / (clients * events),
      bareUs: (await bareUs(clients, events)) / (clients * events),
    };
  } finally {
    await store.close();
    await rm(path, { recursive: true, force: true });
  }
}

async function ownUs(store: Store, count: number, events: number): Promise<number> {
  const server = await startHttpServer({
    port: 0,
    clock: systemClock(),
    version: '0.0.0',
    handlers: handlersWith(eventHandlers({ store: () => store })),
    readOnly: true,
    callerOf: () => ({ id: 'bench', label: 'bench', role: 'read' }),
    metrics: { contentType: 'text/plain', read: () => Promise.resolve('') },
    served: () => undefined,
    subjects: { labelsOf: () => undefined, sourcesOf: () => undefined },
    logIns: { begin: async () => undefined, find: () => undefined, noteUse: async () => {}, end: async () => {} },
    takeCode: () => false,
    audit: () => undefined,
    failed: console.error,
  });
  try {
    await using clients = await openStreams({ port: server.port, path: '/v1/events', token: 'bench', count });
    return await cpuUsOf(async () => {
      await tell(store, events);
      await clients.haveRead(count * events);
    });
  } finally {
    await server.close();
  }
}

async function bareUs(count: number, events: number): Promise<number> {
  const responses: ServerResponse[] = [];
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('retry: 2000\n\n');
    responses.push(response);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('expected a port');
  try {
    await using clients = await openStreams({ port: address.port, path: '/', token: 'bench', count });
    return await cpuUsOf(async () => {
      for (let id = 1; id <= events; id += 1) {
        const data = { id, version: 1, at: Date.now(), ...eventOf(id) };
        const text = `id: ${id}\ndata: ${JSON.stringify(data)}\n\n`;
        for (const response of responses) response.write(text);
        await setImmediate();
      }
      await clients.haveRead(count * events);
    });
  } finally {
    for (const response of responses) response.end();
    server.close();
  }
}

/** Tells events, each in a commit and a turn of the event loop of its own. */
async function tell(store: Store, events: number): Promise<void> {
  for (let id = 1; id <= events; id += 1) {
    await store.write((change) => change.tell(eventOf(id)));
    await setImmediate();
  }
}

function eventOf(id: number) {
  return { type: 'project.finished', projects: [`project-${id % 1_000}`], data: {} } as const;
}

/** The processor time that this process takes for some work, in microseconds. */
async function cpuUsOf(work: () => Promise<unknown>): Promise<number> {
  const { user, system } = process.cpuUsage();
  await work();
  const after = process.cpuUsage();
  return after.user + after.system - user - system;
}
