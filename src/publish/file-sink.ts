import { createReadStream } from 'node:fs';
import { open, readdir, rm, stat, truncate } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import * as z from 'zod';
import { isFileFault, moveTo, syncFolder } from '../export/folder.ts';
import { MissingPeer } from '../load-peer.ts';
import { makeFolder } from '../make-folder.ts';
import { byteSizeUpTo } from '../schema/byte-size.ts';
import { expected } from '../schema/expected.ts';
import { Interval } from '../schema/duration.ts';
import { strict } from '../schema/strict.ts';
import { isMapping } from '../schema/mapping.ts';
import type { Delivered, Message, OpenSink, SinkPorts } from './sink.ts';

/** Options of a sink that writes files. */
export const FileOptions = strict({
  /** The folder of the files, which is made if missing. Default: one of the sink's own in the data folder. */
  folder: z.string().refine(isAbsolute, expected('a path from the root, like "/srv/events"')).exactOptional(),
  /** A file is published when it is so old. */
  every: Interval.prefault('1h'),
  /** A file is published when the messages in it take so many bytes as NDJSON. */
  maxBytes: byteSizeUpTo(z, '1 GiB')
    .refine((bytes) => bytes >= 1_024, expected('1 KiB at least'))
    .prefault('64MiB'),
});
export type FileOptions = z.infer<typeof FileOptions>;

/** How the messages of a file are written. */
export interface FileKind {
  readonly extension: string;
  /** Writes the file of the messages of a spool, one a line, to a path. Missing where the spool is the file. */
  make?(spool: string, path: string): Promise<void>;
  /** Rejects with a `MissingPeer` where what `make` needs is not installed. */
  load?(): Promise<unknown>;
}

interface Spool {
  readonly path: string;
  /** The name of the file that it becomes. */
  readonly name: string;
  readonly openedAt: number;
  bytes: number;
  /** The ids of the messages in the spool: a message that is delivered again after a crash is not written twice. */
  readonly ids: Set<string>;
}

/**
 * Opens a sink that writes files to a folder. Messages are appended to a hidden file, the spool, and are on disk when they count as delivered; the
 * spool is published under its final name when it is old or large enough, or when the sink closes. A process that dies leaves the spool, which
 * the next one goes on with.
 */
