import type { Currency, Money } from './money.ts';
import { pick, rising, tickAt, ticksAt, unit, whole, type World } from './world.ts';

/** A crowdfunding campaign at one instant. */
export interface Campaign {
  readonly slug: string;
  readonly title: string;
  readonly creator: string;
  readonly goal: Money;
  readonly pledged: Money;
  readonly backers: number;
  readonly status: 'live' | 'ended';
  readonly endsAt: number;
  /** Newest first, ten at most. */
  readonly updates: readonly CampaignUpdate[];
  readonly modifiedAt: number;
}

/** A message of a campaign's creator to the backers. */
export interface CampaignUpdate {
  readonly number: number;
  readonly postedAt: number;
  readonly title: string;
}

/** The titles of the campaigns with a name of their own, by slug; any `campaign-<number>` exists besides them. */
export const namedCampaigns: Readonly<Record<string, string>> = {
  'solar-backpack': 'Solar Backpack',
  'folding-kayak': 'Folding Kayak',
  'pocket-kiln': 'Pocket Kiln',
  'paper-radio': 'Paper Radio',
  'moss-lamp': 'Moss Lamp',
  'quiet-drum': 'Quiet Drum',
  'rain-organ': 'Rain Organ',
  'tin-telescope': 'Tin Telescope',
};

const minuteMs = 60_000;
const dayMs = 86_400_000;
const creators = ['Ada Lindqvist', 'Bram & Daughters', 'Chioma Okafor', 'Dario Conti', 'Eun-ji Park', 'Studio "Fjord"'];
const currencies: readonly Currency[] = ['EUR', 'USD', 'GBP'];
const news = [
  'First prototypes are here',
  'We met a supplier',
  'Stretch goal reached',
  'A word on shipping',
  'Thank you <3',
];

/** The campaign as it stands at an instant; an ended one stays as it ended. Nothing for a slug that no campaign has. */
export function campaignAt(world: World, slug: string, at: number): Campaign | undefined {
  const title = titleOf(slug);
  if (title === undefined) return undefined;
  const endsAt = world.openedAt + lifeMs(world, slug);
  const seenAt = Math.min(at, endsAt);

  const currency = pick(world, currencies, slug, 'currency');
  const goal = whole(world, 50, 900, slug, 'goal') * 10_000;
  const stepMs = whole(world, 1_000, 4_000, slug, 'step');
  const step = ticksAt(world, seenAt, stepMs);
  const base = Math.floor(goal * (0.1 + unit(world, slug, 'base')));
  const updates = updatesOf(world, slug, seenAt);
  return {
    slug,
    title,
    creator: pick(world, creators, slug, 'creator'),
    goal: { minor: goal, currency },
    pledged: { minor: base + rising(world, step, whole(world, 900, 15_000, slug, 'pace'), slug, 'pledged'), currency },
    backers: Math.ceil(base / 6_000) + rising(world, step, 0.2 + unit(world, slug, 'crowd'), slug, 'backers'),
    status: at < endsAt ? 'live' : 'ended',
    endsAt,
    updates,
    modifiedAt: at < endsAt ? Math.max(tickAt(world, step, stepMs), updates[0]?.postedAt ?? world.openedAt) : endsAt,
  };
}

function titleOf(slug: string): string | undefined {
  if (Object.hasOwn(namedCampaigns, slug)) return namedCampaigns[slug];
  const number = /^campaign-(0|[1-9]\d{0,5})$/.exec(slug)?.[1];
  return number === undefined ? undefined : `Campaign No. ${number}`;
}

/** The pocket kiln ends while a demo runs; the others outlive it. */
function lifeMs(world: World, slug: string): number {
  return slug === 'pocket-kiln' ? 10_000 : Math.floor(dayMs * (2 + 38 * unit(world, slug, 'life')));
}

function updatesOf(world: World, slug: string, at: number): CampaignUpdate[] {
  const older = whole(world, 1, 4, slug, 'older updates');
  const latest = older + ticksAt(world, at, minuteMs);
  return Array.from({ length: Math.min(10, latest) }, (_, index) => latest - index).map((number) => ({
    number,
    postedAt: number > older ? tickAt(world, number - older, minuteMs) : world.openedAt - (older - number + 1) * dayMs,
    title: pick(world, news, slug, 'update', number),
  }));
}
