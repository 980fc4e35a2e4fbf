import { campaignAt } from './campaign.ts';
import type { Money } from './money.ts';
import { unit, whole, type World } from './world.ts';

/** What a campaign's advertising cost on one day (UTC), up to the instant asked for. */
export interface AdDay {
  /** As `2026-01-31`. */
  readonly day: string;
  readonly spend: Money;
  readonly impressions: number;
  readonly clicks: number;
}

/** What a campaign's advertising cost since it began. */
export interface AdReport {
  readonly campaign: string;
  readonly title: string;
  readonly spend: Money;
  readonly impressions: number;
  readonly clicks: number;
  /** Newest first, one week at most. */
  readonly days: readonly AdDay[];
  readonly modifiedAt: number;
}

const dayMs = 86_400_000;
const stepMs = 2_000;

/** Spend by day, from the first day asked for to the last, both as numbers of days since the epoch; days before the campaign's first or after the present one are left out. */
export function adDays(world: World, slug: string, at: number, from: number, to: number): AdDay[] {
  const campaign = campaignAt(world, slug, at);
  if (campaign === undefined) return [];
  const first = Math.max(from, firstDay(world, slug));
  const last = Math.min(to, dayOf(Math.min(at, campaign.endsAt)));
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => adDay(world, slug, first + index, at));
}

/** The whole of a campaign's advertising; advertising follows the crowdfunding campaign of the same slug and ends with it. */
export function adReport(world: World, slug: string, at: number): AdReport | undefined {
  const campaign = campaignAt(world, slug, at);
  if (campaign === undefined) return undefined;
  const days = adDays(world, slug, at, 0, dayOf(at));
  const total = (count: (day: AdDay) => number) => days.reduce((sum, day) => sum + count(day), 0);
  return {
    campaign: slug,
    title: campaign.title,
    spend: { minor: total((day) => day.spend.minor), currency: campaign.pledged.currency },
    impressions: total((day) => day.impressions),
    clicks: total((day) => day.clicks),
    days: days.slice(-7).reverse(),
    modifiedAt: Math.min(at, campaign.endsAt) - (Math.min(at, campaign.endsAt) % stepMs),
  };
}

/** The number of an instant's day (UTC) since the epoch. */
export function dayOf(at: number): number {
  return Math.floor(at / dayMs);
}

function firstDay(world: World, slug: string): number {
  return dayOf(world.openedAt) - whole(world, 3, 20, slug, 'first ad');
}

/** Money is spent evenly over a day, in steps, so that a day's figures only rise. */
function adDay(world: World, slug: string, day: number, at: number): AdDay {
  const campaign = campaignAt(world, slug, at);
  const until = Math.min(at, campaign?.endsAt ?? at);
  const elapsed = Math.min(dayMs, until - (until % stepMs) - day * dayMs);
  const budget = whole(world, 80_000, 900_000, slug, 'budget') * (0.7 + 0.6 * unit(world, slug, 'day', day));
  const minor = Math.floor((budget * elapsed) / dayMs);
  const clicks = Math.floor(minor / whole(world, 20, 70, slug, 'price of a click'));
  return {
    day: new Date(day * dayMs).toISOString().slice(0, 10),
    spend: { minor, currency: campaign?.pledged.currency ?? 'EUR' },
    impressions: clicks * whole(world, 40, 90, slug, 'impressions'),
    clicks,
  };
}
