import { crc32 } from 'node:zlib';
import { hash } from 'node:crypto';

/** What is kept with a page, so that it can be read again as it was read when it came. */
export interface PageHead {
  /** Digest of the body as it came: the name of the page. */
  readonly digest: string;
  readonly target: number;
  /** Number of the scrape; 0 for a re-check. */
  readonly scrape: number;
  /** Version of the definition by which it was read. */
  readonly version: string;
  /** Set for a page that items of a list lead to: the type of their records. */
  readonly itemType?: string;
  readonly url: string;
  readonly status: number;
  readonly contentType?: string;
  /** When the head of the response came, wall time. */
  readonly observedAt: number;
  /** Why it is kept: its step changed something, or nothing could be read from it although it could be before. */
  readonly why: 'changed' | 'bad';
  /** Set where credentials that the site repeated were taken out of the body, which is then not the one of the digest. */
  readonly redacted?: true;
}

/** A page as it is kept. */
export interface KeptPage extends PageHead {
  readonly body: Uint8Array;
}

/** The digest of a body: 132 bits of its SHA-256, as 22 characters. None begins with `-`, as an option of a command does. */
export function pageDigest(body: ArrayBuffer | Uint8Array): string {
  return hash('sha256', body instanceof Uint8Array ? body : new Uint8Array(body), 'base64url')
    .slice(0, 22)
    .replace(/^-/, '_');
}

/** How the content of an entry is stored: compressed by itself, or by the content of an earlier entry of its pack. */
export type Encoding = { readonly kind: 'alone' } | { readonly kind: 'delta'; readonly base: number };

/** An entry of a pack as it lies in the file. */
export interface Entry {
  readonly encoding: Encoding;
  /** How many entries stand between its content and one that is stored alone. */
  readonly depth: number;
  /** Whether its page is that of an earlier entry, so that its content has no body. */
  readonly isRepeat: boolean;
  /** Size of the content, in bytes. */
  readonly size: number;
  readonly stored: Uint8Array;
}

/** Size of the fixed beginning of an entry, in bytes. */
export const entryHeadBytes = 24;

/** The first bytes of each entry. */
const mark = 0x48_52_50_31;

const [deltaFlag, repeatFlag] = [1, 2];

/** Encodes an entry: a fixed beginning with a checksum over all that follows it, then the stored content. */
export function encodeEntry({ encoding, depth, isRepeat, size, stored }: Entry): Buffer {
  const bytes = Buffer.allocUnsafe(entryHeadBytes + stored.length);
  bytes.writeUInt32BE(mark, 0);
  bytes.writeUInt8((encoding.kind === 'delta' ? deltaFlag : 0) | (isRepeat ? repeatFlag : 0), 8);
  bytes.writeUInt8(depth, 9);
  bytes.writeUInt16BE(0, 10);
  bytes.writeUInt32BE(encoding.kind === 'delta' ? encoding.base : 0, 12);
  bytes.writeUInt32BE(size, 16);
  bytes.writeUInt32BE(stored.length, 20);
  bytes.set(stored, entryHeadBytes);
  bytes.writeUInt32BE(crc32(bytes.subarray(8)), 4);
  return bytes;
}

/** Returns the length of the whole entry that begins so; `undefined` where no entry begins there. */
export function entryLength(head: Buffer): number | undefined {
  if (head.length < entryHeadBytes || head.readUInt32BE(0) !== mark) return undefined;
  return entryHeadBytes + head.readUInt32BE(20);
}

/** Decodes a whole entry; `undefined` where its bytes are not those that were written. */
export function decodeEntry(bytes: Buffer): Entry | undefined {
  if (entryLength(bytes) !== bytes.length || bytes.readUInt32BE(4) !== crc32(bytes.subarray(8))) return undefined;
  const flags = bytes.readUInt8(8);
  const isDelta = (flags & deltaFlag) !== 0;
  return {
    encoding: isDelta ? { kind: 'delta', base: bytes.readUInt32BE(12) } : { kind: 'alone' },
    depth: bytes.readUInt8(9),
    isRepeat: (flags & repeatFlag) !== 0,
    size: bytes.readUInt32BE(16),
    stored: bytes.subarray(entryHeadBytes),
  };
}

const lineFeed = 0x0a;

/** The content of an entry: the head of its page as a line of JSON, then the body. A dictionary shortens both. */
export function contentOf(head: PageHead, body: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), body]);
}

/** Reads the content of an entry. */
export function pageOf(content: Buffer): KeptPage {
  const end = content.indexOf(lineFeed);
  const head = JSON.parse(content.toString('utf8', 0, end)) as PageHead;
  return { ...head, body: content.subarray(end + 1) };
}
