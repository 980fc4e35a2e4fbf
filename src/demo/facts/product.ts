import type { Money } from './money.ts';
import { pick, tickAt, ticksAt, unit, whole, type World } from './world.ts';

/** An article of the shop at one instant. */
export interface Product {
  readonly sku: string;
  readonly title: string;
  readonly category: string;
  readonly brand: string;
  readonly colour: string;
  readonly sizes: readonly string[];
  readonly price: Money;
  /** The price before the sale, while there is one. */
  readonly oldPrice?: Money;
  readonly stock: number;
  readonly modifiedAt: number;
}

/** The kinds of articles in the shop, by category. */
export const categories: Readonly<Record<string, readonly string[]>> = {
  bags: ['Rucksack', 'Tote', 'Satchel', 'Duffel', 'Pouch'],
  lamps: ['Reading lamp', 'Lantern', 'Night light', 'Spot'],
  shoes: ['Boot', 'Sandal', 'Runner', 'Clog'],
  tools: ['Hammer', 'Plane', 'Chisel', 'Rasp', 'Clamp'],
};

/** The colours that a category can be narrowed to. */
export const colours = ['black', 'blue', 'green', 'red'] as const;

const perCategory = 60;
const brands = ['Aldermoor', 'Bode & Söhne', 'Kettle', 'Norrland', "O'Hara"];
const sizes = ['S', 'M', 'L', 'XL'];

/** The article numbers of a category, in the shop's order; none for an unknown category. */
export function skusOf(category: string): readonly string[] {
  if (!Object.hasOwn(categories, category)) return [];
  return Array.from({ length: perCategory }, (_, index) => `${category}-${1_000 + index}`);
}

/** The article as it stands at an instant: now and then on sale, its stock going up and down, sometimes to nothing. */
export function productAt(world: World, sku: string, at: number): Product | undefined {
  const category = sku.slice(0, sku.lastIndexOf('-'));
  const kinds = Object.hasOwn(categories, category) ? categories[category] : undefined;
  if (kinds === undefined || !skusOf(category).includes(sku)) return undefined;

  const saleMs = whole(world, 8_000, 20_000, sku, 'sale period');
  const sale = ticksAt(world, at, saleMs);
  const stockMs = whole(world, 3_000, 9_000, sku, 'stock period');
  const tick = ticksAt(world, at, stockMs);
  const usual: Money = { minor: whole(world, 9, 249, sku, 'price') * 100 + 95, currency: 'GBP' };
  const reduced = unit(world, sku, 'sale', sale) < 0.4;
  return {
    sku,
    title: `${pick(world, brands, sku, 'brand')} ${pick(world, kinds, sku, 'kind')} ${sku.slice(-4)}`,
    category,
    brand: pick(world, brands, sku, 'brand'),
    colour: pick(world, colours, sku, 'colour'),
    sizes: sizes.filter((size) => unit(world, sku, 'size', size) < 0.7),
    price: reduced ? { ...usual, minor: Math.round(usual.minor * 0.8) } : usual,
    ...(reduced ? { oldPrice: usual } : {}),
    stock: unit(world, sku, 'sold out', tick) < 0.125 ? 0 : whole(world, 1, 40, sku, 'stock', tick),
    modifiedAt: Math.max(tickAt(world, sale, saleMs), tickAt(world, tick, stockMs)),
  };
}
