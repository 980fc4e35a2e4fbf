import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { Registry } from '../../src/actor/registry.ts';
import { createSystem } from '../../src/actor/system.ts';
import type { Ref } from '../../src/actor/types.ts';
import { VirtualClock } from '../../src/clock.ts';
import { emptyCatalogue } from '../../src/definition/catalogue.ts';
import { Sink } from '../../src/definition/sink.ts';
import type { NewEvent } from '../../src/event/catalogue.ts';
import type { Delivered, SinkPorts } from '../../src/publish/sink.ts';
import type { Store } from '../../src/store/store.ts';
import { deliverer, type DelivererMessage } from '../../workers/deliverer.ts';
import { temporaryStore } from '../store/fixture.ts';

/** A delivery that a receiver took or refused. */
export interface Took {
  readonly id: string;
  readonly type: string;
  readonly key: string;
  readonly at: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A deliverer of a webhook over a store, on a virtual clock; its receiver is a function. */
export interface Delivering {
  readonly clock: VirtualClock;
  readonly store: Store;
  /** What was accepted, in order. */
  readonly accepted: Took[];
  /** What was tried, in order. */
  readonly tried: Took[];
  /** The most requests that were under way at once. */
  most(): number;
  /** Sets what the receiver answers. Default: accepts all. */
  answer(answer: (took: Took) => Delivered | Promise<Delivered>): void;
  /** Tells the log changes of records by their keys. */
  change(...keys: string[]): Promise<void>;
  tell(...events: NewEvent[]): Promise<void>;
  /** Resolves when all has been done that can be done at the present instant. */
  settled(): Promise<void>;
  /** Lets time pass in steps, each settled. */
  pass(ms: number, stepMs?: number): Promise<void>;
  /** Starts the deliverer; ends the one before as a kill would, with all that it has not saved. */
  start(sink?: object): Promise<Ref<DelivererMessage>>;
  kill(): void;
}

/** Starts a sink that is told all changes of records, unless `given` says otherwise. */
export async function startDelivering(t: TestContext, given: object = {}): Promise<Delivering> {
  const clock = new VirtualClock(Date.UTC(2026, 2, 14));
  // Hooks run in the order in which they were added, and the store closes by one.
  let end = (): Promise<void> => Promise.resolve();
  t.after(() => end());
  const { store, clock: storeClock } = await temporaryStore(t);
  storeClock.now = clock.now();
  const system = createSystem({ clock });
  const accepted: Took[] = [];
  const tried: Took[] = [];
  const underWay = new Set<Took>();
  let most = 0;
  let answer: Parameters<Delivering['answer']>[0] = () => ({ ok: true, status: 200 });
  let running: Ref<DelivererMessage> | undefined;

  const post: SinkPorts['post'] = async (_url, { body, headers, signal }) => {
    const took = {
      id: headers['webhook-id'] ?? '',
      type: headers['ce-type'] ?? '',
      key: decodeURIComponent(headers['ce-subject'] ?? ''),
      at: clock.now(),
      body: JSON.parse(body) as Took['body'],
    };
    tried.push(took);
    underWay.add(took);
    most = Math.max(most, underWay.size);
    const result = await answer(took);
    underWay.delete(took);
    if (result.ok) accepted.push(took);
    return signal.aborted ? { ok: false, failure: { code: 'cancelled', message: 'cancelled' } } : result;
  };

  const start = async (more: object = {}): Promise<Ref<DelivererMessage>> => {
    kill();
    const sink = Sink.parse({ id: 'team', from: 'all', webhook: { url: 'https://hooks.example' }, ...given, ...more });
    const ports: SinkPorts = {
      sink: sink.id,
      clock,
      findSecrets: () => Promise.resolve({ ok: true, secrets: new Map() }),
      post,
      folder: '/nowhere',
      record: () => undefined,
      recordType: () => undefined,
      fieldsAfter: () => ({}),
      seenIn: () => ({ rows: [] }),
      correctedBy: () => ({ rows: [] }),
      run: () => assert.fail('expected no program'),
      log: () => undefined,
      print: () => Promise.resolve(),
    };
    const deps = {
      clock,
      random: () => 0.5,
      registry: new Registry<string, DelivererMessage>(),
      store,
      catalogue: () => emptyCatalogue,
      openPorts: () => ({ ports, close: () => Promise.resolve() }),
    };
    const spawned = await system.spawn<DelivererMessage>((self) => deliverer(self, sink, deps), { id: 'deliverer' });
    if (spawned.ok !== true) assert.fail('the deliverer did not start');
    running = spawned.ref;
    return spawned.ref;
  };
  const kill = (): void => {
    if (running !== undefined) system.exit(running, 'kill');
    running = undefined;
    underWay.clear();
  };
  const settled = async (): Promise<void> => {
    for (let quiet = 0, seen = -1; quiet < 4;) {
      await system.idle();
      await store.write(() => undefined);
      const now = tried.length + store.events.last();
      quiet = now === seen ? quiet + 1 : 0;
      seen = now;
    }
  };
  end = async () => {
    if (running !== undefined) system.exit(running, 'shutdown');
    await settled();
  };
  const tell = async (...events: NewEvent[]): Promise<void> => {
    storeClock.now = clock.now();
    await store.write((change) => {
      for (const event of events) change.tell(event);
    });
  };
  await start();
  return {
    clock,
    store,
    accepted,
    tried,
    most: () => most,
    answer(next) {
      answer = next;
    },
    tell,
    change: (...keys) => tell(...keys.map((key) => changed(key))),
    settled,
    async pass(ms, stepMs = ms) {
      for (let left = ms; left > 0; left -= stepMs) {
        clock.advance(Math.min(stepMs, left));
        storeClock.now = clock.now();
        await settled();
      }
    },
    start,
    kill,
  };
}

/** A change of a record of a project's shop. */
export function changed(key: string): NewEvent {
  const data = { type: 'product', key, fields: { price: { old: 1, new: 2 } } };
  return { type: 'record.changed', projects: ['solar'], source: 'shop', target: 1, data };
}

/** A record that a scrape added; a pulse, where none is given. */
export function added(key: string, scrape?: number): NewEvent {
  const data = { type: 'product', key, fields: { name: { new: key } } };
  const of = { projects: ['solar'], source: 'shop', target: 1, ...(scrape !== undefined && { scrape }) };
  return { type: 'record.added', ...of, data };
}

/** The end of a scrape. */
export function ended(scrape: number): NewEvent {
  const data = { reason: 'due', steps: 1, counts: { added: 0, changed: 0, confirmed: 0 } } as const;
  return { type: 'scrape.completed', projects: ['solar'], source: 'shop', target: 1, scrape, data };
}

/** A refusal with a status. */
export function refused(status: number, more: object = {}): Delivered {
  return { ok: false, failure: { code: 'status', message: `answered with status ${status}`, status, ...more } };
}
