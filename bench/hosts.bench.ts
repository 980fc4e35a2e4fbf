/**
 * Question: what do the ledgers of 100,000 hosts cost? Turns per second in the book alone and through its actor, and memory
 * per host that is idle and that has somebody waiting. Goals: 20,000 turns a second, about ten times what one machine
 * fetches, and under 500 B per idle host.
 *
 * Run with `node --expose-gc bench/hosts.bench.ts [--json]`; without `--expose-gc` memory is not measured.
 */
import { Registry } from '../src/actor/registry.ts';
import { createSystem } from '../src/actor/system.ts';
import { systemClock } from '../src/clock.ts';
import type { Policy } from '../src/fetch/ledger/policy.ts';
import { TurnBook } from '../src/fetch/ledger/turn-book.ts';
import type { LedgerOffer } from '../src/fetch/ledger/host-line.ts';
import { hosts, type HostsMessage } from '../workers/hosts.ts';
import { createGate } from '../workers/gate.ts';
import { defaultPolicy, defaultThrottle } from '../test/support/politeness.ts';

const count = 100_000;
const inFlight = 256;
const answered = { kind: 'answered', status: 200 } as const;
const polite: Policy = { ...defaultPolicy, autoThrottle: defaultThrottle };
const hasty: Policy = { concurrency: 1, delayMs: 0, minDelayMs: 0 };

interface Row {
  readonly what: string;
  readonly value: number;
  readonly unit: string;
}

const rows: Row[] = [];

function note(what: string, value: number, unit: string): void {
  rows.push({ what, value: Math.round(value), unit });
}

function perSecond(times: number, startedAt: number): number {
  return (times / (performance.now() - startedAt)) * 1_000;
}

function heapBytes(): number | undefined {
  if (globalThis.gc === undefined) return undefined;
  for (let pass = 0; pass < 3; pass += 1) globalThis.gc();
  return process.memoryUsage().heapUsed;
}

function noteMemory(what: string, before: number | undefined): void {
  const after = heapBytes();
  if (before !== undefined && after !== undefined) note(what, (after - before) / count, 'B');
}

function offerOf(place: number, policy: Policy): LedgerOffer {
  const key = keys[place] ?? '';
  return { key, policy, dueAt: place, id: Symbol(key) };
}

/** Gives every turn that can be given at `now`; each is sent, and done after 300 ms. */
function giveAll(book: TurnBook<LedgerOffer>, now: number): number {
  let turns = 0;
  book.advance(now);
  for (let given = book.give(now); given; given = book.give(now)) {
    book.sent(given.lease, now);
    book.done(given.lease, answered, now + 300);
    turns += 1;
  }
  return turns;
}

/** Each host is asked over and over, as soon as it may be. */
function measureBook(): void {
  const before = heapBytes();
  const options = { random: Math.random, maxInFlight: inFlight, unsentMs: 60_000, sentMs: 240_000, startedAt: 0 };
  const book = new TurnBook<LedgerOffer>(options);
  for (let place = 0; place < count; place += 1) book.offer(offerOf(place, polite));
  noteMemory('memory per host with one waiting', before);

  const startedAt = performance.now();
  let turns = 0;
  for (let round = 1; round <= 5; round += 1) {
    turns += giveAll(book, round * 120_000);
    if (round === 5) break;
    for (let place = 0; place < count; place += 1) book.offer(offerOf(place, polite));
  }
  note(`turns in the book, ${turns} over ${count} hosts`, perSecond(turns, startedAt), '/s');
  noteMemory('memory per idle host that was throttled', before);
  const forgetting = performance.now();
  book.forget(5 * 120_000 + 1_000);
  note('a look for hosts to forget', performance.now() - forgetting, 'ms');
  const listing = performance.now();
  note('keys in a slice of the list', book.views(0, { limit: 1_000 }).length, '');
  note('a slice of the list', performance.now() - listing, 'ms');
  book.forget(1e12);
  noteMemory('memory left per host forgotten', before);
}

/** As many as may be in flight ask the actor for turns of host after host. */
async function measureActor(): Promise<void> {
  const clock = systemClock();
  const system = createSystem({ clock });
  const deps = {
    clock,
    registry: new Registry<'hosts', HostsMessage>(),
    random: Math.random,
    loadHosts: () => [],
    saveHosts: () => undefined,
    hasRoom: () => true,
    granted: () => false,
    maxInFlight: inFlight,
  };
  const spawned = await system.spawn<HostsMessage>((self) => hosts(self, deps));
  if (spawned.ok !== true) throw new Error('did not start');
  const { ref } = spawned;
  const gate = createGate(ref);
  const { signal } = new AbortController();
  const startedAt = performance.now();
  const turns = 3 * count;
  let next = 0;
  await Promise.all(
    Array.from({ length: inFlight }, async () => {
      for (let turn = next; turn < turns; turn = next) {
        next += 1;
        const grant = await gate.take({ key: keys[turn % count] ?? '', policy: hasty, dueAt: turn }, signal);
        grant.sent();
        gate.done(grant, answered);
      }
    }),
  );
  note(`turns through the actor, ${turns} over ${count} hosts`, perSecond(turns, startedAt), '/s');
  system.exit(ref, 'shutdown');
  await system.ended(ref);
}

const keys = Array.from({ length: count }, (_, place) => `https://host-${place}.test`);
measureBook();
await measureActor();
if (process.argv.includes('--json')) console.log(JSON.stringify(rows));
else console.table(rows);
