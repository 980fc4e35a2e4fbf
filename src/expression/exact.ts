/** Digits of a number, at most: beyond them a calculation has no result. */
const maxBits = 4_096n;
const bound = 1n << maxBits;

/** An exact number: a fraction of two whole numbers, so that `0.1 + 0.2` is `0.3`. */
export class Exact {
  readonly top: bigint;
  /** More than 0. */
  readonly bottom: bigint;

  constructor(top: bigint, bottom = 1n) {
    this.top = top;
    this.bottom = bottom;
  }

  /** The number that a text in decimal notation means, such as `-12.50` or `1e6`; `undefined` for any other text, and for one that is too long. */
  static of(text: string): Exact | undefined {
    const found = /^([-+]?)(\d{0,400})(?:\.(\d{0,400}))?(?:e([-+]?\d{1,3}))?$/i.exec(text);
    if (found === null) return undefined;
    const [, sign = '', whole = '', fraction = '', exponent = '0'] = found;
    if (whole === '' && fraction === '') return undefined;
    const places = Number(exponent) - fraction.length;
    const digits = BigInt(`${whole}${fraction}`) * (sign === '-' ? -1n : 1n);
    return places >= 0 ? new Exact(digits * 10n ** BigInt(places)) : new Exact(digits, 10n ** BigInt(-places));
  }

  /** Less than 0, 0 or more than 0, as this number is less than, equal to or more than another. */
  compare({ top, bottom }: Exact): number {
    const [one, other] = [this.top * bottom, top * this.bottom];
    return one < other ? -1 : Number(one > other);
  }

  plus({ top, bottom }: Exact): Exact {
    if (bottom === this.bottom) return made(this.top + top, bottom);
    return made(this.top * bottom + top * this.bottom, this.bottom * bottom);
  }

  times({ top, bottom }: Exact): Exact {
    return made(this.top * top, this.bottom * bottom);
  }

  negated(): Exact {
    return new Exact(-this.top, this.bottom);
  }

  /** Writes the number in decimal notation, with at most ten places after the point. */
  text(): string {
    const unit = 10n ** 10n;
    const scaled = (this.top * unit * 2n + (this.top < 0n ? -this.bottom : this.bottom)) / (this.bottom * 2n);
    const [digits, sign] = scaled < 0n ? [-scaled, '-'] : [scaled, ''];
    const fraction = String(digits % unit)
      .padStart(10, '0')
      .replace(/0+$/, '');
    return `${sign}${digits / unit}${fraction === '' ? '' : `.${fraction}`}`;
  }

  /** Throws a `DivisionByZero` for 0. */
  inverted(): Exact {
    if (this.top === 0n) throw new DivisionByZero();
    return this.top < 0n ? new Exact(-this.bottom, -this.top) : new Exact(this.bottom, this.top);
  }
}

/** A division by 0, which has no result. */
export class DivisionByZero extends RangeError {
  override readonly name = 'DivisionByZero';

  constructor() {
    super('division by zero');
  }
}

/** A fraction is reduced where its lower number is this large, as sums of many fractions would grow with each. */
const reducedFrom = 1n << 128n;

/** Throws a `RangeError` where a number has too many digits. */
function made(top: bigint, bottom: bigint): Exact {
  if (bottom >= reducedFrom) {
    const factor = commonFactor(top < 0n ? -top : top, bottom);
    if (factor > 1n) return made(top / factor, bottom / factor);
  }
  if (top > bound || -top > bound || bottom > bound) throw new RangeError('a number with too many digits');
  return new Exact(top, bottom);
}

/** The largest number by which two numbers can be divided. */
function commonFactor(one: bigint, other: bigint): bigint {
  let [larger, smaller] = [other, one];
  while (smaller > 0n) [larger, smaller] = [smaller, larger % smaller];
  return larger;
}
