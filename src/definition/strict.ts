import * as z from 'zod';
import { nearName } from './near-name.ts';

/** A mapping that refuses keys it does not know, naming the near one; one line of the message per key, in the order of `keys`. */
export function strict<S extends z.core.$ZodLooseShape>(shape: S): z.ZodObject<S, z.core.$strict> {
  const known = Object.keys(shape);
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys' ? issue.keys.map((key) => unknownKey(key, known)).join('\n') : undefined,
  });
}

function unknownKey(key: string, known: readonly string[]): string {
  const near = nearName(key, known);
  const hint = near === undefined ? `, expected one of ${known.join(', ')}` : `; did you mean "${near}"?`;
  return `unknown key "${key.replaceAll('\n', ' ')}"${hint}`;
}
