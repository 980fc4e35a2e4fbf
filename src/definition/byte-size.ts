import * as z from 'zod';
import { expected } from './expected.ts';

const unitBytes: Readonly<Record<string, number>> = { B: 1, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 };

/** `"512KiB"` or `"32MiB"` in a file, up to 1 GiB; bytes in the program. */
export const ByteSize = z
  .stringFormat('byte-size', /^[1-9]\d{0,9}(?:B|KiB|MiB|GiB)$/, expected('a size like "32MiB" (B, KiB, MiB or GiB)'))
  .refine((text) => !(sizeBytes(text) > 1024 ** 3), expected('a size of 1 GiB at most'))
  .transform(sizeBytes);

function sizeBytes(text: string): number {
  const unit = text.replace(/^\d+/, '');
  return Number.parseInt(text, 10) * (unitBytes[unit] ?? Number.NaN);
}
