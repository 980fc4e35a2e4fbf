import { campaignAt } from '../../../src/demo/facts/campaign.ts';
import type { Money } from '../../../src/demo/facts/money.ts';
import { whole, type World } from '../../../src/demo/facts/world.ts';

/** A reward of a campaign for a pledge of at least some amount. */
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
