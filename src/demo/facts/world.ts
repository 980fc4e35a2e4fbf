/** The seed of the demo web: every fact in it is a pure function of a world, an id and an instant. */
export interface World {
  readonly seed: number;
  /** The instant, in milliseconds since the epoch, from which things move; earlier instants show the world as it opened. */
  readonly openedAt: number;
}

/** A number in `[0, 1)` that depends on nothing but its arguments (FNV-1a, then Murmur3's finalizer). */
export function unit({ seed }: World, ...parts: readonly (string | number)[]): number {
  let hash = 0x811c9dc5 ^ seed;
  for (const char of parts.join('/')) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}

/** An integer from `least` to `most`, both included. */
export function whole(world: World, least: number, most: number, ...parts: readonly (string | number)[]): number {
  return least + Math.floor(unit(world, ...parts) * (most - least + 1));
}

/** Picks one of `options`. Throws if `options` is empty. */
export function pick<T>(world: World, options: readonly T[], ...parts: readonly (string | number)[]): T {
  const option = options[whole(world, 0, options.length - 1, ...parts)];
  if (option === undefined) throw new Error(`nothing to pick from for ${parts.join('/')}`);
  return option;
}

/** How many whole periods of `periodMs` have passed since the world opened. */
export function ticksAt({ openedAt }: World, at: number, periodMs: number): number {
  return Math.max(0, Math.floor((at - openedAt) / periodMs));
}

/** When tick number `tick` began; tick 0 began when the world opened. */
export function tickAt({ openedAt }: World, tick: number, periodMs: number): number {
  return openedAt + tick * periodMs;
}

/**
 * An integer that rises by `perTick` on average and never falls, without a sum over the ticks before: the fraction added to
 * the tick is below 1, so a later tick is never below an earlier one.
 */
export function rising(world: World, tick: number, perTick: number, ...parts: readonly (string | number)[]): number {
  return Math.floor(perTick * (tick + unit(world, ...parts, tick)));
}
