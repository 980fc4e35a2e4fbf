/**
 * Question: what does the timer of one turn cost to arm, to move and to fire, among a thousand and among a million others? The
 * heap that the daemon's clock keeps, beside the least that would do: a heap in typed arrays that knows no more than a number and an
 * instant. Each timer has an owner of its own, as each project has one. A move is what a project does: it cancels and arms again.
 * Timers are armed one after the other from an empty heap, and then fire, are armed again and are moved among all others.
 *
 * Goals: at most 3 times the bare heap, in time and in bytes, and from a thousand to a million no dearer than the logarithm and
 * the caches of the machine make the bare one. `setTimeout` stands beside them for a hundred thousand.
 *
 * Run with `node --expose-gc bench/timer.bench.ts [--json]`; without `--expose-gc` bytes are not measured.
 */
import { setImmediate } from 'node:timers/promises';
import { noSlot, TimerHeap, type TimerHolder } from '../src/timer-heap.ts';
import { BareHeap } from './bare-heap.ts';
import { rounded } from './statistics.ts';

const sizes = [1_000, 100_000, 1_000_000];
const dayMs = 86_400_000;
/** Operations of one round, of which one figure is the average; they are done some at a time, so that the heap keeps its size. */
const operations = 200_000;
const most = 1_000;
const rounds = 5;

/** Timers of owners, one each. */
interface Timers {
  arm(owner: Owner, dueMs: number): void;
  move(owner: Owner, dueMs: number): void;
  /** Fires the first due, whose owner is told. */
  fire(): void;
}

class Owner implements TimerHolder {
  lastTimer = noSlot;
  timer = 0;
  readonly number: number;

  constructor(number: number) {
    this.number = number;
  }

  send(): void {
    fired[firings] = this.number;
    firings += 1;
  }
}

/** The numbers of those that fired last. */
const fired = new Uint32Array(Math.max(...sizes));
let firings = 0;
const owners = Array.from(fired, (_, number) => new Owner(number));

interface Cost {
  readonly armNs: number;
  readonly moveNs: number;
  readonly fireNs: number;
  /** To fire and to be armed again, for later than most. */
  readonly againNs: number;
  /** Of one timer, without its owner. */
  readonly bytes: number;
}

function bare(): Timers {
  const heap = new BareHeap();
  return {
    arm: ({ number }, dueMs) => heap.add(number, dueMs),
    move: ({ number }, dueMs) => heap.move(number, dueMs),
    fire: () => ownerOf(heap.take()).send(),
  };
}

function heronry(): Timers {
  const heap = new TimerHeap();
  const arm = (owner: Owner, dueMs: number): void => {
    owner.timer = heap.add(dueMs, owner, look);
  };
  return {
    arm,
    move(owner, dueMs) {
      heap.remove(owner.timer, owner);
      arm(owner, dueMs);
    },
    fire: () => heap.fireFirst(),
  };
}
const look = { type: 'look' };

function ownerOf(number: number): Owner {
  const owner = owners[number];
  if (owner === undefined) throw new Error(`there is no timer ${number}`);
  return owner;
}

/** Numbers in `[0, 1)`, the same each time. */
function numbers(count: number, seed: number): Float64Array {
  let state = seed;
  return Float64Array.from({ length: count }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  });
}

