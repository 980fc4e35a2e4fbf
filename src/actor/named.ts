import type { Registry } from './registry.ts';
import type { Actor } from './types.ts';

/** The same actor, found under `key` for as long as it lives. */
export function named<K, M>(registry: Registry<K, M>, key: K, actor: Actor<M>): Actor<M> {
  return (self) => {
    self.register(registry, key);
    return actor(self);
  };
}
