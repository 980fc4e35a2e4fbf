import type * as Zod from 'zod';
import { expected } from './expected.ts';

const unitBytes: Readonly<Record<string, number>> = {
  B: 1,
  KiB: 1024,
  MiB: 1024 ** 2,
  GiB: 1024 ** 3,
  TiB: 1024 ** 4,
};

/** The schema of a size such as `"512KiB"` or `"32MiB"` in a file, up to `most`, which is written with a space; bytes in the program. */
export function byteSizeUpTo(z: typeof Zod, most: string) {
  const limit = sizeBytes(most.replace(' ', ''));
  return z
    .stringFormat(
      'byte-size',
      /^[1-9]\d{0,9}(?:B|KiB|MiB|GiB|TiB)$/,
      expected('a size like "32MiB" (B, KiB, MiB, GiB or TiB)'),
    )
    .refine((text) => !(sizeBytes(text) > limit), expected(`a size of ${most} at most`))
    .transform(sizeBytes);
}

function sizeBytes(text: string): number {
  const unit = text.replace(/^\d+/, '');
  return Number.parseInt(text, 10) * (unitBytes[unit] ?? Number.NaN);
}
