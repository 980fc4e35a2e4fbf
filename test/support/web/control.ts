import { z } from 'zod';
import type { FaultKind, WebState } from './web-state.ts';

/** The answer of a control route: JSON, or a reason with status 400 or 404. */
export interface ControlAnswer {
  readonly status: 200 | 400 | 404;
  readonly value: unknown;
}

const Prefix = z.string().startsWith('/');

const ClockChange = z.strictObject({ offsetMs: z.int() });

const FaultChange = z.strictObject({
  prefix: Prefix,
  forMs: z.int().positive().optional(),
  kind: z.discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('status'),
      status: z.int().min(400).max(599),
      retryAfterS: z.int().min(0).optional(),
    }),
    z.strictObject({ type: z.literal('slow'), delayMs: z.int().positive() }),
    z.strictObject({ type: z.literal('silence') }),
    z.strictObject({ type: z.literal('cut') }),
  ]),
}) satisfies z.ZodType<{ prefix: string; kind: FaultKind }>;

const LayoutChange = z.strictObject({ prefix: Prefix, layout: z.enum(['usual', 'changed']) });

const RobotsChange = z.strictObject({ text: z.string().nullable() });

/**
 * The routes below `/_demo/`, for tests and demonstrations; a change answers with the state after it.
 *
 * - `GET state`, `GET log?after=<serial>`
 * - `POST clock {offsetMs}` moves the web's time
 * - `POST faults {prefix, kind, forMs?}` breaks a part of it, `DELETE faults` mends everything
 * - `POST layout {prefix, layout}` rebuilds pages, `usual` undoes it
 * - `POST robots {text}` replaces robots.txt, `null` undoes it
 * - `DELETE sessions` ends all log-ins
 */
export function control(
  state: WebState,
  method: string,
  path: string,
  query: URLSearchParams,
  body: string,
  now: number,
): ControlAnswer {
  switch (`${method} ${path}`) {
    case 'GET state':
      return shown(state, now);
    case 'GET log':
      return { status: 200, value: state.log.after(Number.parseInt(query.get('after') ?? '0', 10)) };
    case 'POST clock':
      return change(ClockChange, ({ offsetMs }) => {
        state.offsetMs = offsetMs;
      });
    case 'POST faults':
      return change(FaultChange, ({ prefix, kind, forMs }) => {
        const others = state.faults.filter((fault) => fault.prefix !== prefix);
        state.faults = [...others, { prefix, kind, ...(forMs === undefined ? {} : { untilAt: now + forMs }) }];
      });
    case 'DELETE faults':
      state.faults = [];
      return shown(state, now);
    case 'POST layout':
      return change(LayoutChange, ({ prefix, layout }) => {
        const others = state.rebuilt.filter((each) => each !== prefix);
        state.rebuilt = layout === 'changed' ? [...others, prefix] : others;
      });
    case 'POST robots':
      return change(RobotsChange, ({ text }) => {
        if (text === null) delete state.robots;
        else state.robots = text;
      });
    case 'DELETE sessions':
      state.sessions += 1;
      return shown(state, now);
    default:
      return { status: 404, value: { error: `no control route ${method} /_demo/${path}` } };
  }

  function change<T>(schema: z.ZodType<T>, apply: (wanted: T) => void): ControlAnswer {
    const wanted = schema.safeParse(parseJson(body));
    if (!wanted.success) return { status: 400, value: { error: z.prettifyError(wanted.error) } };
    apply(wanted.data);
    return shown(state, now);
  }
}

function shown({ world, offsetMs, faults, rebuilt, robots, log }: WebState, now: number): ControlAnswer {
  const value = {
    ...world,
    now: now + offsetMs,
    offsetMs,
    faults,
    rebuilt,
    robots: robots ?? null,
    requests: log.count,
  };
  return { status: 200, value };
}

/** Nothing for a text that is not JSON: the schema then says what was expected. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
