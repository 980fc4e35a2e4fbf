import type * as OpenTelemetry from '@opentelemetry/api';
import type { Clock } from '../clock.ts';
import type { MakeRequest, RequestResult } from '../request/intent.ts';
import type { ObservedEnd, ObservedScrape, ScrapeObservation, ScrapeObserver } from '../scrape/observer.ts';

/** The package of the API of OpenTelemetry, which is loaded only for traces. */
type Api = Pick<typeof OpenTelemetry, 'ROOT_CONTEXT' | 'SpanKind' | 'SpanStatusCode' | 'trace'>;

/** What makes spans, and the clock that they go by. */
export interface TraceDeps {
  readonly api: Api;
  readonly tracer: OpenTelemetry.Tracer;
  readonly clock: Clock;
}

/**
 * Makes a span of each scrape, from when it was due, and of each of its parts a child: waits for turns, requests, extractions and commits.
 * Addresses go without user, query and fragment, and no message of a failure goes out, so that no secret does.
 */
export function traceScrapes(deps: TraceDeps): ScrapeObserver {
  return { begun: (scrape) => traceScrape(scrape, deps) };
}

/** When a part of a scrape began and ended, wall time, and what is told of it. */
interface Part {
  readonly from: number;
  readonly until: number;
  readonly told?: OpenTelemetry.Attributes;
}

function traceScrape(
  { scrape, target, source, dueAt, startedAt, isManual }: ObservedScrape,
  { api: { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace }, tracer, clock }: TraceDeps,
): ScrapeObservation {
  const begunAt = clock.monotonic();
  const rootFrom = Math.min(dueAt, startedAt);
  /** Since when the first request waits: its turn came before its scrape began. */
  let firstFrom: number | undefined = rootFrom;
  const attributes = {
    ...{ 'heronry.scrape': scrape, 'heronry.target': target, 'heronry.source': source.id },
    'heronry.reason': isManual ? 'manual' : 'due',
  };
  const root = tracer.startSpan('scrape', { root: true, startTime: timeOf(rootFrom), attributes });
  const context = trace.setSpan(ROOT_CONTEXT, root);

  return {
    requests: (makeRequest) => async (intent, signal) => {
      const from = firstFrom ?? now();
      firstFrom = undefined;
      let turnAt: number | undefined;
      let cameAt: number | undefined;
      let result: RequestResult | undefined;
      const watched: Parameters<MakeRequest>[0] = {
        ...intent,
        waits(isWaiting) {
          if (!isWaiting) turnAt ??= now();
          intent.waits?.(isWaiting);
        },
        came() {
          cameAt = now();
          intent.came?.();
        },
      };
      try {
        result = await makeRequest(watched, signal);
        return result;
      } finally {
        const until = now();
        const told = attributesOf(intent.step.request.url, result);
        part('wait for turn', { from, until: turnAt ?? until });
        // Where nothing was asked, the wait has ended without a turn.
        if (turnAt !== undefined && result?.wasAsked !== false)
          part('request', { from: turnAt, until: cameAt ?? until, told });
        if (cameAt !== undefined && intent.step.reading !== undefined)
          part('extraction', { from: cameAt, until, told });
      }
    },
    async commit(write) {
      const from = now();
      try {
        return await write();
      } finally {
        part('commit', { from, until: now() });
      }
    },
    ended(how: ObservedEnd) {
      root.setAttribute('heronry.outcome', how);
      if (how === 'failed' || how === 'aborted') root.setStatus({ code: SpanStatusCode.ERROR });
      root.end(timeOf(now()));
    },
  };

  /** Wall time, with the fractions of a millisecond that monotonic time has. */
  function now(): number {
    return startedAt + clock.monotonic() - begunAt;
  }

  function part(name: string, { from, until, told = {} }: Part): void {
    const kind = name === 'request' ? SpanKind.CLIENT : SpanKind.INTERNAL;
    const span = tracer.startSpan(name, { kind, startTime: timeOf(from), attributes: told }, context);
    if (told['error.type'] !== undefined) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end(timeOf(until));
  }
}

/** An instant in milliseconds as seconds and nanoseconds: a bare number may be taken for one of the process's own clock. */
function timeOf(ms: number): [seconds: number, nanoseconds: number] {
  const seconds = Math.floor(ms / 1_000);
  return [seconds, Math.floor((ms - seconds * 1_000) * 1e6)];
}

/** What is told of a request. */
function attributesOf(address: string, result: RequestResult | undefined): OpenTelemetry.Attributes {
  const { origin = '', pathname = '' } = URL.parse(address) ?? {};
  const url = { 'url.full': `${origin}${pathname}` };
  if (result === undefined) return { ...url, 'heronry.outcome': 'cut' };
  const { outcome } = result;
  return {
    ...url,
    'heronry.outcome': outcome.kind,
    'http.response.body.size': outcome.bytes,
    ...(outcome.status !== undefined && { 'http.response.status_code': outcome.status }),
    ...(outcome.kind === 'failed' && { 'error.type': outcome.failure.code }),
  };
}
