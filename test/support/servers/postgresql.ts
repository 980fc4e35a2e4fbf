import { execFile } from 'node:child_process';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { type Ending, findProgram, freePort, missingServer, type OwnServer, startServer } from './own-server.ts';

const program = findProgram('postgres');
const given = process.env['DATABASE_URL'];

/** Why tests with PostgreSQL cannot run here; `false` when they can. */
export const noPostgresql = missingServer('postgresql', program !== undefined || given !== undefined);

/** The user `nobody`: PostgreSQL does not run as root. */
const nobody = 65_534;

/** A schema of the test's own in a database. */
export interface TestDatabase {
  /** An address whose tables are those of the schema. */
  readonly url: string;
  readonly client: Client;
  rows(sql: string, ...values: readonly unknown[]): Promise<Record<string, unknown>[]>;
}

/** A PostgreSQL of the test's own, on loopback. */
export interface TestPostgresql {
  readonly url: string;
  /** Ends it as a crash. */
  end(): Promise<void>;
  /** Starts it again at the same place. */
  start(): Promise<void>;
}

/** Resolves with the address of the PostgreSQL that `DATABASE_URL` names, or else of one that goes with a suite. */
export async function postgresqlUrl(t: Ending): Promise<string> {
  return given ?? (await openPostgresql(t)).url;
}

/** Starts a PostgreSQL; it goes with the test or the suite. */
export async function openPostgresql(t: Ending): Promise<TestPostgresql> {
  const folder = await mkdtemp(join(tmpdir(), 'heronry-postgresql-'));
  const data = join(folder, 'data');
  const user = process.getuid?.() === 0 ? nobody : undefined;
  if (user !== undefined) await chown(folder, user, user);
  await promisify(execFile)(
    findProgram('initdb') ?? 'initdb',
    ['-D', data, '-U', 'heronry', '-A', 'trust', '-E', 'UTF8', '--no-locale', '--no-sync'],
    { cwd: folder, ...(user !== undefined && { uid: user, gid: user }) },
  );
  const port = await freePort();
  const settings = ['listen_addresses=127.0.0.1', `port=${port}`, 'unix_socket_directories=', 'fsync=off'];
  let server: OwnServer | undefined;
  const end = async (): Promise<void> => {
    const running = server;
    server = undefined;
    await running?.end('SIGQUIT');
  };
  const start = async (): Promise<void> => {
    server = await startServer({
      command: [program ?? 'postgres', '-D', data, ...settings.flatMap((setting) => ['-c', setting])],
      cwd: folder,
      isUp: /database system is ready to accept connections/,
      user,
    });
  };
  t.after(async () => {
    await end();
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  });
  await start();
  return { url: `postgres://heronry@127.0.0.1:${port}/postgres`, end, start };
}

let schemas = 0;

/** Makes a schema in a database of a suite; it goes with the test. */
export async function openDatabase(t: Ending, server: string): Promise<TestDatabase> {
  schemas += 1;
  const schema = `heronry_${process.pid}_${schemas}`;
  const url = `${server}${server.includes('?') ? '&' : '?'}options=-csearch_path%3D${schema}`;
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(`create schema ${schema}`);
  t.after(async () => {
    await client.query(`drop schema ${schema} cascade`);
    await client.end();
  });
  return {
    url,
    client,
    rows: async (sql, ...values) => (await client.query<Record<string, unknown>>(sql, [...values])).rows,
  };
}
