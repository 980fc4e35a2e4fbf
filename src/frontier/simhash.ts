/** In how many of their 64 bits two simhashes of 16 hex digits differ. */
export function distance(one: string, other: string): number {
  return bits(half(one, 0) ^ half(other, 0)) + bits(half(one, 8) ^ half(other, 8));
}

function half(fingerprint: string, at: number): number {
  return Number.parseInt(fingerprint.slice(at, at + 8), 16);
}

/** How many bits of a 32-bit number are set. */
function bits(number: number): number {
  let rest = number;
  let count = 0;
  for (; rest !== 0; rest &= rest - 1) count += 1;
  return count;
}
