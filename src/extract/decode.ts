import { isUtf8 } from 'node:buffer';
import { charsetNamed } from '../schema/charset.ts';
import { parseMarkup } from './tree/markup.ts';
import { attributeOf, elementsIn } from './tree/nodes.ts';
import { TreeBounds } from './tree/parts.ts';

/** The text of a body. */
export interface Decoded {
  readonly text: string;
  /** The name of the charset, where the body has bytes that are none of it: U+FFFD stands for them. */
  readonly brokenCharset?: string;
}

/** Returns the text of a body, as `decode` reads it. */
export function decodeBody(body: Uint8Array, contentType: string | undefined): string {
  return decode(body, contentType).text;
}

/**
 * Decodes a body. Its charset is what a byte order mark says, else `encoding`, else the `Content-Type`, else the `<meta>` in its head or
 * the XML declaration; without any of these it is UTF-8 where the bytes are valid UTF-8, else Windows-1252.
 */
export function decode(body: Uint8Array, contentType: string | undefined, encoding?: string): Decoded {
  const charset = charsetOf(body, contentType, encoding);
  const text = decoderOf(charset).decode(body);
  return text.includes('\u{fffd}') && !isWhole(body, charset) ? { text, brokenCharset: charset } : { text };
}

function charsetOf(body: Uint8Array, contentType: string | undefined, encoding: string | undefined): string {
  const marked = markedCharset(body);
  if (marked !== undefined) return marked;
  const named = encoding ?? /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(contentType ?? '')?.[1];
  const byName = named === undefined ? undefined : charsetNamed(named);
  return byName ?? charsetNamed(declaredCharset(body) ?? '') ?? (isUtf8(body) ? 'utf-8' : 'windows-1252');
}

/** The charset that the first bytes tell: by a mark of byte order, or as those of XML in UTF-16. */
function markedCharset([first, second, third, fourth]: Uint8Array): string | undefined {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  if (first === 0x3c && second === 0 && third === 0x3f && fourth === 0) return 'utf-16le';
  if (first === 0 && second === 0x3c && third === 0 && fourth === 0x3f) return 'utf-16be';
  return first === 0xef && second === 0xbb && third === 0xbf ? 'utf-8' : undefined;
}

/** Longest head of a page that is looked through for what it says of its charset, in bytes. */
const maxHead = 65_536;

/** Returns the charset that markup names itself; undefined if it names none that is known, and for all that is no markup. */
function declaredCharset(body: Uint8Array): string | undefined {
  const text = Buffer.from(body.buffer, body.byteOffset, Math.min(body.length, maxHead)).toString('latin1');
  if (!/^\s*</.test(text)) return undefined;
  const inXml = /^\s*<\?xml\s[^>]{0,200}?encoding\s*=\s*["']([^"'>]+)/.exec(text)?.[1];
  const named = inXml === undefined ? undefined : charsetNamed(inXml);
  if (named !== undefined || !/charset/i.test(text)) return readable(named);
  const end = text.search(/<\/head|<body/i);
  const { root } = parseMarkup(end < 0 ? text : text.slice(0, end), new TreeBounds('html'));
  for (const element of elementsIn(root)) {
    if (element.name !== 'meta') continue;
    const isPragma = attributeOf(element, 'http-equiv')?.trim().toLowerCase() === 'content-type';
    const content = isPragma ? attributeOf(element, 'content') : undefined;
    const label = attributeOf(element, 'charset') ?? /charset\s*=\s*["']?([^\s;"']+)/i.exec(content ?? '')?.[1];
    const charset = label === undefined ? undefined : charsetNamed(label);
    if (charset !== undefined) return readable(charset);
  }
  return undefined;
}

/** What could be read byte by byte is not of the two-byte charset that it names. */
function readable(charset: string | undefined): string | undefined {
  return charset?.startsWith('utf-16') === true ? 'utf-8' : charset;
}

/** The decoders that were used, by the names of their charsets. */
const decoders = new Map<string, InstanceType<typeof TextDecoder>>();

function decoderOf(charset: string): InstanceType<typeof TextDecoder> {
  const found = decoders.get(charset) ?? new TextDecoder(charset);
  decoders.set(charset, found);
  return found;
}

/** Whether all bytes are of a charset, so that U+FFFD stands in the text itself. */
function isWhole(body: Uint8Array, charset: string): boolean {
  try {
    new TextDecoder(charset, { fatal: true }).decode(body);
    return true;
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
}
