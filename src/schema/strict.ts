import * as z from 'zod';
import { didYouMean } from './near-name.ts';

/** Makes the schema of a mapping that refuses unknown keys and suggests near ones; its message has one line per key, in the order of `keys`. */
export function strict<S extends z.core.$ZodLooseShape>(shape: S): z.ZodObject<S, z.core.$strict> {
  const known = Object.keys(shape);
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys' ? issue.keys.map((key) => unknownKey(key, known)).join('\n') : undefined,
  });
}

function unknownKey(key: string, known: readonly string[]): string {
  return `unknown key "${key.replaceAll('\n', ' ')}"${didYouMean(key, known, `, expected one of ${known.join(', ')}`)}`;
}
