import { loadPeer } from '../../load-peer.ts';
import { Opened, processorOf, type QueueServer, type QueueServerOptions } from './queue-server.ts';

/** The longest pause between two attempts to reach a server that went away, in ms. */
const longestPauseMs = 5_000;

/**
 * Takes or renews a lease: its key, the holder, the holder's life, how long it is to last, in ms, and the epoch of one that is renewed. Answers with its epoch, or with nothing
 * while another holder has it. The epoch is at least the server's time, so that it rises also when the server has lost its data.
 */
const takeLease = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local holder, life, till, epoch = unpack(redis.call('HMGET', KEYS[1], 'holder', 'life', 'till', 'epoch'))
if holder and holder ~= ARGV[1] and tonumber(till) > now then return nil end
if not holder and ARGV[4] ~= '' then epoch = ARGV[4]
elseif life ~= ARGV[2] then epoch = math.max(tonumber(epoch or 0) + 1, now) end
epoch = string.format('%.0f', epoch)
redis.call('HSET', KEYS[1], 'holder', ARGV[1], 'life', ARGV[2], 'till', now + ARGV[3], 'epoch', epoch)
return epoch`;

/** Connects to Redis. Rejects as `openQueueServer` does. */
export async function openRedisServer(url: string, { failed }: QueueServerOptions): Promise<QueueServer> {
  const { Redis } = await loadPeer(() => import('ioredis'), 'ioredis');
  const { Queue, Relay, Worker } = await loadPeer(() => import('bullmq'), 'bullmq');
  const connection = new Redis(url, {
    lazyConnect: true,
    // BullMQ waits for as long as it takes.
    maxRetriesPerRequest: null,
    retryStrategy: (times) => Math.min(50 * 2 ** times, longestPauseMs),
  });
  connection.on('error', failed);
  try {
    await connection.connect();
  } catch (error) {
    connection.disconnect();
    throw error;
  }

  const opened = new Opened(failed);
  return {
    openQueue: (name) => opened.add(new Queue<string, void>(name, { connection })),
    openWorker: (name, process, options) =>
      opened.addWorker(new Worker<string, void>(name, processorOf(process), { ...options, connection })),
    async openRelay(namespace) {
      const relay = opened.add(new Relay({ connection, namespace }));
      await relay.waitUntilReady();
      return relay;
    },
    async now() {
      const [seconds, microseconds] = await connection.time();
      return Number(seconds) * 1_000 + Number(microseconds) / 1_000;
    },
    async takeLease(cluster, { holder, life, epoch = '' }, ms) {
      const taken = await connection.eval(takeLease, 1, `bull:${cluster}.lease`, holder, life, ms, epoch);
      return taken === null ? undefined : Number(taken);
    },
    async leaseHolder(cluster) {
      const [holder, life] = await connection.hmget(`bull:${cluster}.lease`, 'holder', 'life');
      return holder && life ? { holder, life } : undefined;
    },
    async close() {
      await opened.close();
      connection.disconnect();
    },
  };
}
