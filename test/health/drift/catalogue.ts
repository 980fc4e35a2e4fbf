import { clamp, type Random } from '../random.ts';

/** An article of a simulated catalogue, as it is on a day. */
export interface Article {
  readonly sku: string;
  readonly name: string;
  readonly brand: string;
  readonly text: string;
  /** In whole units and hundredths. */
  readonly price: number;
  readonly rating: number;
  /** Missing where the site does not say it. */
  readonly stock: number | undefined;
}

const nouns = [
  'kettle',
  'lamp',
  'café table',
  'radio',
  'tent',
  'naïve clock',
  'desk',
  'fjällräven bag',
  'chair',
  'press',
];
const kinds = ['solar', 'paper', 'steel', 'über-light', 'oak', 'folding', 'garden', 'piñata', 'travel', 'quiet'];
const brands = ['Norden', 'Åkerblom', 'Halle', 'Quill', 'Ombra', 'Tern'];

/** What a catalogue does in a day. */
interface CatalogueTraits {
  readonly size: number;
  /** The shares of articles that come or go in a day, whose price changes, and that have a stock. */
  readonly churn: number;
  readonly repriced: number;
  readonly stocked: number;
  readonly growth: number;
  /** What happens at the weekend, as a part of another day. */
  readonly weekend: number;
  readonly hasSales: boolean;
}

/** Healthy days of a catalogue: articles come, go and change, less at weekends, and some are cheaper while a sale is on. */
export class Catalogue {
  readonly #random: Random;
  readonly #traits: CatalogueTraits;
  #made = 0;
  #day = 0;
  #saleUntil = -1;
  #articles: (Article & { readonly isOnSale: boolean })[];

  constructor(random: Random, size: number, isFixed: boolean) {
    this.#random = random;
    this.#traits = {
      size,
      churn: isFixed
        ? 0
        : random.pick([
            [1, 0],
            [2, 0.01],
            [1, 0.03],
          ]),
      repriced: random.between(0, 0.08),
      stocked: random.pick([
        [3, 1],
        [1, 0.8],
        [1, 0.4],
      ]),
      growth: isFixed
        ? 0
        : random.pick([
            [3, 0],
            [1, 0.01],
          ]),
      weekend: random.between(0.1, 1),
      hasSales: random.chance(0.4),
    };
    this.#articles = Array.from({ length: size }, () => this.#article());
  }

  /** Whether answers take long on the present day. */
  readonly isSlow = (): boolean => this.#day % 6 === 5;

  articles(): readonly Article[] {
    return this.#articles.map((each) => (each.isOnSale ? { ...each, price: Math.round(each.price * 0.75) } : each));
  }

  nextDay(): void {
    const random = this.#random;
    const { churn, repriced, growth, weekend, hasSales } = this.#traits;
    this.#day += 1;
    const bustle = this.#day % 7 >= 5 ? weekend : 1;
    if (hasSales && this.#saleUntil < this.#day && random.chance(0.08)) this.#saleUntil = this.#day + 4;
    const isSale = this.#saleUntil >= this.#day;
    this.#articles = this.#articles
      .filter(() => !random.chance(churn * bustle))
      .map((each, at) => ({
        ...each,
        isOnSale: isSale && at % 3 === 0,
        price: random.chance(repriced * bustle) ? Math.round(each.price * random.between(0.9, 1.1)) : each.price,
        stock: each.stock === undefined ? undefined : clamp(each.stock + Math.round(random.normal() * bustle), 1, 500),
      }));
    const size = Math.round(this.#traits.size * (1 + growth) ** this.#day);
    while (this.#articles.length < size) this.#articles.unshift(this.#article());
  }

  #article(): Article & { readonly isOnSale: boolean } {
    const random = this.#random;
    this.#made += 1;
    const one = <T>(list: readonly T[]): T => list[Math.floor(random.next() * list.length)] as T;
    const name = `${one(kinds)} ${one(nouns)} № ${this.#made}`;
    return {
      sku: `A-${1_000 + this.#made * 7}`,
      name,
      brand: one(brands),
      text: `This ${name} is made by hand in ${1_900 + Math.floor(random.next() * 120)} steps, and lasts.`,
      price: Math.round(random.logBetween(500, 40_000)),
      rating: Math.round(random.between(10, 50)) / 10,
      stock: random.chance(this.#traits.stocked) ? Math.ceil(random.logBetween(2, 300)) : undefined,
      isOnSale: false,
    };
  }
}
