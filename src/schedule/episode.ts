import type { Objective } from './objective.ts';

/** How something stands with its objective. Each breach is an episode, from its first warning to its recovery. Plain data. */
export interface Episode {
  readonly level: 'fresh' | 'warn' | 'error';
  /** When the episode began; missing while fresh. */
  readonly sinceAt?: number;
}

/** Nothing has been late yet. */
export const freshEpisode: Episode = { level: 'fresh' };

/** Told once per episode each: that it warns, that the promise is broken, that it is over. */
export interface EpisodeEvent {
  readonly kind: 'warn' | 'error' | 'recovered';
  readonly at: number;
  /** From the last verified observation. */
  readonly ageMs: number;
  /** When the episode began. */
  readonly sinceAt: number;
}

/**
 * Where the age puts an episode, and what is to be told of it. It rises with the age, and goes back only to fresh; one that
 * is found broken before anybody warned is told as broken alone.
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
  if (level === 'fresh') return { episode: freshEpisode, event: { kind: 'recovered', at, ageMs, sinceAt } };
  return { episode: { level, sinceAt }, event: { kind: level, at, ageMs, sinceAt } };
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
