import { type FileHandle, open } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import type { ChangedKeys } from './changed-keys.ts';
import type { Snapshot } from './environment.ts';
import type { TableKey } from './table.ts';

/*
 * A journal is a file of frames. A frame is a head of 16 bytes (a mark, a checksum and the length of what follows), a line of JSON that
 * says what instant it is of, and rows as they were at that instant: a line of JSON with table, key and length, then the bytes of the row.
 * A row that was removed has the length -1. The head is written last, so that a frame whose writer was killed has none.
 */

/** What a frame says of itself. */
interface FrameHead {
  /** Counts up from 1 within a journal. */
  readonly number: number;
  /** The wall time at which the rows were read. */
  readonly at: number;
  readonly generation: string;
}

/** A row of a frame; without `bytes` where it was removed. */
interface FrameRow {
  readonly table: string;
  readonly key: TableKey;
  readonly bytes?: Buffer;
}

/** A frame that was read. */
interface Frame {
  readonly head: FrameHead;
  readonly rows: readonly FrameRow[];
  /** Where it ends in the file. */
  readonly end: number;
}

const mark = 0x48_52_4a_31;
const headBytes = 16;

/** The bytes that are gathered before they are written, and the time of the event loop that a slice may take, in ms. */
const [gatheredBytes, sliceMs] = [262_144, 2];

/**
 * Writes a frame with the present rows of some keys, in slices, and resolves with the position after it once it is on disk. What stands
 * behind `position`, as of a frame that was not finished, is cut off. Rejects with the system's error; then nothing counts of the frame.
 *
 * @param before - is run before the frame is made valid, for what it relies on.
 */
export async function appendFrame(
  path: string,
  position: number,
  { head, keys, snapshot, before }: FrameToWrite,
): Promise<number> {
  const file = await open(path, position === 0 ? 'w' : 'r+', 0o600);
  try {
    await file.truncate(position);
    const writer = new PayloadWriter(file, position + headBytes);
    writer.add(Buffer.from(`${JSON.stringify(head)}\n`));
    let endsAt = performance.now() + sliceMs;
    for (const [table, key] of keys.entries()) {
      const bytes = snapshot.read(table, key);
      writer.add(Buffer.from(`${JSON.stringify([table, key, bytes?.length ?? -1])}\n`));
      if (bytes !== undefined) writer.add(bytes);
      if (writer.isFull()) await writer.write();
      if (performance.now() < endsAt) continue;
      await setImmediate();
      endsAt = performance.now() + sliceMs;
    }
    await writer.write();
    await before();
    const start = Buffer.alloc(headBytes);
    start.writeUInt32BE(mark, 0);
    start.writeUInt32BE(writer.crc, 4);
    start.writeBigUInt64BE(BigInt(writer.bytes), 8);
    await file.write(start, 0, headBytes, position);
    await file.sync();
    return position + headBytes + writer.bytes;
  } finally {
    await file.close();
  }
}

/** What a frame is made of. */
interface FrameToWrite {
  readonly head: FrameHead;
  readonly keys: ChangedKeys;
  readonly snapshot: Snapshot;
  before(): Promise<void>;
}

/** Gathers what a frame holds, writes it and sums it up. */
class PayloadWriter {
  crc = 0;
  bytes = 0;
  readonly #file: FileHandle;
  readonly #from: number;
  #parts: Buffer[] = [];
  #waiting = 0;

  constructor(file: FileHandle, from: number) {
    this.#file = file;
    this.#from = from;
  }

  add(part: Buffer): void {
    this.#parts.push(part);
    this.#waiting += part.length;
  }

  isFull(): boolean {
    return this.#waiting >= gatheredBytes;
  }

  async write(): Promise<void> {
    const all = Buffer.concat(this.#parts);
    [this.#parts, this.#waiting] = [[], 0];
    this.crc = crc32(all, this.crc);
    for (let written = 0; written < all.length;)
      written += (await this.#file.write(all, written, all.length - written, this.#from + this.bytes + written))
        .bytesWritten;
    this.bytes += all.length;
  }
}

/** Reads the frames of a journal up to its end, or to the first one that is not whole. Rejects where the file cannot be read. */
export async function* readFrames(path: string): AsyncGenerator<Frame> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    for (let [at, number] = [0, 1]; at + headBytes <= size; number += 1) {
      const start = await readAt(file, at, headBytes);
      const length = Number(start.readBigUInt64BE(8));
      const end = at + headBytes + length;
      if (start.readUInt32BE(0) !== mark || end > size) return;
      const payload = await readAt(file, at + headBytes, length);
      if (crc32(payload) !== start.readUInt32BE(4)) return;
      const frame = frameOf(payload, end);
      // A frame that is repeated or left out is no part of this journal.
      if (frame.head.number !== number) return;
      yield frame;
      at = end;
    }
  } finally {
    await file.close();
  }
}

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  for (let done = 0; done < length;) {
    const { bytesRead } = await file.read(bytes, done, length - done, position + done);
    if (bytesRead === 0) break;
    done += bytesRead;
  }
  return bytes;
}

function frameOf(payload: Buffer, end: number): Frame {
  let at = 0;
  const line = (): unknown => {
    const until = payload.indexOf(0x0a, at);
    const text = payload.toString('utf8', at, until);
    at = until + 1;
    return JSON.parse(text);
  };
  const head = line() as FrameHead;
  const rows: FrameRow[] = [];
  while (at < payload.length) {
    const [table, key, length] = line() as [string, TableKey, number];
    rows.push(length < 0 ? { table, key } : { table, key, bytes: payload.subarray(at, at + length) });
    at += Math.max(0, length);
  }
  return { head, rows, end };
}
