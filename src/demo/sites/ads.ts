import { adDays, adReport, dayOf, type AdDay, type AdReport } from '../facts/ad.ts';
import { campaignAt, campaignSlugs } from '../facts/campaign.ts';
import { amountOf, moneyText } from '../facts/money.ts';
import { html } from '../html.ts';
import type { Answer, Site, Visit } from '../site.ts';

/**
 * What the campaigns spend on advertising. For machines: `/ads/api/campaigns`, `/ads/api/campaigns/<slug>` and, by day,
 * `/ads/api/campaigns/<slug>/spend?from=2026-01-01&to=2026-01-31`. For people: `/ads/report/<slug>`.
 */
export const ads: Site = {
  prefix: 'ads',
  disallow: ['api/'],
  answer(visit) {
    const [area, noun, slug, detail, ...rest] = visit.path;
    if (area === 'report' && noun !== undefined && slug === undefined) return report(visit, noun);
    if (area !== 'api' || noun !== 'campaigns' || rest.length > 0) return undefined;
    if (slug === undefined) return directory(visit);
    if (detail === undefined) return totals(visit, slug);
    return detail === 'spend' ? spend(visit, slug) : undefined;
  },
  *paths() {
    for (const slug of campaignSlugs()) yield `report/${slug}`;
  },
};

function directory({ world }: Visit): Answer {
  const campaigns = campaignSlugs().map((slug) => ({ id: slug, href: `/ads/api/campaigns/${slug}` }));
  return { kind: 'json', value: { campaigns }, modifiedAt: world.openedAt };
}

function totals({ world, at }: Visit, slug: string): Answer | undefined {
  const report = adReport(world, slug, at);
  if (report === undefined) return undefined;
  const value = { campaign: slug, title: report.title, ...figures(report), days: report.days.map(dayRow) };
  return { kind: 'json', value, modifiedAt: report.modifiedAt };
}

function spend({ world, at, query }: Visit, slug: string): Answer | undefined {
  if (campaignAt(world, slug, at) === undefined) return undefined;
  const [from, to] = [dayIn(query.get('from'), dayOf(at) - 6), dayIn(query.get('to'), dayOf(at))];
  if (from === undefined || to === undefined) return undefined;
  const days = adDays(world, slug, at, from, to);
  return { kind: 'json', value: { campaign: slug, days: days.map(dayRow) }, modifiedAt: at - (at % 2_000) };
}

function report({ world, at }: Visit, slug: string): Answer | undefined {
  const found = adReport(world, slug, at);
  if (found === undefined) return undefined;
  return {
    kind: 'page',
    title: `Advertising for ${found.title}`,
    modifiedAt: found.modifiedAt,
    main: html`<article class="report" data-campaign="${slug}">
      <h1>Advertising for <a href="/crowd/${slug}">${found.title}</a></h1>
      <p>
        Spent <b class="spend">${moneyText(found.spend)}</b>, <b class="clicks">${found.clicks}</b> clicks of
        <b class="impressions">${found.impressions}</b> views
      </p>
      <table class="days">
        <tr>
          <th>Day</th>
          <th>Spend</th>
          <th>Clicks</th>
        </tr>
        ${found.days.map(
          (day) =>
            html`<tr class="day" data-day="${day.day}">
              <td>${day.day}</td>
              <td class="day-spend">${moneyText(day.spend)}</td>
              <td class="day-clicks">${day.clicks}</td>
            </tr>`,
        )}
      </table>
    </article>`,
  };
}

function dayRow(day: AdDay): object {
  return { day: day.day, ...figures(day) };
}

function figures({ spend, impressions, clicks }: AdDay | AdReport): object {
  return { spend: { amount: amountOf(spend), currency: spend.currency }, impressions, clicks };
}

/** A day of a query as its number; nothing for a text that is no day. */
function dayIn(text: string | null, usual: number): number | undefined {
  if (text === null) return usual;
  const at = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  return Number.isNaN(at) ? undefined : dayOf(at);
}
