import * as z from 'zod';
import { didYouMean } from './near-name.ts';

/**
 * Makes the schema of a mapping that refuses unknown keys and suggests near ones; its message has one line per key, in the order of `keys`.
 *
 * @param instead - unknown keys that people are used to from other tools, each with what to do in its place.
 */
export function strict<S extends z.core.$ZodLooseShape>(
  shape: S,
  instead: Readonly<Record<string, string>> = {},
): z.ZodObject<S, z.core.$strict> {
  const known = Object.keys(shape);
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? issue.keys.map((key) => unknownKey(key, known, instead)).join('\n')
        : undefined,
  });
}

function unknownKey(key: string, known: readonly string[], instead: Readonly<Record<string, string>>): string {
  const hint = Object.hasOwn(instead, key) ? `: ${instead[key]}` : undefined;
  const told = hint ?? didYouMean(key, known, `, expected one of ${known.join(', ')}`);
  return `unknown key "${key.replaceAll('\n', ' ')}"${told}`;
}
