import type { Client, CustomTypesConfig, Pool, types as pgTypes } from 'pg';
import { ServerTime } from './server-time.ts';

/** A number that is no further than this from the present time is an instant, in ms. */
const nearMs = 60_000;

/** How BullMQ is to connect to a server, so that all instants there are by the server's clock. */
export interface InServerTime {
  readonly options: { readonly Client: typeof Client; readonly types: CustomTypesConfig };
  /** Measures the server's clock anew. To be called before the first statement of BullMQ. */
  measure(): Promise<void>;
}

/**
 * Has BullMQ give instants to PostgreSQL by the server's clock, and read them by its own. BullMQ reckons the locks of its jobs there by `Date.now()` of
 * whoever asks, which it passes as a parameter: a machine whose clock is slow would lose its jobs at once, and those of a lost one whose clock is
 * fast would be kept for longer.
 *
 * @param pg - the module `pg`.
 * @param pool - by whose connections the server is asked for its time.
 */
export function inServerTime(
  { Client: PgClient, types }: { readonly Client: typeof Client; readonly types: typeof pgTypes },
  pool: Pick<Pool, 'query'>,
): InServerTime {
  const time = new ServerTime(
    () => serverNow(pool),
    () => performance.now(),
  );
  const query = PgClient.prototype.query as (...statement: unknown[]) => unknown;
  class Translating extends PgClient {}
  Object.assign(Translating.prototype, {
    query(this: Client, text: unknown, values: unknown, ...more: unknown[]): unknown {
      return query.call(this, text, Array.isArray(values) ? values.map(toServer) : values, ...more);
    },
  });
  const getTypeParser: CustomTypesConfig['getTypeParser'] = (type, format) =>
    // BullMQ's columns of instants are `bigint`.
    type === types.builtins.INT8 ? fromServer : types.getTypeParser(type, format);
  return { options: { Client: Translating, types: { getTypeParser } }, measure: () => time.measure() };

  function toServer(value: unknown): unknown {
    const now = Date.now();
    return typeof value === 'number' && isNear(value, now) ? Math.round(value + time.now() - now) : value;
  }

  function fromServer(text: string): string {
    const now = time.now();
    return isNear(Number(text), now) ? `${Math.round(Number(text) + Date.now() - now)}` : text;
  }
}

function isNear(value: number, now: number): boolean {
  return Math.abs(value - now) < nearMs;
}

/** The server's time, in ms. */
export async function serverNow(pool: Pick<Pool, 'query'>): Promise<number> {
  const { rows } = await pool.query<{ ms: string }>('select extract(epoch from clock_timestamp()) * 1000 as ms');
  return Number(rows[0]?.ms);
}
