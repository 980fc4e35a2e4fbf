import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { type AddressInfo, createConnection, createServer } from 'node:net';
import { before, describe, test, type TestContext } from 'node:test';
import { connect, type ConfirmChannel, type GetMessage } from 'amqplib';
import { type Ending, suiteEnd } from '../../support/servers/own-server.ts';
import { brokerUrl, noBroker, noOwnBroker, openBroker } from '../../support/servers/rabbitmq.ts';
import { openReceiver } from '../receiver.ts';
import { openedSink, recordMessage, sinkSuite } from '../sink-suite.ts';

const never = new AbortController().signal;

/** The address of a sink file and the secret that it names, for an address with a password. */
function namedAddress(address: string) {
  const url = new URL(address);
  const { password } = url;
  url.password = '';
  return { url: url.href, password: 'BROKER_PASSWORD', secrets: { BROKER_PASSWORD: decodeURIComponent(password) } };
}

/** A queue of a test, which goes with it, and with it the exchange `<name>-exchange`. */
interface TestQueue {
  readonly name: string;
  readonly channel: ConfirmChannel;
  /** Takes all messages that are in the queue. */
  take(): Promise<GetMessage[]>;
}

let queues = 0;

async function openQueue(t: Ending, address: string, name?: string): Promise<TestQueue> {
  queues += 1;
  const queue = name ?? `heronry-${process.pid}-${queues}`;
  const connection = await connect(address);
  const channel = await connection.createConfirmChannel();
  t.after(async () => {
    await channel.deleteExchange(`${queue}-exchange`);
    await channel.deleteQueue(queue);
    await connection.close();
  });
  return {
    name: queue,
    channel,
    async take() {
      const taken: GetMessage[] = [];
      for (;;) {
        const message = await channel.get(queue, { noAck: true });
        if (message === false) return taken;
        taken.push(message);
      }
    },
  };
}