/** Arrays that are let go of are given back a little after the collection that finds them. */
async function heldBytes(): Promise<number> {
  for (let pass = 0; pass < 3; pass += 1) {
    globalThis.gc?.();
    await setImmediate();
  }
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/** Fires those that come first, arms them again for the day that follows, and moves as many others, among `size` in all. */
async function costOnce(open: () => Timers, size: number): Promise<Cost> {
  const [instants, places] = [numbers(size, 1), numbers(operations, 2)];
  const filled = (): Timers => {
    const timers = open();
    for (let timer = 0; timer < size; timer += 1) timers.arm(ownerOf(timer), (instants[timer] ?? 0) * dayMs);
    return timers;
  };
  const before = await heldBytes();
  const timers = filled();
  const bytes = ((await heldBytes()) - before) / size;
  const some = Math.min(size / 2, most);
  const spent = { arm: 0, move: 0, fire: 0, again: 0 };
  for (let done = 0; done < operations; done += some) {
    // Time passes as they fire.
    const nowMs = (done / size) * dayMs;
    firings = 0;
    const startedAt = performance.now();
    for (let each = 0; each < some; each += 1) timers.fire();
    const firedAt = performance.now();
    for (let each = 0; each < some; each += 1)
      timers.arm(ownerOf(fired[each] ?? 0), nowMs + (1 + (places[done + each] ?? 0)) * dayMs);
    const armedAt = performance.now();
    for (let each = 0; each < some; each += 1) {
      const place = places[done + some - 1 - each] ?? 0;
      timers.move(ownerOf(Math.floor(place * size)), nowMs + (1 + (instants[each] ?? 0)) * dayMs);
    }
    const movedAt = performance.now();
    spent.fire += firedAt - startedAt;
    spent.again += armedAt - startedAt;
    spent.move += movedAt - armedAt;
  }
  const fills = Math.max(1, Math.round(operations / size));
  const startedAt = performance.now();
  for (let fill = 0; fill < fills; fill += 1) filled();
  spent.arm = ((performance.now() - startedAt) * operations) / (fills * size);
  const eachNs = (ms: number): number => (ms * 1e6) / operations;
  return {
    armNs: eachNs(spent.arm),
    moveNs: eachNs(spent.move),
    fireNs: eachNs(spent.fire),
    againNs: eachNs(spent.again),
    bytes,
  };
}

/** The least of rounds in turn: what else the machine does only adds to it. */
async function measure(size: number): Promise<{ readonly least: Cost; readonly ours: Cost }> {
  const found: { readonly least: Cost; readonly ours: Cost }[] = [];
  for (let round = 0; round < rounds; round += 1)
    found.push({ least: await costOnce(bare, size), ours: await costOnce(heronry, size) });
  const of = (whose: 'least' | 'ours'): Cost => {
    const lowest = (what: keyof Cost): number => Math.min(...found.map((costs) => costs[whose][what]));
    return {
      armNs: lowest('armNs'),
      moveNs: lowest('moveNs'),
      fireNs: lowest('fireNs'),
      againNs: lowest('againNs'),
      bytes: lowest('bytes'),
    };
  };
  return { least: of('least'), ours: of('ours') };
}

/** They fire in lists of one millisecond; those of the first 200 fire at once here, as the loop was kept from turning until then. */
async function measureTimeouts(size: number): Promise<Omit<Cost, 'againNs'>> {
  const [first, later] = [numbers(size, 1), numbers(size, 2)];
  const timeouts: (NodeJS.Timeout | undefined)[] = Array.from({ length: size });
  let left = size;
  const run = (): void => void (left -= 1);
  const before = await heldBytes();
  const armNs = eachNs(() => first.forEach((part, timer) => (timeouts[timer] = setTimeout(run, part * dayMs))));
  const bytes = ((await heldBytes()) - before) / size;
  const moveNs = eachNs(() =>
    later.forEach((part, timer) => {
      clearTimeout(timeouts[timer]);
      timeouts[timer] = setTimeout(run, part * dayMs);
    }),
  );
  timeouts.forEach((timeout) => clearTimeout(timeout));
  const soonMs = 200;
  for (let timer = 0; timer < size; timer += 1) setTimeout(run, 1 + (timer % soonMs));
  const until = performance.now() + soonMs + 1;
  while (performance.now() < until);
  const startedAt = performance.now();
  while (left > 0) await setImmediate();
  return { armNs, moveNs, fireNs: ((performance.now() - startedAt) * 1e6) / size, bytes };

  function eachNs(run: () => void): number {
    const startedAt = performance.now();
    run();
    return ((performance.now() - startedAt) * 1e6) / size;
  }
}

const names = ['armNs', 'moveNs', 'fireNs', 'againNs', 'bytes'] as const;
const rows: Record<string, number | string>[] = [];
for (const size of sizes) {
  const { least, ours } = await measure(size);
  const timeouts = size === 100_000 ? await measureTimeouts(size) : undefined;
  for (const what of names) {
    if (what === 'bytes' && globalThis.gc === undefined) continue;
    rows.push({
      timers: size,
      what,
      bare: rounded(least[what], 1),
      heronry: rounded(ours[what], 1),
      ratio: rounded(ours[what] / least[what]),
      setTimeout: timeouts === undefined || what === 'againNs' ? '' : rounded(timeouts[what], 1),
    });
  }
}
if (process.argv.includes('--json')) console.log(JSON.stringify(rows));
else console.table(rows);
