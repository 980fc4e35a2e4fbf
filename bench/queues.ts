/** The servers of queues that benches use, each started for the bench on loopback. */
import { Redis } from 'ioredis';
import { Client } from 'pg';
import type { Ending } from '../test/support/servers/own-server.ts';
import { postgresqlUrl } from '../test/support/servers/postgresql.ts';
import { openRedis } from '../test/support/servers/redis.ts';

/** A server that keeps queues. */
export interface QueueStore {
  readonly name: string;
  readonly url: string;
  /** What it holds: Redis in memory, PostgreSQL in the tables of BullMQ and their indexes. */
  heldBytes(): Promise<number>;
}

/** Starts a Redis that writes to its disk once a second, as Redis does by default with `appendonly yes`. */
export async function redisQueues(ending: Ending): Promise<QueueStore> {
  const { url } = await openRedis(ending);
  const client = new Redis(url);
  ending.after(() => client.quit());
  await client.config('SET', 'appendfsync', 'everysec');
  return {
    name: 'Redis',
    url,
    async heldBytes() {
      return Number(/^used_memory:(\d+)/m.exec(await client.info('memory'))?.[1]);
    },
  };
}

/** Starts a PostgreSQL that does not wait for its disk, or takes the one that `DATABASE_URL` names. */
export async function postgresqlQueues(ending: Ending): Promise<QueueStore> {
  const url = await postgresqlUrl(ending);
  const client = new Client({ connectionString: url });
  await client.connect();
  ending.after(() => client.end());
  const tables = `select coalesce(sum(pg_total_relation_size(oid)), 0) as bytes from pg_class
    where relnamespace = 'bullmq'::regnamespace and relkind in ('r', 'm')`;
  return {
    name: 'PostgreSQL',
    url,
    async heldBytes() {
      const { rows } = await client.query<{ bytes: string }>(tables);
      return Number(rows[0]?.bytes);
    },
  };
}
