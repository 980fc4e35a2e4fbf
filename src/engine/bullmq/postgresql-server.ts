import type { Client, PoolClient } from 'pg';
import { loadPeer } from '../../load-peer.ts';
import { inServerTime, serverNow } from './in-server-time.ts';
import type { LeaseHolder } from './lease.ts';
import { Opened, processorOf, type QueueServer, type QueueServerOptions } from './queue-server.ts';

/** The schema that BullMQ's tables are in. */
const schema = 'bullmq';

/** The table of leases: who may use the queues of a cluster, and until when. */
const leaseTable = `create table if not exists ${schema}.heronry_leases (
  cluster text primary key, holder text not null, life text not null, epoch bigint not null, until timestamptz not null)`;

/** Takes or renews a lease: of a cluster, for a holder and its life, for so many ms, with the epoch of one that is renewed. The epoch is at least the server's time in ms. */
const takeLease = `
insert into ${schema}.heronry_leases as held (cluster, holder, life, epoch, until)
values ($1, $2, $3, coalesce($5, floor(extract(epoch from clock_timestamp()) * 1000)::bigint), clock_timestamp() + $4 * interval '1 millisecond')
on conflict (cluster) do update set holder = excluded.holder, life = excluded.life, until = excluded.until,
  epoch = case when held.life = excluded.life then held.epoch else greatest(held.epoch + 1, floor(extract(epoch from clock_timestamp()) * 1000)) end
where held.holder = excluded.holder or held.until < clock_timestamp()
returning epoch`;

const leaseHolder = `select holder, life from ${schema}.heronry_leases where cluster = $1`;

/** Why a worker process cannot use the tables yet. */
const missingOrOld = `the schema "${schema}" of the database is missing or of an older BullMQ: a daemon makes it, or brings it up to date, when it starts`;

/** How long a connection may take to be made, in ms. */
const connectMs = 10_000;

/** The most connections of each queue, worker and relay, besides the one by which it hears; `docs/workers.md` says how many these are in all. */
const mostConnections = 4;

/** Connects to PostgreSQL. Rejects as `openQueueServer` does. */
export async function openPostgresqlServer(url: string, { failed, migrate }: QueueServerOptions): Promise<QueueServer> {
  const pg = (await loadPeer(() => import('pg'), 'pg')).default;
  const bullmq = await loadPeer(() => import('bullmq'), 'bullmq');
  /** The version of the tables; 0 where there are none. */
  const versionOf = async (client: PoolClient): Promise<number> => {
    try {
      return await bullmq.assertSchemaCompatibility(client, schema);
    } catch (error) {
      if (error instanceof bullmq.SchemaMigrationRequiredError) return 0;
      throw error;
    }
  };
  const connected = new Set<Client>();
  let isClosed = false;
  class Watched extends pg.Client {
    constructor(...options: ConstructorParameters<typeof Client>) {
      super(...options);
      connected.add(this);
      this.on('error', failed);
      this.once('end', () => void connected.delete(this));
      // One that was under way when all was closed.
      if (isClosed) setImmediate(() => this.connection.stream.destroy());
    }
  }
  const reached = { connectionString: url, max: mostConnections, connectionTimeoutMillis: connectMs };
  const pool = new pg.Pool({ ...reached, Client: Watched });
  pool.on('error', failed);
  const translated = inServerTime({ Client: Watched, types: pg.types }, pool);
  try {
    const client = await pool.connect();
    try {
      // A worker of BullMQ that finds no tables asks for them without a pause.
      if (migrate) {
        await bullmq.runMigrations(client, schema);
        await client.query(leaseTable);
      } else if ((await versionOf(client)) < bullmq.LATEST_SCHEMA_VERSION) throw new Error(missingOrOld);
    } finally {
      client.release();
    }
    await translated.measure();
  } catch (error) {
    await pool.end();
    throw error;
  }
  const connection = { ...reached, ...translated.options, schema, skipMigrations: true };
  const { Queue, Worker } = bullmq.withBackend(bullmq.createPostgresBackend);
  const opened = new Opened(failed);

  return {
    openQueue: (name) => opened.add(new Queue<string, void>(name, { connection })),
    openWorker: (name, process, options) =>
      opened.addWorker(new Worker<string, void>(name, processorOf(process), { ...options, connection })),
    async openRelay(namespace) {
      const relay = new bullmq.Relay({ connection, namespace, backend: bullmq.createPostgresRelayBackend });
      opened.add(relay);
      await relay.waitUntilReady();
      return relay;
    },
    async now() {
      const [now] = await Promise.all([serverNow(pool), translated.measure()]);
      return now;
    },
    async takeLease(cluster, { holder, life, epoch = null }, ms) {
      const { rows } = await pool.query<{ epoch: string }>(takeLease, [cluster, holder, life, ms, epoch]);
      return rows[0] && Number(rows[0].epoch);
    },
    async leaseHolder(cluster) {
      const { rows } = await pool.query<LeaseHolder>(leaseHolder, [cluster]);
      return rows[0];
    },
    async close() {
      await opened.close(() => pool.end());
      isClosed = true;
      // A server that is silent would keep its connections, and so this process.
      for (const { connection } of connected) connection.stream.destroy();
    },
  };
}
