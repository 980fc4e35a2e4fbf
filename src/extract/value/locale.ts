import { expected } from '../../schema/expected.ts';
import type { Schemas } from './field-type.ts';

/** The schema of a language that `Intl` knows, perhaps with its region. */
export function localeSchema(z: Schemas) {
  return z
    .string()
    .max(35)
    .refine(isLocale, { ...expected('a language like "de"'), abort: true });
}

/** Whether a text is a language that `Intl` knows. */
export function isLocale(locale: string): boolean {
  try {
    return Intl.DateTimeFormat.supportedLocalesOf(locale).length > 0;
  } catch (error) {
    // Intl has no other way to say that a tag is malformed.
    if (error instanceof RangeError) return false;
    throw error;
  }
}
