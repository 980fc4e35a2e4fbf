import type { Client } from 'pg';
import * as z from 'zod';
import { loadPeer, MissingPeer } from '../../load-peer.ts';
import { SecretName } from '../../schema/secret-name.ts';
import { strict } from '../../schema/strict.ts';
import { revealServer, serverAddress } from '../address.ts';
import { Connection } from '../connection.ts';
import { cancelled, failure } from '../failure.ts';
import type { Delivered, SinkKind } from '../sink.ts';
import { StillApplied } from '../warehouse/correct.ts';
import { SchemaFault, Tables } from '../warehouse/table.ts';
import { toldRecord } from '../warehouse/told.ts';
import { isDataFault, ofManyRecords, type ToldMessage, Warehouse } from '../warehouse/warehouse.ts';

const Options = strict({
  /** The database. The tables are those of its user's search path, which `?options=-csearch_path%3Dheronry` sets. */
  url: serverAddress(['postgres', 'postgresql']),
  /** The secret that is the password of the URL's user. */
  password: SecretName.exactOptional(),
  /** Whether tables and columns that are missing are made, or are failures that name them. */
  schema: z.enum(['auto', 'strict']).default('auto'),
  /** Whether what records said before is kept as well, in a table `<table>__history`. */
  history: z.boolean().default(false),
});
type Options = z.infer<typeof Options>;

/** How long the database may take, in real time. */
const limits = { connectionTimeoutMillis: 10_000, statement_timeout: 60_000, query_timeout: 65_000 };

/** Keeps a row for each record in PostgreSQL. */
export const postgres: SinkKind<Options> = {
  options: Options,
  doc: 'Keeps a row for each record in tables of PostgreSQL, one for each type, and with `history` what it said before.',
  batch: 500,
  also: ofManyRecords,
  async open(options, ports) {
    const tables = new Tables(options.schema);
    const database = new Connection(
      (address, onEnd) => openClient(address, ports.sink, onEnd),
      (client) => client.end(),
    );
    let turn: Promise<unknown> = Promise.resolve();
    return {
      deliver(batch, signal) {
        // Records are read while the batch before is written.
        const told = batch.map((message) => ({ message, record: toldRecord(message, ports, options.history) }));
        // One connection, on which one batch at a time is a transaction.
        const delivered = turn.then(() => deliver(told, signal));
        turn = delivered.catch(() => undefined);
        return delivered;
      },
      close: () => database.close(),
    };

    async function deliver(batch: readonly ToldMessage[], signal: AbortSignal): Promise<readonly Delivered[]> {
      if (signal.aborted) return batch.map(() => cancelled);
      const server = await revealServer(ports, options);
      if (!server.ok) return batch.map(() => server);
      try {
        const client = await database.to(server.url.href);
        return await deliverTo(new Warehouse({ client, tables, ports, hasHistory: options.history }), batch);
      } catch (error) {
        if (error instanceof MissingPeer) return batch.map(() => failure('not_installed', error.message));
        // Whatever it was: what is known of the tables, and the connection, may be out of date.
        tables.forget();
        await database.close();
        return batch.map(() => failure('database', server.hide(`the database did not take the row: ${textOf(error)}`)));
      }
    }
  },
};

/** Writes a batch at once; where a row of it cannot be written, each alone. Rejects where the database is the cause. */
async function deliverTo(warehouse: Warehouse, batch: readonly ToldMessage[]): Promise<readonly Delivered[]> {
  try {
    await warehouse.write(batch);
    return batch.map(() => ({ ok: true }));
  } catch (error) {
    if (!(error instanceof SchemaFault || error instanceof StillApplied) && !isDataFault(error)) throw error;
    if (batch.length === 1) return [ofRow(error)];
  }
  const results: Delivered[] = [];
  for (const told of batch) results.push(...(await deliverTo(warehouse, [told])));
  return results;
}

function ofRow(error: unknown): Delivered {
  if (error instanceof SchemaFault) return failure('schema', error.message);
  if (error instanceof StillApplied) return failure('under_way', error.message);
  const { failure: known } = failure('data', `the database refused the row: ${textOf(error)}`);
  return { ok: false, failure: { ...known, isFinal: true } };
}

async function openClient(address: string, sink: string, onEnd: () => void): Promise<Client> {
  const pg = await loadPeer(() => import('pg'), 'pg');
  const client = new pg.Client({
    connectionString: address,
    application_name: `heronry ${sink}`,
    keepAlive: true,
    ...limits,
  });
  client.on('error', onEnd).on('end', onEnd);
  await client.connect();
  return client;
}

function textOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(textOf).join(', ');
  return error instanceof Error ? error.message : String(error);
}
