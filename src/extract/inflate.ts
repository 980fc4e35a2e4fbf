import { gunzipSync } from 'node:zlib';
import { isBounded, TooMuchWork } from '../work-budget.ts';

/** The largest body that a file of gzip may hold, in bytes. */
const maxInflated = 50 * 1024 * 1024;

/** A body that was a file of gzip or not, or what is wrong with it. */
export type Inflated =
  | { readonly ok: true; readonly body: Uint8Array; readonly isFile: boolean }
  | { readonly ok: false; readonly message: string };

/**
 * Inflates a body that is a file of gzip; others are returned as they are. One that would hold more than 50 MiB is refused before it takes
 * more memory than that. Throws `TooMuchWork` where work is bounded, as a small file may hold very much.
 */
export function inflate(body: Uint8Array): Inflated {
  if (body[0] !== 0x1f || body[1] !== 0x8b) return { ok: true, body, isFile: false };
  if (isBounded()) throw new TooMuchWork();
  try {
    return { ok: true, body: gunzipSync(body, { maxOutputLength: maxInflated }), isFile: true };
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    const isTooLarge = error.code === 'ERR_BUFFER_TOO_LARGE';
    return {
      ok: false,
      message: isTooLarge ? `it holds more than ${maxInflated} bytes` : `it is no gzip: ${error.message}`,
    };
  }
}
