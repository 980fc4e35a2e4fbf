/**
 * Question: how many events a second does a sink deliver, the whole way from the log, beside its bare client? The same changes of
 * records, one round by one: through a deliverer, which reads them from the store, renders, sends and keeps its cursor; and
 * through the client alone, which is given them as objects. The webhook is a process of its own, with 8 requests at once and a
 * signature; AMQP and PostgreSQL are real servers, with batches of one size on both sides; of the file each batch is on the disk.
 *
 * Goal: 0.8 of the bare client.
 *
 * Run with `node bench/sinks.bench.ts [--json] [--quick]`; it starts RabbitMQ and PostgreSQL of its own, or takes those that
 * `AMQP_URL` and `DATABASE_URL` name.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'amqplib';
import { Pool } from 'undici';
import { Registry } from '../src/actor/registry.ts';
import { createSystem } from '../src/actor/system.ts';
import { systemClock } from '../src/clock.ts';
import { emptyCatalogue } from '../src/definition/catalogue.ts';
import { Sink } from '../src/definition/sink.ts';
import { wireId } from '../src/event/wire-id.ts';
import { BodyBudget } from '../src/fetch/body-budget.ts';
import { createClient } from '../src/fetch/wire/client.ts';
import { createPost, mostPosts } from '../src/publish/post.ts';
import type { SinkPorts } from '../src/publish/sink.ts';
import { type SinkKindName, sinkKinds } from '../src/publish/sinks/all.ts';
import { Slots } from '../src/publish/slots.ts';
import { secretsFrom } from '../src/session/secret-store.ts';
import { commitStep } from '../src/store/commit.ts';
import { replayAfter } from '../src/store/sinks.ts';
import { openStore, type Store } from '../src/store/store.ts';
import { begin, hourly, step, track } from '../test/store/fixture.ts';
import { openDatabase, postgresqlUrl } from '../test/support/servers/postgresql.ts';
import { brokerUrl } from '../test/support/servers/rabbitmq.ts';
import { deliverer, type DelivererMessage } from '../workers/deliverer.ts';
import { isQuick, show } from './show.ts';
import { median, rounded } from './statistics.ts';

const count = isQuick ? 2_000 : 10_000;
const rounds = isQuick ? 1 : 3;
const declared = { fields: { sku: 'text', title: 'text', price: 'money', inStock: 'boolean' } };

if (process.argv.includes('receiver')) await receive();
else await run();

/** Answers requests, as a process of its own. */
async function receive(): Promise<void> {
  const server = createServer((request, response) => {
    request.resume().once('end', () => response.writeHead(204).end());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  process.once('disconnect', () => process.exit());
  process.send?.(server.address());
}

/** An event as it is told outside. */
interface Told {
  readonly id: string;
  readonly type: string;
}

/** A sink with its bare client. */
interface Contest {
  readonly kind: SinkKindName;
  readonly options: unknown;
  /** Delivers all events by the bare client. */
  bare(events: readonly Told[]): Promise<void>;
  /** Makes the receiver as it was. */
  clear?(): Promise<unknown>;
}

async function run(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'heronry-bench-'));
  const ends: (() => Promise<unknown>)[] = [];
  const ending = { after: (end: () => Promise<unknown>) => void ends.unshift(end) };
  const store = await filledStore(join(folder, 'data'));
  const events = [...store.events.rows()]
    .filter(({ type }) => type.startsWith('record.'))
    .map((event) => ({ ...event, id: wireId(store, event.id) }));
  const contests = [await webhook(ending), await queue(ending), await warehouse(ending), await file(ending, folder)];
  const rows = [];
  for (const contest of contests) {
    const times: Record<'bare' | 'heronry', number[]> = { bare: [], heronry: [] };
    for (let round = 0; round < rounds; round += 1) {
      await contest.clear?.();
      times.bare.push(await timeOf(() => contest.bare(events)));
      await contest.clear?.();
      times.heronry.push(await deliverAll(store, contest, `${contest.kind}-${round}`, folder));
    }
    const [bare, heronry] = [median(times.bare), median(times.heronry)];
    const perSecond = (ms: number): number => Math.round((count / ms) * 1_000);
    rows.push({
      sink: contest.kind,
      barePerSecond: perSecond(bare),
      perSecond: perSecond(heronry),
      ratio: rounded(bare / heronry),
      goal: 0.8,
    });
  }
  for (const end of ends) await end();
  await store.close();
  rmSync(folder, { recursive: true, force: true });
  show('sinks', rows);
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

async function filledStore(path: string): Promise<Store> {
  const store = await openStore({ path, now: Date.now, scheduling: hourly });
  const each = 100;
  const [target = 0] = await track(store, 'solar');
  for (let from = 0; from < count; from += each) {
    const drafts = Array.from({ length: each }, (_, index) => ({
      type: 'product',
      key: `K${from + index}`,
      fields: {
        sku: `K${from + index}`,
        title: `A product of the number ${from + index}, with a name of some length`,
        price: { amount: `${index}.50`, currency: 'EUR' },
        inStock: true,
      },
    }));
    await commitStep(store, await begin(store, target), step(Date.now(), drafts, {}));
  }
  return store;
}

/** Delivers all events of a store by a sink's actor. Resolves with the time until the last one is delivered, in ms. */
async function deliverAll(store: Store, { kind, options }: Contest, id: string, folder: string): Promise<number> {
  await replayAfter(store, id, 0);
  const clock = systemClock();
  const system = createSystem({ clock });
  const client = createClient({ budget: new BodyBudget({ onRoom: () => undefined }), userAgent: 'Heronry/0.0.0' });
  const ports: SinkPorts = {
    sink: id,
    clock,
    findSecrets: secretsFrom({ environment: { HERONRY_SECRET_KEY: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' } }),
    post: createPost({ client, clock, sink: id, slots: new Slots(mostPosts) }),
    folder: join(folder, id),
    record: ({ source, type, key }) => store.records.get(source, type, key),
    recordType: () => declared,
    fieldsAfter: () => ({}),
    seenIn: () => ({ rows: [] }),
    correctedBy: () => ({ rows: [] }),
    run: () => Promise.resolve({ text: 'nothing is run' }),
    log: () => undefined,
    print: () => Promise.resolve(),
  };
  const { promise: all, resolve } = Promise.withResolvers<void>();
  const put = countDelivered(kind, resolve);
  const sink = Sink.parse({ id, from: 'all', [kind]: options });
  let end = (): void => undefined;
  const ms = await timeOf(async () => {
    const spawned = await system.spawn<DelivererMessage>(
      (self) =>
        deliverer(self, sink, {
          ...{ clock, store, random: () => 0.5, catalogue: () => emptyCatalogue },
          registry: new Registry<string, DelivererMessage>(),
          openPorts: () => ({ ports, close: () => client.close() }),
        }),
      { id },
    );
    if (spawned.ok !== true) throw new Error('the deliverer did not start');
    await all;
    end = () => system.exit(spawned.ref, 'shutdown');
  });
  end();
  await system.idle();
  put();
  return ms;
}

/** Has a kind count what it delivers. Returns a function that puts it back. */
function countDelivered(name: SinkKindName, onAll: () => void): () => void {
  const kind = sinkKinds[name] as {
    open(options: unknown, ports: SinkPorts): ReturnType<(typeof sinkKinds.amqp)['open']>;
  };
  const plain = kind.open;
  let delivered = 0;
  kind.open = async (options, ports) => {
    const sink = await plain(options, ports);
    return {
      close: () => sink.close(),
      async deliver(batch, signal) {
        const results = await sink.deliver(batch, signal);
        delivered += results.filter(({ ok }, index) => ok && batch[index]?.type === 'record.added').length;
        if (delivered >= count) onAll();
        return results;
      },
    };
  };
  return () => {
    kind.open = plain;
  };
}

type Ending = { after(end: () => Promise<unknown>): void };

async function webhook(ending: Ending): Promise<Contest> {
  const child = fork(import.meta.filename, ['receiver']);
  const [{ port }] = (await once(child, 'message')) as [{ readonly port: number }];
  const origin = `http://127.0.0.1:${port}`;
  const pool = new Pool(origin, { connections: mostPosts });
  ending.after(async () => {
    await pool.close();
    child.kill();
  });
  return {
    kind: 'webhook',
    options: { url: `${origin}/hook`, secret: 'KEY', allowPrivate: true },
    async bare(events) {
      const left = events.values();
      const headers = { 'content-type': 'application/json' };
      const lane = async (): Promise<void> => {
        for (const event of left) {
          const { body } = await pool.request({ path: '/hook', method: 'POST', headers, body: JSON.stringify(event) });
          await body.dump();
        }
      };
      await Promise.all(Array.from({ length: mostPosts }, lane));
    },
  };
}

async function queue(ending: Ending): Promise<Contest> {
  const address = await brokerUrl(ending);
  const name = `heronry-bench-${process.pid}`;
  const connection = await connect(address);
  const channel = await connection.createConfirmChannel();
  await channel.assertQueue(name, { durable: true });
  ending.after(async () => {
    await channel.deleteQueue(name);
    await connection.close();
  });
  const url = new URL(address);
  Object.assign(url, url.username === 'guest' ? { username: '', password: '' } : {});
  return {
    kind: 'amqp',
    options: { url: url.href, queue: name },
    clear: () => channel.purgeQueue(name),
    async bare(events) {
      const size = 200;
      const batches = Array.from({ length: Math.ceil(events.length / size) }, (_, at) =>
        events.slice(at * size, (at + 1) * size),
      );
      const left = batches.values();
      const lane = async (): Promise<void> => {
        for (const batch of left) {
          const confirmed = batch.map((event) => {
            const { promise, resolve } = Promise.withResolvers<void>();
            const properties = { persistent: true, messageId: event.id, type: event.type };
            channel.sendToQueue(name, Buffer.from(JSON.stringify(event)), properties, () => resolve());
            return promise;
          });
          await Promise.all(confirmed);
        }
      };
      await Promise.all(Array.from({ length: 8 }, lane));
    },
  };
}

async function warehouse(ending: Ending): Promise<Contest> {
  const server = await postgresqlUrl(ending);
  const { client, url } = await openDatabase(ending, server);
  const columns = 'sku text, title text, price_amount numeric, price_currency text, in_stock boolean';
  await client.query(
    `create table bare (source text, key text, id text unique, url text, created timestamptz, updated timestamptz, deleted boolean,
      ${columns}, primary key (source, key))`,
  );
  const named = 'source, key, id, url, created, updated, deleted, sku, title, price_amount, price_currency, in_stock';
  const updates = named
    .split(', ')
    .slice(2)
    .map((column) => `${column} = excluded.${column}`);
  const text = `insert into bare (${named}) select ${named} from json_to_recordset($1::json) as r(source text, key text, id text, url text,
    created timestamptz, updated timestamptz, deleted boolean, ${columns}) on conflict (source, key) do update set ${updates.join(', ')}`;
  return {
    kind: 'postgres',
    options: { url },
    clear: () => client.query('truncate bare; drop table if exists shop_product'),
    async bare(events) {
      const size = 500;
      for (let from = 0; from < events.length; from += size) {
        const rows = events.slice(from, from + size).map((event) => {
          const { data } = event as Told & {
            readonly data: {
              readonly key: string;
              readonly fields: Record<string, { readonly new: { readonly amount: string; readonly currency: string } }>;
            };
          };
          const { key, fields } = data;
          const at = '2026-03-01T00:00:00.000Z';
          return {
            ...{
              source: 'shop',
              key,
              id: event.id,
              url: 'https://shop.test/',
              created: at,
              updated: at,
              deleted: false,
            },
            ...{ sku: fields['sku']?.new, title: fields['title']?.new, in_stock: fields['inStock']?.new },
            ...{ price_amount: fields['price']?.new.amount, price_currency: fields['price']?.new.currency },
          };
        });
        await client.query('begin');
        await client.query(text, [JSON.stringify(rows)]);
        await client.query('commit');
      }
    },
  };
}

async function file(ending: Ending, folder: string): Promise<Contest> {
  const output = await open(join(folder, 'bare.ndjson'), 'w');
  ending.after(() => output.close());
  return {
    kind: 'ndjson',
    options: {},
    async bare(events) {
      const size = 500;
      for (let from = 0; from < events.length; from += size) {
        const lines = events.slice(from, from + size).map((event) => `${JSON.stringify(event)}\n`);
        await output.write(lines.join(''));
        await output.datasync();
      }
    },
  };
}
