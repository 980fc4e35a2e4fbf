import type { Delivered } from './sink.ts';

/** The result of an attempt that failed, as a code and a sentence for people. */
export function failure(code: string, message: string): Extract<Delivered, { readonly ok: false }> {
  return { ok: false, failure: { code, message } };
}

/** The result of an attempt that was ended before anything was known of it. */
export const cancelled = failure('cancelled', 'cancelled');
