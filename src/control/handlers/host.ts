import type { Catalogue } from '../../definition/catalogue.ts';
import type { Source } from '../../definition/source.ts';
import type { HostView as Ledger } from '../../../workers/hosts.ts';
import type { Handlers } from '../methods.ts';
import type { CircuitView, HoldView, HostView } from '../methods/host.ts';
import type { HandlerDeps } from './deps.ts';

/** Of a key that very many sources share, no more are shown. */
const shownSources = 10;

export function hostHandlers(deps: HandlerDeps): Pick<Handlers, 'host.list'> {
  return {
    'host.list': async ({ key, after, limit }) => {
      const [ledgers, circuits] = await Promise.all([
        deps.ledgers(key === undefined ? { after, limit: limit + 1 } : { key }),
        deps.circuits(),
      ]);
      const byKey = sourcesByKey(deps.catalogue());
      const shown = ledgers.slice(0, limit);
      const hosts = shown.map((ledger) => hostView(ledger, byKey.get(ledger.key) ?? [], circuits, deps));
      const last = shown.at(-1);
      return { hosts, ...(last && ledgers.length > limit && { next: last.key }) };
    },
  };
}

/** Sources by the ledger that their definitions name; where that is not known, only asking shows it. */
function sourcesByKey({ sources }: Catalogue): ReadonlyMap<string, readonly string[]> {
  return Map.groupBy(sources.keys(), (id) => keyOf(sources.get(id)?.source) ?? '');
}

function keyOf(source: Source | undefined): string | undefined {
  return source?.politeness.key ?? originOf(source?.url);
}

/** An address pattern has no placeholder before its path. */
function originOf(address: string | undefined): string | undefined {
  const origin = address === undefined ? undefined : URL.parse(address)?.origin;
  return origin === 'null' ? undefined : origin;
}

function hostView(
  ledger: Ledger,
  named: readonly string[],
  circuits: ReadonlyMap<string, CircuitView>,
  deps: HandlerDeps,
): HostView {
  const { key, waiting, next, open, nextAt, delayMs, latencyMs, failures, backoffStep, rest } = ledger;
  const ids = [...new Set([...ledger.sources, ...named])].slice(0, shownSources);
  const sources = ids.flatMap((id) => sourceOf(id, key, circuits.get(id), deps) ?? []);
  const stopped = ledger.hold === undefined ? stoppedUntil(sources) : undefined;
  const hold = stopped === undefined ? holdView(ledger.hold) : ({ kind: 'circuit' } as const);
  const turnAt = stopped ?? nextAt;
  return {
    key,
    sources,
    waiting,
    next: next.map(({ dueAt, deadlineAt, source }) => ({
      dueAt: Math.round(dueAt),
      ...(deadlineAt !== undefined && { deadlineAt: Math.round(deadlineAt) }),
      ...(source !== undefined && { source }),
    })),
    open,
    ...(turnAt !== undefined && { nextAt: Math.round(turnAt) }),
    ...(hold && { hold }),
    delayMs,
    ...(latencyMs !== undefined && { latencyMs }),
    failures,
    backOffStep: backoffStep,
    ...(rest && { retryAfter: { until: Math.round(rest.until), capped: rest.isCapped } }),
  };
}

function sourceOf(
  id: string,
  key: string,
  circuit: CircuitView | undefined,
  { catalogue, robotsTxt }: HandlerDeps,
): HostView['sources'][number] | undefined {
  const source = catalogue().sources.get(id)?.source;
  if (source === undefined) return undefined;
  const { robots, userAgent } = source;
  const origin = originOf(key) ?? originOf(source.url);
  return {
    id,
    robots,
    ...(userAgent !== undefined && { userAgent }),
    ...(robots === 'obey' && origin !== undefined && { robotsTxt: robotsTxt(source, origin) }),
    ...(circuit && { circuit }),
  };
}

/** When the first of the sources may ask again, if all of them are stopped. */
function stoppedUntil(sources: HostView['sources']): number | undefined {
  const nextAts = sources.map(({ circuit }) => (circuit?.state === 'open' ? circuit.nextAt : undefined));
  const known = nextAts.filter((at) => at !== undefined);
  return known.length > 0 && known.length === sources.length ? Math.min(...known) : undefined;
}

/** What holds a host up, in the words of the control methods. */
export function holdView(hold: Ledger['hold']): HoldView | undefined {
  if (hold === undefined) return undefined;
  switch (hold.kind) {
    case 'crawl-delay':
      return { kind: 'crawl_delay', delayMs: hold.delayMs };
    case 'gap':
    case 'throttle':
      return { kind: hold.kind, delayMs: hold.delayMs };
    case 'retry-after':
      return { kind: 'retry_after', capped: hold.isCapped };
    case 'back-off':
      return { kind: 'back_off', step: hold.step };
    case 'concurrency':
    case 'unsent':
      return { kind: hold.kind };
    default:
      return hold satisfies never;
  }
}
