import { campaignAt, namedCampaigns, type Campaign } from '../../../../src/demo/facts/campaign.ts';
import { amountOf, moneyText } from '../../../../src/demo/facts/money.ts';
import { type Reward, rewardsAt } from '../reward.ts';
import { html, type Markup } from '../../../../src/demo/html.ts';
import { stateScript } from '../markup.ts';
import { pageNumber, sliceOf, type Answer, type Site, type Visit } from '../site.ts';

const names = Object.keys(namedCampaigns);

/** The campaigns that the list shows: those with a name, then the numbered ones up to forty in all. */
export const campaignSlugs: readonly string[] = [
  ...names,
  ...Array.from({ length: 40 - names.length }, (_, index) => `campaign-${index}`),
];

/**
 * Campaigns that collect pledges until they end: `/crowd/` lists them, `/crowd/<slug>` shows one, its rewards in a script only,
 * `/crowd/pulse/<slug>` only what it has.
 */
export const crowd: Site = {
  prefix: 'crowd',
  disallow: ['account/'],
  answer(visit) {
    const [first = '', second, ...rest] = visit.path;
    if (rest.length > 0) return undefined;
    if (first === '') return list(visit);
    if (first === 'pulse' && second !== undefined) return pulse(visit, second);
    return second === undefined ? detail(visit, first) : undefined;
  },
  *paths() {
    yield '';
    yield* campaignSlugs;
  },
};

function list({ world, at, query }: Visit): Answer | undefined {
  const slice = sliceOf(campaignSlugs, pageNumber(query), 12);
  if (slice === undefined) return undefined;
  const campaigns = slice.items.map((slug) => campaignAt(world, slug, at)).filter((campaign) => campaign !== undefined);
  return {
    kind: 'page',
    title: 'All campaigns',
    modifiedAt: Math.max(...campaigns.map(({ modifiedAt }) => modifiedAt)),
    main: html`<h1>All campaigns</h1>
      <ul class="campaigns">
        ${campaigns.map(card)}
      </ul>
      ${slice.next === undefined ? undefined : html`<a class="next" rel="next" href="/crowd/?page=${slice.next}">More</a>`}`,
  };
}

function card({ slug, title, creator, pledged, status }: Campaign): Markup {
  return html`<li class="card" data-slug="${slug}">
    <a href="/crowd/${slug}">${title}</a> by <span class="creator">${creator}</span>
    <span class="pledged">${moneyText(pledged)}</span> <span class="status">${status}</span>
  </li>`;
}

function detail({ world, at }: Visit, slug: string): Answer | undefined {
  const campaign = campaignAt(world, slug, at);
  if (campaign === undefined) return undefined;
  return {
    kind: 'page',
    title: campaign.title,
    modifiedAt: campaign.modifiedAt,
    head: stateScript('__STATE__', { campaign: { slug, rewards: rewardsAt(world, slug, at).map(rewardView) } }),
    main: html`<article class="campaign" data-slug="${slug}">
      <h1 class="title">${campaign.title}</h1>
      <p>by <span class="creator">${campaign.creator}</span></p>
      <dl>
        <dt>Pledged</dt>
        <dd class="pledged">${moneyText(campaign.pledged)}</dd>
        <dt>Goal</dt>
        <dd class="goal">${moneyText(campaign.goal)}</dd>
        <dt>Backers</dt>
        <dd class="backers">${campaign.backers}</dd>
        <dt>Status</dt>
        <dd class="status">${campaign.status}</dd>
        <dt>Ends</dt>
        <dd><time class="ends" datetime="${new Date(campaign.endsAt).toISOString()}">soon</time></dd>
      </dl>
      <h2>Updates</h2>
      <ol class="updates">
        ${campaign.updates.map(
          ({ number, postedAt, title }) =>
            html`<li class="update" data-number="${number}">
              <time class="posted" datetime="${new Date(postedAt).toISOString()}">#${number}</time>
              <span class="headline">${title}</span>
            </li>`,
        )}
      </ol>
    </article>`,
  };
}

function rewardView({ id, title, price, claimed }: Reward): object {
  return { id, title, price: { amount: amountOf(price), currency: price.currency }, claimed };
}

function pulse({ world, at }: Visit, slug: string): Answer | undefined {
  const campaign = campaignAt(world, slug, at);
  if (campaign === undefined) return undefined;
  return {
    kind: 'fragment',
    modifiedAt: campaign.modifiedAt,
    main: html`<p class="pulse" data-slug="${slug}"><span class="pledged">${moneyText(campaign.pledged)}</span></p>`,
  };
}
