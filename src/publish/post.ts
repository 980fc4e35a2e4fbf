import type { Clock } from '../clock.ts';
import { describeFailure, type FetchFailure } from '../fetch/failure.ts';
import type { FetchOutcome } from '../fetch/request.ts';
import type { FetchClient } from '../fetch/wire/client.ts';
import { defined } from '../defined.ts';
import { cancelled } from './failure.ts';
import type { Delivered, DeliveryFailure, SinkPorts } from './sink.ts';
import type { Slots } from './slots.ts';

/** Requests to receivers that are under way at once, over all sinks. */
export const mostPosts = 8;

/** Limits of one request, in real time. Of an answer nothing but its status is of use. */
const limits = { connectMs: 10_000, headersMs: 30_000, bodyMs: 10_000, totalMs: 45_000, maxBytes: 64 * 1024 };

/** The dependencies of requests to receivers. */
export interface PostDeps {
  readonly client: Pick<FetchClient, 'fetchPage'>;
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
  /** The id of the sink, which holds slots by it. */
  readonly sink: string;
  /** `mostPosts` slots, which all sinks share. */
  readonly slots: Slots;
}

/** Makes the `post` of a sink's ports: one request to a vetted address; redirects are not followed. */
export function createPost({ client, clock, sink, slots }: PostDeps): SinkPorts['post'] {
  return async (url, { method = 'POST', headers, body, allowPrivate, signal }) => {
    const unfit = unfitFailure(url, headers);
    if (unfit !== undefined) return { ok: false, failure: unfit };
    const request = { url, method, headers, body: { text: body }, allowPrivate, limits };
    const send = async (): Promise<Delivered> => {
      const startedAt = clock.monotonic();
      const outcome = await client.fetchPage(request, { signal, now: () => clock.now(), onSent: () => undefined });
      return { ...deliveredBy(outcome), ms: clock.monotonic() - startedAt };
    };
    try {
      return await slots.run(sink, send, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
      return cancelled;
    }
  };
}

/** Why a request cannot be sent as it is. The sentence shows neither address nor headers, as they may be secrets. */
function unfitFailure(url: string, headers: Readonly<Record<string, string>>): DeliveryFailure | undefined {
  const { protocol } = URL.parse(url) ?? {};
  if (protocol !== 'http:' && protocol !== 'https:')
    return { code: 'bad_address', message: 'the address is no http or https URL' };
  const unfit = Object.entries(headers).find(([, value]) => !/^[\t\x20-\x7e]*$/.test(value));
  return unfit && { code: 'bad_header', message: `the value of the header ${unfit[0]} is not a line of plain text` };
}

function deliveredBy(outcome: FetchOutcome): Delivered {
  const { status } = outcome.kind === 'page' ? outcome.page : outcome.cost;
  // Whatever was wrong with the rest of the answer, the receiver has the message.
  if (status !== undefined && status >= 200 && status < 300) return { ok: true, status };
  if (outcome.kind !== 'failure')
    return {
      ok: false,
      failure: {
        code: 'redirected',
        message: `answered with status ${status}, expected 2xx: redirects are not followed`,
        ...defined({ status }),
      },
    };
  const { failure } = outcome;
  const hint = failure.code === 'status' ? defined({ retryAfterMs: failure.retryAfterMs }) : {};
  return {
    ok: false,
    failure: {
      code: failure.code,
      message: textOf(failure),
      ...defined({ status }),
      ...hint,
      // Gone: the receiver wants no more of it.
      ...(status === 410 && { isFinal: true }),
    },
  };
}

function textOf(failure: FetchFailure): string {
  if (failure.code !== 'refused_address') return describeFailure(failure).replace('the site', 'the receiver');
  const needs = failure.needs?.includes('allowPrivate') === true ? ': it needs `allowPrivate: true` in the sink' : '';
  return `the address ${failure.address} may not be asked (${failure.range})${needs}`;
}
