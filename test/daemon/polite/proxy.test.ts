import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { secretsFrom } from '../../../src/session/secret-store.ts';
import { productPage } from '../../support/daemon.ts';
import { openProxy } from '../../support/proxy.ts';
import { openSite } from '../../support/site.ts';
import { startTimed } from '../passing.ts';
import { lastScrape, minute, politeSource, second } from './support.ts';

describe('the proxy of a source', () => {
  test('has its secrets looked up now and then, and not for each request', async (t) => {
    const authorization = (password: string): string => `Basic ${Buffer.from(`bot:${password}`).toString('base64')}`;
    const proxy = await openProxy(t, authorization('good-one'));
    const ten = Array.from({ length: 10 }, (_, index) => `p${index}`);
    const site = await openSite(t, Object.fromEntries(ten.map((id) => [`/${id}`, productPage(id, '1.00')])));
    const environment: Record<string, string> = { HERONRY_SECRET_PROXY_PASSWORD: 'good-one' };
    let looks = 0;
    const find = secretsFrom({ environment });
    const more = `proxy: { url: "${proxy.url}", user: bot, password: { secret: PROXY_PASSWORD } }`;
    const { client, pass, settle, tracked } = await startTimed(t, {
      sources: { shop: politeSource('shop', { more }) },
      findSecrets(names) {
        if (names.length > 0) looks += 1;
        return find(names);
      },
    });
    const projects = ten.map((id) => ({ id, targets: [{ source: 'shop', url: site.url(`/${id}`) }] }));
    await client.call('project.apply', { projects });
    await tracked(ten.length);
    await pass(5 * second);
    await settle();
    assert.deepEqual([looks, site.asked.length], [1, 10]);
    environment['HERONRY_SECRET_PROXY_PASSWORD'] = 'other-one';
    await pass(minute);
    await client.call('project.rescrape', { id: 'p0' });
    await pass(5 * second);
    await settle();
    assert.deepEqual([looks, site.asked.length], [2, 10]);
    assert.equal((await lastScrape('p0', client)).scrape.failure?.code, 'proxy_failed');
  });
});
