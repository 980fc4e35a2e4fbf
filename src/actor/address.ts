import { Life } from './life.ts';
import { Via } from './registry.ts';
import type { Ref } from './types.ts';

/** The life behind an address, which for one of a registry is that which holds the key now; `undefined` if there is none. */
export function lifeAt(ref: Ref<never> | undefined): Life | undefined {
  if (ref instanceof Via) return lifeAt(ref.holder);
  return ref instanceof Life ? ref : undefined;
}
