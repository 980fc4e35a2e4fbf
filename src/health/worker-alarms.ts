import { type Symptom, symptomId } from '../view/symptom.ts';

/** Limits beyond which something is wrong with worker processes. Durations are milliseconds. */
export interface AlarmLimits {
  /** How long one may be silent. */
  readonly offline: number;
  /** The share of steps that they may break. */
  readonly broken: number;
  /** The mean time for which a step may wait for one. */
  readonly wait: number;
  /** How long that share and that time may be larger. */
  readonly lasting: number;
}

/** What is seen of worker processes at an instant. Counts are sums since any start. */
export interface SeenWorkers {
  readonly at: number;
  readonly steps: number;
  readonly broken: number;
  /** The number of steps that have waited for a worker process, and how long all together, in ms: those that one took, and those that none took in time. */
  readonly waits: number;
  readonly waitedMs: number;
  /** For how long the oldest turn has waited, in ms, where no worker process takes steps; else 0. */
  readonly untendedMs: number;
  /** The worker processes that went away without a word, with how long each has been silent, in ms. */
  readonly silent: readonly { readonly name: string; readonly silentMs: number }[];
}

/** What was seen lately, and since when limits have been passed. */
export interface Watched {
  readonly seen: readonly SeenWorkers[];
  readonly brokenSince: number | undefined;
  readonly waitsSince: number | undefined;
}

/** What has been watched at a start. */
export const nothingWatched: Watched = { seen: [], brokenSince: undefined, waitsSince: undefined };

/** The spans that the share of broken steps and the mean wait are of, in ms. */
const [brokenOverMs, waitOverMs] = [15 * 60_000, 60_000];

/** Fewer broken steps say nothing of a share. */
const fewest = 5;

/** Adds what is seen now. Returns the symptoms that there are, and a text that is the same as long as they are, besides what has been watched. */
export function watchWorkers(
  before: Watched,
  now: SeenWorkers,
  limits: AlarmLimits,
): { readonly watched: Watched; readonly symptoms: readonly Symptom[]; readonly shown: string } {
  const { at } = now;
  const last = before.seen.at(-1);
  // An engine that has begun anew counts from 0.
  const past = last !== undefined && (now.steps < last.steps || now.waits < last.waits) ? [] : before.seen;
  const seen = [...past.filter((each) => each.at >= at - brokenOverMs), now];
  const lately = since(seen, at - brokenOverMs, now);
  const broken = lately.broken < fewest ? 0 : lately.broken / lately.steps;
  const minute = since(seen, at - waitOverMs, now);
  const wait = Math.max(minute.waits === 0 ? 0 : minute.waitedMs / minute.waits, now.untendedMs);
  const brokenSince = broken > limits.broken ? (before.brokenSince ?? at) : undefined;
  const waitsSince = wait > limits.wait ? (before.waitsSince ?? at) : undefined;
  const lasts = (from: number | undefined): boolean => from !== undefined && at - from >= limits.lasting;
  const symptoms = [
    ...now.silent
      .filter(({ silentMs }) => silentMs >= limits.offline)
      .map(({ name, silentMs }) => symptom('workers_offline', 'silentMs', silentMs, limits.offline, { worker: name })),
    ...(lasts(brokenSince) ? [symptom('workers_failing', 'broken', broken, limits.broken, { of: lately.steps })] : []),
    ...(lasts(waitsSince) ? [symptom('workers_waiting', 'queuedMs', wait, limits.wait, { of: minute.waits })] : []),
  ];
  const shown = symptoms.map(symptomId).toSorted().join();
  return { watched: { seen, brokenSince, waitsSince }, symptoms, shown };
}

/** What has happened since the first look that is not older than an instant. */
function since(seen: readonly SeenWorkers[], from: number, now: SeenWorkers) {
  const first = seen.find(({ at }) => at >= from) ?? now;
  return {
    steps: now.steps - first.steps,
    broken: now.broken - first.broken,
    waits: now.waits - first.waits,
    waitedMs: now.waitedMs - first.waitedMs,
  };
}

function symptom(
  kind: Symptom['kind'],
  measure: string,
  observed: number,
  high: number,
  about: Pick<Symptom, 'worker' | 'of'>,
): Symptom {
  return { kind, ...about, measure, observed, expected: { high } };
}
