import type { Readable } from 'node:stream';

/** The longest line that a program may print, in bytes. */
export const mostLineBytes = 1024 * 1024;

/** Yields the lines of a stream until it ends or is destroyed, and `undefined` in place of one that is too long, as soon as it is. */
export async function* linesOf(stream: Readable, count?: (bytes: number) => void): AsyncGenerator<string | undefined> {
  let parts: Buffer[] = [];
  let length = 0;
  let isSkipped = false;
  for await (const chunk of chunksOf(stream)) {
    count?.(chunk.length);
    for (let from = 0; from < chunk.length;) {
      const at = chunk.indexOf(0x0a, from);
      const end = at < 0 ? chunk.length : at;
      length += end - from;
      if (isSkipped) parts = [];
      else if (length > mostLineBytes) {
        isSkipped = true;
        parts = [];
        yield undefined;
      } else parts.push(chunk.subarray(from, end));
      from = end + 1;
      if (at < 0) continue;
      if (!isSkipped) yield Buffer.concat(parts).toString('utf8');
      [parts, length, isSkipped] = [[], 0, false];
    }
  }
  if (length > 0 && !isSkipped) yield Buffer.concat(parts).toString('utf8');
}

async function* chunksOf(stream: Readable): AsyncGenerator<Buffer> {
  try {
    yield* stream as AsyncIterable<Buffer>;
  } catch (error) {
    if (!stream.destroyed || stream.errored !== null) throw error;
  }
}