export function openFileSink(
  { folder: given, every, maxBytes }: FileOptions,
  { clock, folder: own, log, sink }: SinkPorts,
  { extension, make, load }: FileKind,
): OpenSink {
  const folder = given ?? own;
  // Other sinks may write to the same folder.
  const hiddenName = { before: `.${sink}-`, behind: `.${extension}.part` };
  let spool: Spool | undefined;
  let isReady = false;
  let timer: number | undefined;
  /** What is under way: one thing after the other. */
  let last: Promise<unknown> = Promise.resolve();

  return {
    deliver: (batch) => next(() => deliver(batch)),
    close: () =>
      next(async () => {
        try {
          await publish();
        } catch (error) {
          log('warn', 'the last file was not published: the next start does it', { error: String(error) });
        }
      }),
  };

  function next<T>(run: () => Promise<T>): Promise<T> {
    const result = last.then(run);
    last = result.catch(() => undefined);
    return result;
  }

  async function deliver(batch: readonly Message[]): Promise<readonly Delivered[]> {
    try {
      if (!isReady) await recover();
      isReady = true;
      if (spool !== undefined && isDue(spool)) await publish();
      await append(batch);
      if (spool !== undefined && isDue(spool)) await publish();
      return batch.map(() => ({ ok: true }));
    } catch (error) {
      // What stands on the disk counts: the next delivery begins with that.
      spool = undefined;
      isReady = false;
      if (!(error instanceof MissingPeer || isFileFault(error))) throw error;
      const failure = { code: 'file', message: `cannot write to ${folder}: ${error.message}` };
      return batch.map(() => ({ ok: false, failure }));
    }
  }

  /** Goes on with the spool of a process that died; what stood half in it was never delivered. */
  async function recover(): Promise<void> {
    await load?.();
    await makeFolder(folder);
    const { before, behind } = hiddenName;
    const names = await readdir(folder);
    for (const hidden of names.filter((each) => each.startsWith(before) && each.endsWith(behind)).toSorted()) {
      const openedAt = instantOf(hidden.slice(before.length, -behind.length));
      if (Number.isNaN(openedAt)) continue;
      await publish();
      const path = join(folder, hidden);
      const name = hidden.slice(1, -'.part'.length);
      // Its file was made whole, and the process died before it removed the spool.
      if (names.includes(name)) {
        await rm(path);
        continue;
      }
      let bytes = 0;
      const ids = new Set<string>();
      for await (const line of linesOf(path)) {
        bytes += Buffer.byteLength(line) + 1;
        ids.add(/^\{"id":"([^"]*)"/.exec(line)?.[1] ?? '');
      }
      await truncate(path, bytes);
      begin({ path, name, openedAt, bytes, ids });
    }
  }

  async function append(batch: readonly Message[]): Promise<void> {
    spool ??= await newSpool();
    const { path, bytes, ids } = spool;
    const fresh = batch.filter(({ id }) => !ids.has(id));
    if (fresh.length === 0) return;
    const text = Buffer.from(fresh.map((message) => `${JSON.stringify(lineOf(message))}\n`).join(''));
    const file = await open(path, 'r+');
    try {
      // A disk that is nearly full takes a part.
      for (let at = 0; at < text.length;) at += (await file.write(text, at, text.length - at, bytes + at)).bytesWritten;
      await file.datasync();
    } finally {
      await file.close();
    }
    spool.bytes = bytes + text.length;
    for (const { id } of fresh) ids.add(id);
  }

  /** Makes a spool whose name no file has. */
  async function newSpool(): Promise<Spool> {
    for (let openedAt = clock.now(); ; openedAt += 1) {
      const name = `${sink}-${nameOf(openedAt)}.${extension}`;
      const path = join(folder, `.${name}.part`);
      if (await isThere(join(folder, name))) continue;
      const file = await open(path, 'wx', 0o600);
      await file.close();
      await syncFolder(folder);
      return begin({ path, name, openedAt, bytes: 0, ids: new Set() });
    }
  }

  function begin(opened: Spool): Spool {
    spool = opened;
    if (timer !== undefined) clock.cancel(timer);
    const inMs = Math.max(0, opened.openedAt + every - clock.now());
    timer = clock.at(clock.monotonic() + inMs, () => void next(publishDue).catch(() => undefined));
    return opened;
  }

  /** Publishes the spool once it is old enough, even if no message arrives. */
  async function publishDue(): Promise<void> {
    try {
      if (spool !== undefined && isDue(spool)) await publish();
    } catch (error) {
      log('warn', 'a file was not published: the next message tries again', { error: String(error) });
    }
  }

  function isDue({ bytes, openedAt }: Spool): boolean {
    return bytes >= maxBytes || clock.now() >= openedAt + every;
  }

  async function publish(): Promise<void> {
    if (timer !== undefined) clock.cancel(timer);
    timer = undefined;
    if (spool === undefined) return;
    const { path, name, bytes } = spool;
    if (bytes === 0) await rm(path, { force: true });
    else if (make === undefined) await moveTo(path, join(folder, name));
    else {
      const made = join(folder, `.${name}.making`);
      await rm(made, { force: true });
      await make(path, made);
      await moveTo(made, join(folder, name));
      await rm(path);
    }
    spool = undefined;
  }
}

/** A line of a spool. Its id comes first, so that it is found without reading the rest. */
function lineOf({ id, body }: Message): unknown {
  return { id, ...(isMapping(body) ? { ...body, id } : { body }) };
}

/** The lines of a file that have an end. A text within may have other line separators than `\n`. */
export async function* linesOf(path: string): AsyncGenerator<string> {
  let rest = Buffer.alloc(0);
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    let from = 0;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
      yield Buffer.concat([rest, chunk.subarray(from, at)]).toString('utf8');
      rest = Buffer.alloc(0);
      from = at + 1;
    }
    rest = Buffer.concat([rest, chunk.subarray(from)]);
  }
}

/** The name of a file that was begun at an instant. */
function nameOf(at: number): string {
  return new Date(at).toISOString().replaceAll(/[-:]/g, '');
}

function instantOf(name: string): number {
  const [, year, month, day, hour, minute, rest] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d\.\d{3}Z)$/.exec(name) ?? [];
  return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${rest}`);
}

async function isThere(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false;
    throw error;
  }
}
