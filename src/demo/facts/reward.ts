import { campaignAt } from './campaign.ts';
import type { Money } from './money.ts';
import { whole, type World } from './world.ts';

/** What a campaign gives to those who pledge so much. */
export interface Reward {
  readonly id: string;
  readonly title: string;
  readonly price: Money;
  /** How many backers chose it. */
  readonly claimed: number;
}

const titles = ['A postcard', 'Early bird', 'The thing itself', 'A pair'];

/** A campaign's rewards at an instant; none for a slug that no campaign has. */
export function rewardsAt(world: World, slug: string, at: number): readonly Reward[] {
  const campaign = campaignAt(world, slug, at);
  if (campaign === undefined) return [];
  const { currency } = campaign.pledged;
  return titles.map((title, index) => ({
    id: `${slug}-r${index + 1}`,
    title,
    price: { minor: whole(world, 5, 60, slug, 'reward', index) * (index + 1) * 100, currency },
    claimed: Math.floor((campaign.backers * whole(world, 5, 25, slug, 'share', index)) / 100),
  }));
}