/** A way to a server that knows how many of its connections were closed. */
async function openWay(t: TestContext, to: string) {
  const { hostname, port } = new URL(to);
  let closed = 0;
  const changes = new EventEmitter();
  const server = createServer((near) => {
    const far = createConnection(Number(port) || 5672, hostname);
    near.pipe(far).pipe(near);
    near.on('error', () => far.destroy()).on('close', () => changes.emit('closed', (closed += 1)));
    far.on('error', () => near.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const url = new URL(to);
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: url.href,
    async closed(count: number): Promise<void> {
      while (closed < count) await once(changes, 'closed');
    },
  };
}

describe('with a broker', { skip: noBroker, timeout: 60_000 }, () => {
  const end = suiteEnd();
  let address: string;
  before(async () => {
    address = await brokerUrl(end);
  });

  sinkSuite('amqp', {
    badOptions: [
      { url: 'http://broker.example' },
      { url: 'amqp://guest:guest@broker.example' },
      { url: 'amqp://broker.example', queue: '' },
    ],
    async receiver(t) {
      const queue = await openQueue(t, address);
      const { url, password, secrets } = namedAddress(address);
      const arrived: { readonly id: string; readonly body: unknown }[] = [];
      return {
        options: { url, password, queue: queue.name },
        secrets,
        async arrived() {
          for (const { content, properties } of await queue.take())
            arrived.push({ id: String(properties.messageId), body: JSON.parse(content.toString()) });
          return arrived;
        },
        // A queue of another make than the one that the sink wants.
        async refuse(on) {
          await queue.channel.deleteQueue(queue.name);
          if (on) await queue.channel.assertQueue(queue.name, { durable: false });
        },
      };
    },
  });

  test('what a queue gets is persistent, and its body is the body of a webhook to the byte [J70]', async (t) => {
    const queue = await openQueue(t, address);
    const { secrets, ...options } = namedAddress(address);
    const arrived = () => [];
    const sink = await openedSink(t, 'amqp', { options: { ...options, queue: queue.name }, secrets, arrived });
    const receiver = await openReceiver(t);
    const webhook = await openedSink(t, 'webhook', { options: { url: receiver.url, allowPrivate: true }, arrived });
    const message = recordMessage(7, 'Käse', { price: { amount: '1.50', currency: 'EUR' } });
    assert.deepEqual(await sink.deliver([message], never), [{ ok: true }]);
    await webhook.deliver([message], never);

    const [taken] = await queue.take();
    assert.equal(taken?.content.toString(), receiver.accepted[0]?.text);
    const { deliveryMode, messageId, contentType, type, timestamp, headers } = taken?.properties ?? {};
    assert.deepEqual(
      { ...headers },
      {
        'cloudEvents:specversion': '1.0',
        'cloudEvents:id': 'gen-7',
        'cloudEvents:type': 'record.added',
        'cloudEvents:source': '/sources/shop',
        'cloudEvents:subject': 'shop/product/Käse',
        'cloudEvents:time': '2026-03-14T09:30:07.000Z',
      },
    );
    assert.deepEqual(
      { deliveryMode, messageId, contentType, type, timestamp },
      {
        deliveryMode: 2,
        messageId: 'gen-7',
        contentType: 'application/json',
        type: 'record.added',
        timestamp: Math.floor(message.at / 1_000),
      },
    );
  });

  test('an exchange gets messages by their types, and the queue that is named is bound to it', async (t) => {
    const queue = await openQueue(t, address);
    const exchange = `${queue.name}-exchange`;
    const { secrets, ...options } = namedAddress(address);
    const sink = await openedSink(t, 'amqp', {
      options: { ...options, exchange, queue: queue.name },
      secrets,
      arrived: () => [],
    });
    assert.deepEqual(await sink.deliver([recordMessage(1)], never), [{ ok: true }]);
    const [taken] = await queue.take();
    assert.deepEqual([taken?.fields.exchange, taken?.fields.routingKey], [exchange, 'record.added']);
  });

  test('a channel that the broker closes takes its connection along', async (t) => {
    const queue = await openQueue(t, address);
    const exchange = `${queue.name}-exchange`;
    const { secrets, ...options } = namedAddress(address);
    const way = await openWay(t, options.url);
    const given = { ...options, url: way.url, exchange, queue: queue.name };
    const sink = await openedSink(t, 'amqp', { options: given, secrets, arrived: () => [] });
    assert.deepEqual(await sink.deliver([recordMessage(1)], never), [{ ok: true }]);
    await queue.channel.deleteExchange(exchange);
    const [refused] = await sink.deliver([recordMessage(2)], never);
    assert.equal(refused?.ok === false && refused.failure.code, 'broker');
    await way.closed(1);
    assert.deepEqual(await sink.deliver([recordMessage(2)], never), [{ ok: true }]);
  });

  test('a message that no queue takes is a failure, and comes once there is one again', async (t) => {
    const queue = await openQueue(t, address);
    const { secrets, ...options } = namedAddress(address);
    const sink = await openedSink(t, 'amqp', {
      options: { ...options, queue: queue.name },
      secrets,
      arrived: () => [],
    });
    await sink.deliver([recordMessage(1)], never);
    await queue.channel.deleteQueue(queue.name);
    const [lost] = await sink.deliver([recordMessage(2)], never);
    assert.equal(lost?.ok === false && lost.failure.code, 'unroutable');
    await queue.channel.assertQueue(queue.name, { durable: true });
    assert.deepEqual(await sink.deliver([recordMessage(2)], never), [{ ok: true }]);
    assert.equal((await queue.take()).length, 1);
  });
});

test(
  'a broker that is down is a failure; once it is up again messages arrive, and those of before are still there [J71]',
  { skip: noOwnBroker, timeout: 60_000 },
  async (t) => {
    const broker = await openBroker(t);
    const { secrets, ...options } = namedAddress(broker.url);
    const sink = await openedSink(t, 'amqp', { options, secrets, arrived: () => [] });
    assert.deepEqual(await sink.deliver([recordMessage(1)], never), [{ ok: true }]);
    await broker.end('in order');
    const [down] = await sink.deliver([recordMessage(2)], never);
    assert.equal(down?.ok === false && down.failure.code, 'broker');
    await broker.start();
    assert.deepEqual(await sink.deliver([recordMessage(2)], never), [{ ok: true }]);
    await sink.close();

    const connection = await connect(broker.url);
    const channel = await connection.createChannel();
    const ids: unknown[] = [];
    for (let index = 0; index < 2; index += 1) {
      const message = await channel.get('image_discovery', { noAck: true });
      ids.push(message === false ? undefined : message.properties.messageId);
    }
    await connection.close();
    assert.deepEqual(ids, ['gen-1', 'gen-2']);
  },
);
