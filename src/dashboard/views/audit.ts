import { html } from 'hono/html';
import { countText } from '../../view/text.ts';
import { filters } from '../parts/filters.ts';
import { status } from '../parts/status.ts';
import { more, table } from '../parts/table.ts';
import { short } from '../parts/text.ts';
import { age } from '../parts/time.ts';
import type { View } from '../parts/view.ts';

/** The entries of a page. */
const shown = 100;

const tones = { done: 'good', failed: 'warn', denied: 'bad' } as const;

/** Who changed what, and who was denied it. */
export const audit: View = {
  path: 'audit',
  async show({ call, query, now, at }) {
    const [who = '', method = '', before] = ['who', 'method', 'before'].map((name) => query.get(name) ?? undefined);
    const { entries, next } = await call('audit.list', {
      ...(who !== '' && { who }),
      ...(method !== '' && { method }),
      ...(before !== undefined && { before }),
      limit: shown,
    });
    return {
      title: 'Audit',
      body: html`${filters('audit', {}, [
        { name: 'who', label: 'Who', value: who },
        { name: 'method', label: 'Method', value: method },
      ])}
      ${table(
        'Changes and denied calls',
        entries,
        [
          ['When', (entry) => age(entry.at, now)],
          ['Who', ({ who: id, label }) => short(label ?? id ?? 'not logged in', 40)],
          ['From', ({ from }) => short(from ?? '', 50)],
          ['Method', (entry) => short(entry.method ?? '', 40)],
          ['Of', ({ subject }) => short(subject ?? '', 60)],
          [
            'Outcome',
            ({ outcome, code, unlogged }) =>
              html`${status(outcome, tones[outcome])} ${short(code?.replaceAll('_', ' ') ?? '', 40)}
              ${unlogged === undefined ? '' : html`<span class="note">${countText(unlogged, 'denied call')} left out</span>`}`,
          ],
        ],
        'Nothing has been changed or denied.',
      )}
      ${more(at, 'before', next, 'Older entries')}`,
    };
  },
};
