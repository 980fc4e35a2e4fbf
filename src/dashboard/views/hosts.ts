import { html } from 'hono/html';
import { filters } from '../parts/filters.ts';
import { hostTable } from '../parts/host-table.ts';
import { more } from '../parts/table.ts';
import type { View, ViewContext } from '../parts/view.ts';

/** The hosts that were asked or that targets are tracked on: when each can next be asked, and why not sooner. */
export const hosts: View = {
  path: 'hosts',
  async show(context) {
    const { query, now, at } = context;
    const key = (query.get('q') ?? '').trim();
    const { hosts: found, next, cut } = await listed(context, key);
    return {
      title: 'Hosts',
      live: 'all',
      body: html`${filters('hosts', {}, [{ name: 'q', label: 'Host, or an address on it', value: key }])}
      ${hostTable(
        found,
        now,
        key === ''
          ? 'No host was asked yet. Hosts come with the first project.'
          : 'Nothing is known of such a host. Give its whole origin, as https://shop.example.',
      )}
      ${cut === undefined ? '' : html`<p class="note">Perhaps there are more hosts, of targets that were not asked yet.</p>`}
      ${more(at, 'after', next)}`,
    };
  },
};

/** The host of a key, or else of an address on it; a slice of all hosts where none is wanted. */
async function listed({ call, query }: ViewContext, key: string) {
  const after = query.get('after') ?? undefined;
  if (key === '') return call('host.list', { limit: 50, ...(after !== undefined && { after }) });
  const found = await call('host.list', { key });
  const origin = URL.parse(key)?.origin;
  return found.hosts.length > 0 || origin === undefined ? found : call('host.list', { key: origin });
}
