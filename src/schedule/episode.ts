import type { Objective } from './time/objective.ts';

/** The state of a target or field against its objective. Each breach is an episode, from its first warning to its recovery. Plain data. */
export interface Episode {
  readonly level: 'fresh' | 'warn' | 'error';
  /** When the episode began; missing while fresh. */
  readonly sinceAt?: number;
}

/** The episode of a target or field that is not late. */
export const freshEpisode: Episode = { level: 'fresh' };

/** A change of an episode's level: late, broken or recovered; each is told once. */
export interface EpisodeEvent {
  readonly kind: 'warn' | 'error' | 'recovered';
  readonly at: number;
  /** The age at `at`, from the last verified observation. */
  readonly ageMs: number;
  /** When the episode began. */
  readonly sinceAt: number;
  /** The age that is the limit of this level, in ms. */
  readonly limitMs: number;
}

/**
 * Brings an episode up to the present age; returns it with the event to tell, if there is one. Its level rises with the
 * age, and goes back only to fresh. An episode that is already broken when it is first looked at is told as broken alone.
 */
export function withAge(
  episode: Episode,
  lastVerifiedAt: number,
  objective: Objective,
  at: number,
): { readonly episode: Episode; readonly event?: EpisodeEvent } {
  const ageMs = Math.max(0, at - lastVerifiedAt);
  const level = levelOf(ageMs, objective);
  if (level === episode.level || (level === 'warn' && episode.level === 'error')) return { episode };
  const sinceAt = episode.sinceAt ?? lastVerifiedAt + firstAfter(objective);
  const { warnAfterMs, errorAfterMs } = objective;
  const limitMs = (level === 'error' ? errorAfterMs : warnAfterMs) ?? firstAfter(objective);
  if (level === 'fresh') return { episode: freshEpisode, event: { kind: 'recovered', at, ageMs, sinceAt, limitMs } };
  return { episode: { level, sinceAt }, event: { kind: level, at, ageMs, sinceAt, limitMs } };
}

/** The next instant at which the age alone changes the level: when to look again. Nothing for what is broken already. */
export function nextCrossing(episode: Episode, lastVerifiedAt: number, objective: Objective): number | undefined {
  const { warnAfterMs = Infinity, errorAfterMs = Infinity } = objective;
  const afterMs = { fresh: Math.min(warnAfterMs, errorAfterMs), warn: errorAfterMs, error: Infinity }[episode.level];
  // An age that equals the objective still keeps it.
  return afterMs === Infinity ? undefined : lastVerifiedAt + afterMs + 1;
}

function levelOf(ageMs: number, { warnAfterMs = Infinity, errorAfterMs = Infinity }: Objective): Episode['level'] {
  if (ageMs > errorAfterMs) return 'error';
  return ageMs > warnAfterMs ? 'warn' : 'fresh';
}

function firstAfter({ warnAfterMs = Infinity, errorAfterMs = Infinity }: Objective): number {
  return Math.min(warnAfterMs, errorAfterMs);
}
