import type { Catalogue } from '../../definition/catalogue.ts';
import type { Source } from '../../definition/source.ts';
import type { HostView as Ledger } from '../../../workers/hosts.ts';
import type { Handlers } from '../methods.ts';
import type { CircuitView, HoldView, HostView } from '../methods/host.ts';
import type { HandlerDeps } from './deps.ts';
import { declaredDelayMs, isUnasked, trackedHosts, unaskedLedger } from './tracked-hosts.ts';

/** Of a key that very many sources share, no more are shown. */
const shownSources = 10;

export function hostHandlers(deps: HandlerDeps): Pick<Handlers, 'host.list'> {
  return {
    'host.list': async ({ key, after, limit }) => {
      const [ledgers, circuits] = await Promise.all([
        deps.ledgers(key === undefined ? { after, limit: limit + 1 } : { key }),
        deps.circuits(),
      ]);
      const named = sourcesByKey(deps.catalogue());
      const tracked = trackedHosts(deps, key);
      const asked = new Map(ledgers.map((ledger) => [ledger.key, ledger]));
      const others = [...tracked.keys()].filter((each) => after === undefined || each > after);
      const keys = [...new Set([...asked.keys(), ...others])].sort();
      const shown = keys.slice(0, limit);
      const hosts = shown.map((each) =>
        hostView(
          asked.get(each) ?? unaskedLedger(each, deps.clock.now()),
          [...(named.get(each) ?? []), ...(tracked.get(each) ?? [])],
          circuits,
          deps,
        ),
      );
      const last = shown.at(-1);
      return { hosts, ...(last !== undefined && keys.length > limit && { next: last }) };
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
  others: readonly string[],
  circuits: ReadonlyMap<string, CircuitView>,
  deps: HandlerDeps,
): HostView {
  const { key, waiting, next, open, nextAt, latencyMs, failures, backoffStep, rest } = ledger;
  const ids = [...new Set([...ledger.sources, ...others])];
  const loaded = ids.flatMap((id) => deps.catalogue().sources.get(id)?.source ?? []);
  const sources = loaded.slice(0, shownSources).map((source) => sourceView(source, key, circuits.get(source.id), deps));
  const delayMs = isUnasked(ledger) ? slowestOf(loaded) : ledger.delayMs;
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
    ...(delayMs !== undefined && { delayMs }),
    ...(latencyMs !== undefined && { latencyMs }),
    failures,
    backOffStep: backoffStep,
    ...(rest && { retryAfter: { until: Math.round(rest.until), capped: rest.isCapped } }),
  };
}

/** The pause of the slowest; nothing where there are none. */
function slowestOf(sources: readonly Source[]): number | undefined {
  return sources.length === 0 ? undefined : Math.max(...sources.map(declaredDelayMs));
}

function sourceView(
  source: Source,
  key: string,
  circuit: CircuitView | undefined,
  { robotsTxt }: HandlerDeps,
): HostView['sources'][number] {
  const { id, robots, userAgent, politeness } = source;
  const origin = originOf(key) ?? originOf(source.url);
  return {
    id,
    delayMs: declaredDelayMs(source),
    concurrency: politeness.concurrency,
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
