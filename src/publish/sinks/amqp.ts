import type { ChannelModel, ConfirmChannel } from 'amqplib';
import * as z from 'zod';
import { loadPeer, MissingPeer } from '../../load-peer.ts';
import { SecretName } from '../../schema/secret-name.ts';
import { strict } from '../../schema/strict.ts';
import { revealServer, serverAddress } from '../address.ts';
import { cloudEventProperties } from '../cloud-event.ts';
import { Connection } from '../connection.ts';
import { cancelled, failure } from '../failure.ts';
import type { Delivered, Message, SinkKind } from '../sink.ts';

/** A name of AMQP: up to 255 bytes, of which no letter may have more than four. */
const Name = z.string().min(1).max(60);

const Options = strict({
  url: serverAddress(['amqp', 'amqps']),
  /** The secret that is the password of the URL's user. */
  password: SecretName.exactOptional(),
  /** The durable queue that is made and that messages go to. Default: `image_discovery`; with `exchange`, none. */
  queue: Name.exactOptional(),
  /** The durable topic exchange that is made and that messages go to; with `queue`, that queue is bound to it. */
  exchange: Name.exactOptional(),
  /** The routing key of messages. Default: the name of the queue; with `exchange`, the type of the message. */
  routingKey: Name.exactOptional(),
});
type Options = z.infer<typeof Options>;

/** How long a broker may take to answer a connection, and to confirm a batch, in real time. */
const connectMs = 10_000;
const confirmMs = 30_000;

/** A channel whose broker confirms what it has stored. */
interface Link {
  readonly connection: ChannelModel;
  readonly channel: ConfirmChannel;
  /** Ids of messages that no queue takes. */
  readonly returned: Set<unknown>;
}

/** Where messages go. For a queue that a file names, a message that does not reach it is a failure. */
interface Place {
  readonly exchange: string;
  readonly queue: string | undefined;
  /** The routing key; missing where it is the type of the message. */
  readonly key: string | undefined;
}

/** Publishes each message to a broker of AMQP 0-9-1, such as RabbitMQ, and waits until it says that it has stored it. */
export const amqp: SinkKind<Options> = {
  options: Options,
  doc: 'Publishes each message to a queue or an exchange of AMQP 0-9-1, such as RabbitMQ: persistent, and confirmed by the broker.',
  batch: 200,
  async open(options, ports) {
    const place = placeOf(options);
    const broker = new Connection(
      (address, onEnd) => openLink(address, place, ports.sink, onEnd),
      ({ connection }) => connection.close(),
    );
    return {
      async deliver(batch, signal) {
        const server = await revealServer(ports, options);
        if (!server.ok) return batch.map(() => server);
        try {
          const results = await publish(batch, await broker.to(server.url.href), place, signal);
          // It may confirm what nobody waits for any more, or nothing at all.
          if (results.some((result) => result === late)) await broker.close();
          return results;
        } catch (error) {
          if (error instanceof MissingPeer) return batch.map(() => failure('not_installed', error.message));
          return batch.map(() => notTaken(error, server.hide));
        }
      },
      close: () => broker.close(),
    };
  },
};

function placeOf({
  exchange,
  queue = exchange === undefined ? 'image_discovery' : undefined,
  routingKey,
}: Options): Place {
  const key = routingKey ?? (exchange === undefined ? queue : undefined);
  return { exchange: exchange ?? '', queue, key };
}

async function openLink(
  address: string,
  { exchange, queue, key }: Place,
  sink: string,
  onEnd: () => void,
): Promise<Link> {
  const { connect } = await loadPeer(() => import('amqplib'), 'amqplib');
  const clientProperties = { connection_name: `heronry ${sink}` };
  const connection = await connect(address, { timeout: connectMs, noDelay: true, clientProperties });
  // `close` follows, and whoever waits is told by the promise of the call.
  connection.on('error', () => undefined).on('close', onEnd);
  try {
    const channel = await connection.createConfirmChannel();
    channel.on('error', () => undefined).on('close', onEnd);
    const returned = new Set<unknown>();
    channel.on('return', ({ properties }) => returned.add(properties.messageId));
    if (exchange !== '') await channel.assertExchange(exchange, 'topic', { durable: true });
    if (queue !== undefined) await channel.assertQueue(queue, { durable: true });
    if (exchange !== '' && queue !== undefined) await channel.bindQueue(queue, exchange, key ?? '#');
    return { connection, channel, returned };
  } catch (error) {
    await connection.close().catch(() => undefined);
    throw error;
  }
}

const late = failure('timeout', `the broker did not confirm the message within ${confirmMs / 1_000} s`);
const unroutable = failure('unroutable', 'no queue took the message');

/** Publishes messages. Resolves once the broker has confirmed or refused each, or does neither in time. */
async function publish(
  batch: readonly Message[],
  { channel, returned }: Link,
  { exchange, queue, key }: Place,
  signal: AbortSignal,
): Promise<readonly Delivered[]> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(confirmMs)]);
  const over = Promise.withResolvers<Delivered>();
  const end = (): void => over.resolve(signal.aborted ? cancelled : late);
  limit.addEventListener('abort', end, { once: true });
  try {
    const results = batch.map((message) => {
      const { promise, resolve } = Promise.withResolvers<Delivered>();
      const properties = {
        persistent: true,
        mandatory: queue !== undefined,
        messageId: message.id,
        type: message.type,
        timestamp: Math.floor(message.at / 1_000),
        contentType: 'application/json',
        appId: 'heronry',
        headers: cloudEventProperties(message),
      };
      const content = Buffer.from(JSON.stringify(message.body));
      channel.publish(exchange, key ?? message.type, content, properties, (error: unknown) => {
        if (returned.delete(message.id)) resolve(unroutable);
        else resolve(error === null ? { ok: true } : notTaken(error));
      });
      return promise;
    });
    return await Promise.all(results.map((result) => Promise.race([result, over.promise])));
  } finally {
    limit.removeEventListener('abort', end);
  }
}

function notTaken(error: unknown, hide = (text: string): string => text): Delivered {
  const text = error instanceof Error ? error.message : String(error);
  return failure('broker', hide(`the broker did not take the message: ${text}`));
}
