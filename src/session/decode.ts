/** A text as its octets in UTF-8, one character for each, and where each begins and ends in the text; without these, where it is here. */
export interface Decoded {
  readonly octets: string;
  readonly starts?: Uint32Array;
  readonly ends?: Uint32Array;
}

const percent = 0x25;

/** Resolves the escapes of URLs, also those that are escaped themselves, until none is left. */
export function decode(text: string): Decoded {
  if (!/[%\u0080-\uffff]/.test(text)) return { octets: text };
  // Written over from its beginning: what is resolved is never longer than what was read.
  const octets = Buffer.from(text);
  const starts = new Uint32Array(octets.length);
  const ends = new Uint32Array(octets.length);
  let length = 0;
  let at = 0;
  for (let read = 0; read < octets.length;) {
    const size = sizeAt(octets, read);
    const end = at + (size === 4 ? 2 : 1);
    for (const next = read + size; read < next; read += 1) {
      octets[length] = octets[read] ?? 0;
      starts[length] = at;
      ends[length] = end;
      length += 1;
      for (let escaped = escapedAt(octets, length); escaped !== undefined; escaped = escapedAt(octets, length)) {
        length -= 2;
        octets[length - 1] = escaped;
        ends[length - 1] = end;
      }
    }
    at = end;
  }
  return { octets: octets.toString('latin1', 0, length), starts, ends };
}

/** How many octets a character has, by its first. */
function sizeAt(octets: Uint8Array, at: number): number {
  const first = octets[at] ?? 0;
  if (first < 0x80) return 1;
  if (first < 0xe0) return 2;
  return first < 0xf0 ? 3 : 4;
}

/** The octet that the three before `end` stand for, if they are an escape. */
function escapedAt(octets: Uint8Array, end: number): number | undefined {
  if (octets[end - 3] !== percent) return undefined;
  const [high, low] = [hexDigit(octets[end - 2]), hexDigit(octets[end - 1])];
  return high === undefined || low === undefined ? undefined : high * 16 + low;
}

function hexDigit(octet = 0): number | undefined {
  if (octet >= 0x30 && octet <= 0x39) return octet - 0x30;
  const small = octet | 0x20;
  return small >= 0x61 && small <= 0x66 ? small - 0x57 : undefined;
}
