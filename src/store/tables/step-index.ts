import { defined } from '../../defined.ts';
import type { EndedState, EndedStep, StepType } from '../../view/step-entry.ts';
import type { Environment } from '../lmdb/environment.ts';
import { packedTable, type NumberRange, table } from '../lmdb/table.ts';
import { namingSources, ownSource } from './source-names.ts';

/** An ended step in a third of the bytes of its JSON; 0 and the empty text stand for what it has not, and what few have comes last, as JSON. */
type PackedStep = readonly [
  /** The state and the type by their places in `states` and `types`. */
  state: number,
  type: number,
  source: string,
  target: number,
  scrape: number,
  method: string,
  url: string,
  queuedAt: number,
  /** Its turn came so long after that, and 1 ms; it ended so long after it began to wait. */
  startedAfterMs: number,
  endedAfterMs: number,
  turns: number,
  worker: string,
  status: number,
  bytes: number,
  /** The number of records, and 1. */
  records: number,
  more?: string,
];

/** What few steps have. */
type More = Pick<EndedStep, 'failure' | 'stack'>;

const states: readonly EndedState[] = ['done', 'failed', 'revoked', 'lost'];
const types: readonly StepType[] = ['page', 'robots', 'login', 'pulse', 'recheck', 'file', 'trial', 'resolve'];

/** The ended steps by number. */
export function stepIndexTable(environment: Environment) {
  const packed = table<number, PackedStep>(environment, 'steps.index', 'msgpack');
  const rows = namingSources<number, EndedStep>(environment, packedTable(packed, { pack, unpack }), { row: ownSource });

  return {
    get: rows.get,
    put: (row: EndedStep) => rows.put(Number(row.id), row),
    remove: rows.remove,
    /** The newest first. */
    rows: ({ before }: Pick<NumberRange, 'before'> = {}) => rows.rows({ before, newestFirst: true }),
    /** The highest number; 0 in an empty table. */
    last: () => rows.lastKey() ?? 0,
    count: rows.count,
    /** Removes up to `limit` of the oldest steps beyond the newest `keep`. Returns the number of removed steps. */
    trim(keep: number, limit: number): number {
      const surplus = Math.min(limit, rows.count() - keep);
      return surplus > 0 ? rows.removeRange({ limit: surplus }) : 0;
    },
  };
}

function pack(row: EndedStep): PackedStep {
  const { state, type, source, target = 0, scrape = 0, method, url, queuedAt, startedAt, endedAt, turns } = row;
  const { worker = '', status = 0, bytes = 0, records = -1, failure, stack } = row;
  const startedAfterMs = startedAt === undefined ? 0 : startedAt - queuedAt + 1;
  const step = [
    ...([states.indexOf(state), types.indexOf(type), source, target, scrape, method, url, queuedAt] as const),
    ...([startedAfterMs, endedAt - queuedAt, turns, worker, status, bytes, records + 1] as const),
  ] as const;
  return failure === undefined ? step : [...step, JSON.stringify({ failure, ...defined({ stack }) } satisfies More)];
}

function unpack(packed: PackedStep, id: number): EndedStep {
  const [state, type, source, target, scrape, method, url, queuedAt, startedAfterMs, endedAfterMs, turns] = packed;
  const [, , , , , , , , , , , worker, status, bytes, records, text] = packed;
  const more = text === undefined ? {} : (JSON.parse(text) as More);
  return {
    id: String(id),
    state: states[state] ?? 'failed',
    type: types[type] ?? 'page',
    source,
    method,
    url,
    queuedAt,
    endedAt: queuedAt + endedAfterMs,
    turns,
    ...(target > 0 && { target }),
    ...(scrape > 0 && { scrape }),
    ...(startedAfterMs > 0 && { startedAt: queuedAt + startedAfterMs - 1 }),
    ...(worker !== '' && { worker }),
    ...(status > 0 && { status }),
    ...(bytes > 0 && { bytes }),
    ...(records > 0 && { records: records - 1 }),
    ...more,
  };
}
