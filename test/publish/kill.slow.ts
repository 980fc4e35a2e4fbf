import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { connect } from 'amqplib';
import { type Client, ConnectionError } from '../../src/control/client.ts';
import { daemonFolder, startOwnDaemon } from '../daemon/own-daemon.ts';
import { type Broker, noOwnBroker, openBroker } from '../support/servers/rabbitmq.ts';
import { openSite, type Site } from '../support/site.ts';
import type { Compared, Noted } from './compare-program.ts';
import { openReceiver } from './receiver.ts';

const changes = 10_000;
const perPage = 50;
const ids = Array.from({ length: 4 }, (_, index) => `list-${index}`);

const definition = `id: shop
provider: json
allowPrivate: true
robots: ignore
retry: { times: 0 }
politeness: { autoThrottle: false, delay: 1ms, minDelay: 1ms }
records:
  product: { each: "$.items[*]", key: sku, fields: { sku: $.sku, price: { json: $.price, type: integer } } }
`;

/** A site of lists whose items have other prices at each visit. */
async function restlessSite(t: TestContext): Promise<Site> {
  const site = await openSite(t);
  let visits = 0;
  for (const id of ids)
    site.answer(`/${id}`, (_request, response) => {
      visits += 1;
      const items = Array.from({ length: perPage }, (_, index) => ({ sku: `${id}-${index}`, price: visits }));
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ items }));
    });
  return site;
}

/** Has all lists scraped again and again, until the daemon hangs up. */
async function work(client: Client): Promise<void> {
  const lanes = ids.map(async (id) => {
    for (;;) await client.call('project.rescrape', { id });
  });
  for (const lane of await Promise.allSettled(lanes))
    if (lane.status === 'rejected') assert.ok(lane.reason instanceof ConnectionError, String(lane.reason));
}

/** A receiver of a sink that refuses some of what it is sent, and notes what it takes. */
interface Noting {
  /** The sink's file. */
  readonly file: string;
  /** What arrived, in order. */
  noted(): readonly Noted[];
  /** Resolves when all these have arrived. */
  until(ids: ReadonlySet<string>): Promise<void>;
}

/** A webhook that refuses a third of its deliveries. */
async function refusingHook(t: TestContext): Promise<Noting> {
  const receiver = await openReceiver(t);
  receiver.answer(() => ({ status: Math.random() < 1 / 3 ? 503 : 204 }));
  return {
    file: `id: hook
webhook: { url: "${receiver.url}", allowPrivate: true }
from: all
retry: { first: 20ms, longest: 200ms }
`,
    noted: () => receiver.accepted.map(({ id, text }) => ({ id, text })),
    async until(wanted) {
      const left = new Set(wanted);
      for (let count = 0; left.size > 0;) {
        const { length } = receiver.accepted;
        for (; count < length; count += 1) left.delete(receiver.accepted[count]?.id ?? '');
        if (left.size > 0) await receiver.until(length + 1);
      }
    },
  };
}

/** A queue of a broker, which takes all while the broker is up. */
function brokerQueue(broker: Broker): Noting {
  const noted: Noted[] = [];
  return {
    // The user and password of a new broker are those that a client has by itself.
    file: `id: queue
amqp: { url: "${broker.url.replace('guest:guest@', '')}" }
from: all
retry: { first: 20ms, longest: 200ms }
`,
    noted: () => noted,
    async until(wanted) {
      const left = new Set(wanted);
      const { promise, resolve } = Promise.withResolvers<void>();
      const connection = await connect(broker.url);
      const channel = await connection.createChannel();
      await channel.consume(
        'image_discovery',
        (message) => {
          const id = String(message?.properties.messageId);
          noted.push({ id, text: message?.content.toString() ?? '' });
          if (left.delete(id) && left.size === 0) resolve();
        },
        { noAck: true },
      );
      await promise;
      await connection.close();
    },
  };
}

/** Starts a daemon, lets it work until so many further changes were told, and kills it. Resolves with the number of all changes. */
async function workAndKill(folder: string, further: number): Promise<number> {
  const { client, kill } = await startOwnDaemon(folder);
  const { promise: reached, resolve: reach } = Promise.withResolvers<void>();
  let [seen, all] = [0, 0];
  await client.subscribe({ after: 0, types: ['record.*'] }, () => {
    all += 1;
  });
  await client.subscribe({ types: ['record.*'] }, () => {
    seen += 1;
    if (seen >= further) reach();
  });
  const working = work(client);
  await reached;
  await kill();
  await working;
  return all;
}

/** The ids, outside the daemon, of all changes that a daemon has told. */
async function changesOf(client: Client, generation: string): Promise<ReadonlySet<string>> {
  const { lastEvent } = await client.call('daemon.status', {});
  const found = new Set<string>();
  const { promise, resolve } = Promise.withResolvers<void>();
  await client.subscribe({ after: 0 }, ({ id, type }) => {
    if (type.startsWith('record.')) found.add(`${generation}-${id}`);
    if (id >= lastEvent) resolve();
  });
  await promise;
  return found;
}

test(
  `a daemon killed again and again during ${changes} changes delivers each to a webhook that refuses a third and to a queue whose broker is restarted twice, in order for each record [J69, J71]`,
  { timeout: 240_000, skip: noOwnBroker },
  async (t) => {
    const site = await restlessSite(t);
    const folder = await daemonFolder(t, { shop: definition });
    const broker = await openBroker(t);
    const sinks: Readonly<Record<string, Noting>> = { hook: await refusingHook(t), queue: brokerQueue(broker) };
    await mkdir(join(folder, 'sinks'));
    for (const [id, { file }] of Object.entries(sinks)) await writeFile(join(folder, 'sinks', `${id}.yaml`), file);
    const first = await startOwnDaemon(folder);
    for (const id of ids)
      await first.client.call('project.add', { id, targets: [{ source: 'shop', url: site.url(`/${id}`) }] });
    await first.kill();

    let kills = 1;
    for (let all = 0; all < changes; kills += 1) {
      const isDown = kills === 2 || kills === 5;
      // In order first: a new RabbitMQ that crashes forgets, one time in some ten, a durable queue with all that it had confirmed.
      if (isDown) await broker.end(kills === 2 ? 'in order' : 'at once');
      const restarted = isDown && broker.start();
      all = await workAndKill(folder, 1 + Math.floor(Math.random() * 1_500));
      await restarted;
    }
    const last = await startOwnDaemon(folder);
    for (const id of ids) await last.client.call('project.archive', { id });
    const { id: known } = sinks['hook']?.noted()[0] ?? assert.fail();
    const told = await changesOf(last.client, known.replace(/-\d+$/, ''));
    await Promise.all(Object.values(sinks).map((sink) => sink.until(told)));
    const { sinks: views } = await last.client.call('sink.list', {});
    await last.kill();

    for (const { id, dead } of views) {
      assert.equal(dead, 0, `${id} gave something up`);
      const file = join(folder, `${id}.ndjson`);
      await writeFile(file, (sinks[id]?.noted() ?? []).map((each) => `${JSON.stringify(each)}\n`).join(''));
      const program = join(import.meta.dirname, 'compare-program.ts');
      const { stdout } = await promisify(execFile)(process.execPath, [program, join(folder, 'data'), file]);
      const { changes: count, arrived, repeated, ...wrong } = JSON.parse(stdout) as Compared;
      t.diagnostic(`${id}: ${count} changes, ${kills} kills, ${arrived} arrived, ${repeated} of them again`);
      assert.deepEqual(wrong, { missing: [], differing: [], unlike: [], late: [] });
      assert.ok(count >= changes);
    }
  },
);
