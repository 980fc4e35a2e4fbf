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
  /** Why it is kept: its step changed something, nothing could be read from it although it could be before, a record names it as a file, or it is a picture of a page that is kept. */
  readonly why: 'changed' | 'bad' | 'file' | 'screenshot';
  /** The digest of the picture that the browser took of the page, which is kept beside it. */
  readonly screenshot?: string;
  /** Set for such a picture: the digest of its page. */
  readonly of?: string;
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

/** A part of the content of an earlier entry of the same pack. */
export interface ContentPart {
  /** Where the entry begins in the file, in bytes. */
  readonly offset: number;
  /** Where the part begins in the entry's content, in bytes. */
  readonly start: number;
  readonly length: number;
}

/** An entry of a pack as it lies in the file: the content of one page or of several, compressed as one. */
export interface Entry {
  /** The dictionary by which the content is compressed: the pages that stood at the same addresses before. Missing for an entry that stands alone. */
  readonly base?: ContentPart;
  /** How many entries must be expanded before this one. */
  readonly depth: number;
  readonly pages: number;
  /** Size of the content, in bytes. */
  readonly size: number;
  readonly stored: Uint8Array;
}

/** Size of the fixed beginning of an entry, in bytes. */
export const entryHeadBytes = 32;

/** The first bytes of each entry. */
const mark = 0x48_52_50_31;

/** The most pages of one entry. */
export const mostEntryPages = 32;

/** Encodes the fixed beginning of an entry, with a checksum over all that follows it; the stored content comes next. */
export function encodeEntryHead({ base, depth, pages, size, stored }: Entry): Buffer {
  const bytes = Buffer.allocUnsafe(entryHeadBytes);
  bytes.writeUInt32BE(mark, 0);
  bytes.writeUInt16BE(depth, 8);
  bytes.writeUInt16BE(pages, 10);
  bytes.writeUInt32BE(base?.offset ?? 0, 12);
  bytes.writeUInt32BE(base?.start ?? 0, 16);
  bytes.writeUInt32BE(base?.length ?? 0, 20);
  bytes.writeUInt32BE(size, 24);
  bytes.writeUInt32BE(stored.length, 28);
  bytes.writeUInt32BE(crc32(stored, crc32(bytes.subarray(8))), 4);
  return bytes;
}

/** Returns the length in bytes of the whole entry that begins so, and the number of its pages; `undefined` where no entry begins there. */
export function entryExtent(head: Buffer): { readonly length: number; readonly pages: number } | undefined {
  if (head.length < entryHeadBytes || head.readUInt32BE(0) !== mark) return undefined;
  return {
    length: entryHeadBytes + head.readUInt32BE(28),
    pages: Math.min(mostEntryPages, Math.max(1, head.readUInt16BE(10))),
  };
}

/** Decodes a whole entry; `undefined` where its bytes are not those that were written. */
export function decodeEntry(bytes: Buffer): Entry | undefined {
  if (entryExtent(bytes)?.length !== bytes.length || bytes.readUInt32BE(4) !== crc32(bytes.subarray(8)))
    return undefined;
  const base = { offset: bytes.readUInt32BE(12), start: bytes.readUInt32BE(16), length: bytes.readUInt32BE(20) };
  return {
    depth: bytes.readUInt16BE(8),
    pages: bytes.readUInt16BE(10),
    size: bytes.readUInt32BE(24),
    stored: bytes.subarray(entryHeadBytes),
    ...(base.length > 0 && { base }),
  };
}

const lineFeed = 0x0a;

/** The head of a page in the content of its entry. */
interface StoredHead extends PageHead {
  /** Size of the body that follows the head. */
  readonly bytes: number;
  /** Set for a page without a body, which an earlier entry of the pack has. */
  readonly repeat?: true;
}

/** The content of one page in its entry, as parts: its head as a line of JSON, and its body, which is left out of a page that repeats an earlier one. */
export function contentOf(head: PageHead, body: Uint8Array, isRepeat: boolean): readonly Uint8Array[] {
  const stored: StoredHead = { ...head, bytes: isRepeat ? 0 : body.length, ...(isRepeat && { repeat: true }) };
  const line = Buffer.from(`${JSON.stringify(stored)}\n`);
  return isRepeat ? [line] : [line, body];
}

/** A page in the content of its entry. */
export interface PageInContent {
  /** Its body is empty where it repeats an earlier page. */
  readonly page: KeptPage;
  readonly isRepeat: boolean;
  /** Where its content ends, in bytes. */
  readonly end: number;
}

/** Reads the page that begins at `start` in the content of an entry. */
export function pageAt(content: Buffer, start: number): PageInContent {
  const bodyStart = content.indexOf(lineFeed, start) + 1;
  const { bytes, repeat, ...head } = JSON.parse(content.toString('utf8', start, bodyStart)) as StoredHead;
  const end = bodyStart + bytes;
  return { page: { ...head, body: content.subarray(bodyStart, end) }, isRepeat: repeat === true, end };
}
