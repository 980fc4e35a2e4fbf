import type { Money } from './money.ts';
import { rising, ticksAt, whole, type World } from './world.ts';

/** An advertisement of a campaign, with what it has cost so far. */
export interface Ad {
  readonly id: string;
  readonly spend: Money;
  readonly clicks: number;
}

/** A rate of the bank: what one unit of `base` is in `quote` on a day such as `2026-01-31`. */
export interface BankRate {
  readonly base: string;
  readonly quote: string;
  readonly day: string;
  readonly rate: string;
}

const adMs = 2_000;
const saleMs = 3_000;
const dayMs = 86_400_000;

/** The ads of a campaign at an instant; they are paid in dollars. */
export function adsAt(world: World, slug: string, at: number): readonly Ad[] {
  const tick = ticksAt(world, at, adMs);
  return ['search', 'social', 'banner'].map((id) => ({
    id,
    spend: {
      minor: whole(world, 60_000, 400_000, slug, id, 'spend') + rising(world, tick, 400, slug, id, 'spend'),
      currency: 'USD',
    },
    clicks: whole(world, 300, 9_000, slug, id, 'clicks') + rising(world, tick, 3, slug, id, 'clicks'),
  }));
}

/** Whether the site of the ads is down at an instant: for ten seconds of each minute, first 15 s after the world opened. */
export function areAdsDown({ openedAt }: World, at: number): boolean {
  const second = Math.floor(Math.max(0, at - openedAt) / 1_000) % 60;
  return second >= 15 && second < 25;
}

/** What a campaign's shop abroad has taken up to an instant, in pounds. */
export function takingsAt(world: World, slug: string, at: number): Money {
  const first = whole(world, 100_000, 900_000, slug, 'takings');
  return {
    minor: first + rising(world, ticksAt(world, at, saleMs), 1_500, slug, 'takings'),
    currency: 'GBP',
  };
}

/** The rates of the last three days up to an instant, from euros. */
export function ratesAt(world: World, at: number): readonly BankRate[] {
  return [0, 1, 2].flatMap((ago) => {
    const day = new Date(at - ago * dayMs).toISOString().slice(0, 10);
    return (['USD', 'GBP'] as const).map((quote) => {
      const [least, most] = quote === 'USD' ? [10_500, 11_500] : [8_200, 8_800];
      return { base: 'EUR', quote, day, rate: (whole(world, least, most, quote, day) / 10_000).toFixed(4) };
    });
  });
}
