import type { Catalogue } from '../../definition/catalogue.ts';
import type { Source } from '../../definition/source.ts';
import type { LedgerView } from '../../fetch/ledger/ledger-view.ts';
import { defined } from '../../defined.ts';
import type { Handlers } from '../methods.ts';
import type { CircuitView, HoldView } from '../../view/host.ts';
import type { HostView } from '../methods/host.ts';
import { pauseOf } from '../../store/pauses.ts';
import { CutLists } from './cut-lists.ts';
import type { Ports } from './ports.ts';
import { wholeMs } from './views.ts';
import { declaredDelayMs, isUnasked, trackedHosts, unaskedLedger } from './tracked-hosts.ts';

type Deps = Pick<Ports, 'store' | 'catalogue' | 'sources' | 'hosts' | 'clock'>;

/** The most sources that are shown of one host. */
const shownSources = 10;

/** What delays requests to a host that is paused. */
export const pausedHold = { kind: 'pause' } as const;

/** Creates the handler that lists hosts with their ledgers. */
export function hostHandlers(deps: Deps): Pick<Handlers, 'host.list'> {
  return {
    'host.list': async ({ key, after, limit }) => {
      const [ledgers, circuits] = await Promise.all([
        deps.hosts.ledgers(key === undefined ? { after, limit: limit + 1 } : { key }),
        deps.hosts.circuits(),
      ]);
      const named = sourcesByKey(deps.catalogue());
      const { hosts: tracked, cut } = trackedHosts(deps, key);
      const asked = new Map(ledgers.map((ledger) => [ledger.key, ledger]));
      const keys = [...new Set([...asked.keys(), ...tracked.keys()])].filter(
        (each) => after === undefined || each > after,
      );
      const shown = keys.sort().slice(0, limit);
      const hosts = shown.map((each) =>
        hostView(
          asked.get(each) ?? unaskedLedger(each, deps.clock.now()),
          [...(named.get(each) ?? []).map(({ id }) => id), ...(tracked.get(each) ?? [])],
          circuits,
          deps,
        ),
      );
      const last = shown.at(-1);
      const next = keys.length > limit ? last : undefined;
      return { hosts, ...defined({ next, cut: key === undefined && next === undefined ? cut : undefined }) };
    },
  };
}

/** Groups sources by the politeness key that their definitions name; under '' where a definition names none. */
function sourcesByKey({ sources }: Catalogue): ReadonlyMap<string, readonly Source[]> {
  const loaded = Array.from(sources.values(), ({ source }) => source);
  return Map.groupBy(loaded, ({ politeness, url }) => politeness.key ?? originOf(url) ?? '');
}

/** Returns the origin of an address pattern, which has no placeholder before its path. */
function originOf(address: string | undefined): string | undefined {
  const origin = address === undefined ? undefined : URL.parse(address)?.origin;
  return origin === 'null' ? undefined : origin;
}

function hostView(
  ledger: LedgerView,
  others: readonly string[],
  circuits: ReadonlyMap<string, CircuitView>,
  deps: Deps,
): HostView {
  const { key, waiting, next, open, nextAt, latencyMs, failures, backoffStep, rest } = ledger;
  const ids = [...new Set([...ledger.sources, ...others])];
  const loaded = ids.flatMap((id) => deps.catalogue().sources.get(id)?.source ?? []);
  const cut = new CutLists<'sources'>();
  const sources = cut
    .first('sources', loaded, shownSources)
    .map((source) => sourceView(source, key, circuits.get(source.id), deps));
  const delayMs = isUnasked(ledger) ? slowestOf(loaded) : ledger.delayMs;
  const pause = pauseOf(deps.hosts.pauses(), { host: key });
  const stopped = ledger.hold === undefined ? stoppedUntil(sources) : undefined;
  const hold = pause ? pausedHold : stopped === undefined ? holdView(ledger.hold) : ({ kind: 'circuit' } as const);
  return {
    key,
    sources,
    ...defined({ cut: cut.names }),
    waiting,
    next: next.map(({ dueAt, deadlineAt, source }) => ({
      dueAt: Math.round(dueAt),
      ...defined({ deadlineAt: wholeMs(deadlineAt), source }),
    })),
    open,
    ...defined({ nextAt: pause ? pause.until : wholeMs(stopped ?? nextAt), hold, delayMs, latencyMs }),
    failures,
    backOffStep: backoffStep,
    ...defined({ retryAfter: rest && { until: Math.round(rest.until), capped: rest.isCapped } }),
  };
}

/** Returns the longest declared pause; nothing without sources. */
function slowestOf(sources: readonly Source[]): number | undefined {
  return sources.length === 0 ? undefined : Math.max(...sources.map(declaredDelayMs));
}

function sourceView(
  source: Source,
  key: string,
  circuit: CircuitView | undefined,
  { sources }: Deps,
): HostView['sources'][number] {
  const { id, robots, userAgent, politeness } = source;
  const origin = originOf(key) ?? originOf(source.url);
  return {
    id,
    delayMs: declaredDelayMs(source),
    concurrency: politeness.concurrency,
    robots,
    ...defined({
      userAgent,
      robotsTxt: robots === 'obey' && origin !== undefined ? sources.robotsTxt(source, origin) : undefined,
      circuit,
    }),
  };
}

/** Returns when the first of the sources may ask again, if all of them are stopped. */
function stoppedUntil(sources: HostView['sources']): number | undefined {
  const nextAts = sources.map(({ circuit }) => (circuit?.state === 'open' ? circuit.nextAt : undefined));
  const known = nextAts.filter((at) => at !== undefined);
  return known.length > 0 && known.length === sources.length ? Math.min(...known) : undefined;
}

/** Converts a ledger's hold to the words of the control methods. */
export function holdView(hold: LedgerView['hold']): HoldView | undefined {
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
