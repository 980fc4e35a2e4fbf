/**
 * How values of a measure compare.
 *
 * - `count`: whole numbers of which a factor matters, as records or bytes. Distances are natural logarithms.
 * - `share`: from 0 to 1. Distances are differences of shares.
 * - `level`: means of logarithms, as of prices. Distances are natural logarithms.
 */
export type Scale = 'count' | 'share' | 'level';

/** Added to counts, so that few records do not vary as much as their logarithm does. */
const countOffset = 3;

/** Added to both sides of a share, so that a share near 0 or 1 does not vary as much as its logit does. */
const shareOffset = 0.05;

interface Conversion {
  scaled(value: number): number;
  unscaled(value: number): number;
}

const same: Conversion = { scaled: (value) => value, unscaled: (value) => value };

const conversions: Readonly<Record<Scale, Conversion>> = {
  count: {
    scaled: (value) => Math.log(Math.max(0, value) + countOffset),
    unscaled: (value) => Math.max(0, Math.exp(value) - countOffset),
  },
  share: {
    scaled(value) {
      const share = Math.min(1, Math.max(0, value));
      return Math.log((share + shareOffset) / (1 - share + shareOffset));
    },
    unscaled(value) {
      const odds = Math.exp(value);
      return Math.min(1, Math.max(0, (odds * (1 + shareOffset) - shareOffset) / (1 + odds)));
    },
  },
  level: same,
};

/**
 * Returns a value on the scale on which healthy runs vary evenly: a logarithm of counts, a logit of shares. A doubling of a small share is as usual as
 * that of a larger one, and a share cannot pass 1.
 */
export function scaled(scale: Scale, value: number): number {
  return conversions[scale].scaled(value);
}

/** The value of which `scaled` makes the given one. */
export function unscaled(scale: Scale, value: number): number {
  return conversions[scale].unscaled(value);
}

/** Moves a scaled value by a distance: a difference of shares, a logarithm of all else. */
export function moved(scale: Scale, value: number, distance: number): number {
  return scale === 'share' ? scaled(scale, unscaled(scale, value) + distance) : value + distance;
}

/** The standard deviation that chance alone gives a count or a share of so many, as a distance. */
export function countingNoise(scale: Scale, usual: number, of = 1): number {
  const value = unscaled(scale, usual);
  if (scale !== 'share') return Math.sqrt(value + 1) / (value + countOffset);
  // A share that was 0 or 1 in all runs is taken for nearly so.
  const share = (value * of + 0.5) / (of + 1);
  return Math.sqrt((share * (1 - share)) / Math.max(1, of));
}

/** How the values of a scale are stored: as whole numbers from 0 to `most`, which stand for values from `from` on, and `none`. */
interface Stored {
  readonly from: number;
  readonly to: number;
  readonly bytes: 1 | 2;
  readonly most: number;
  readonly none: number;
}

function inBytes(bytes: 1 | 2, from: number, to: number): Stored {
  const none = 256 ** bytes - 1;
  return { from, to, bytes, most: none - 1, none };
}

const stored: Readonly<Record<Scale, Stored>> = {
  /** Up to 10 billion, to 0.04 %. */
  count: inBytes(2, conversions.count.scaled(0), conversions.count.scaled(1e10)),
  /** In steps of 0.001 near 0 and 1, and of 0.007 in the middle. */
  share: inBytes(1, conversions.share.scaled(0), conversions.share.scaled(1)),
  /** From 10⁻¹³ to 10¹³, to 0.1 %. */
  level: inBytes(2, -30, 30),
};

/** The number of bytes that a stored value takes. */
export function codeBytes(scale: Scale): 1 | 2 {
  return stored[scale].bytes;
}

/** Returns a scaled value as a whole number from 0 on; the last one stands for none. */
export function codeOf(scale: Scale, value: number): number {
  const { from, to, most, none } = stored[scale];
  if (Number.isNaN(value)) return none;
  const part = (Math.min(to, Math.max(from, value)) - from) / (to - from);
  return Math.round(part * most);
}

/** Returns the scaled value that a whole number stands for. */
export function valueOf(scale: Scale, code: number): number {
  const { from, to, most, none } = stored[scale];
  return code === none ? Number.NaN : from + (code / most) * (to - from);
}

/** Returns a scaled value as it is stored. */
export function asStored(scale: Scale, value: number): number {
  return valueOf(scale, codeOf(scale, value));
}
