import { html, type Markup } from '../../../../src/demo/html.ts';
import type { Answer, Visit } from '../site.ts';

/** A month of the shop's opening hours; a year of them from the world's first month, or with `endless=yes` all there ever will be. */
export function calendar({ world, query }: Visit, month: string): Answer | undefined {
  const endless = query.get('endless') === 'yes';
  const first = monthNumber(new Date(world.openedAt).toISOString().slice(0, 7)) ?? 0;
  const shown = monthNumber(month);
  if (shown === undefined || shown < first || (!endless && shown >= first + 12)) return undefined;
  const link = (number: number, relation: string, text: string): Markup | undefined =>
    number < first || (!endless && number >= first + 12)
      ? undefined
      : html`<a rel="${relation}" href="/shop/calendar/${monthText(number)}${endless ? '?endless=yes' : ''}"
          >${text}</a
        >`;
  const days = new Date(Date.UTC(Math.floor(shown / 12), (shown % 12) + 1, 0)).getUTCDate();
  return {
    kind: 'page',
    title: `Opening hours in ${month}`,
    modifiedAt: world.openedAt,
    main: html`<h1>Opening hours in ${month}</h1>
      <ol class="days">
        ${Array.from({ length: days }, () => html`<li>9:00–18:00</li>`)}
      </ol>
      ${link(shown - 1, 'prev', 'Earlier')} ${link(shown + 1, 'next', 'Later')}`,
  };
}

/** Months since the year 0. */
function monthNumber(text: string): number | undefined {
  const [, year, month] = /^(\d{4})-(0[1-9]|1[0-2])$/.exec(text) ?? [];
  return year === undefined || month === undefined
    ? undefined
    : Number.parseInt(year, 10) * 12 + Number.parseInt(month, 10) - 1;
}

function monthText(number: number): string {
  return `${String(Math.floor(number / 12)).padStart(4, '0')}-${String((number % 12) + 1).padStart(2, '0')}`;
}
