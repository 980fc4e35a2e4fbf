import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { inspect } from 'node:util';
import { secretsFrom } from '../../../src/session/secret-store.ts';
import { productPage } from '../../support/daemon.ts';
import { openSite, type Site } from '../../support/site.ts';
import { startTimed, type TimedDaemon } from '../passing.ts';
import { lastScrape, minute, politeSource, second } from './support.ts';

const page = productPage('A', '1.00');
const environment = { HERONRY_SECRET_ONE: 'canary-one-4711', HERONRY_SECRET_TWO: 'canary-two-4712' };
const findSecrets = secretsFrom({ environment });

function formAuth({ origin }: Site, user: string): string {
  return `auth:
  type: form
  url: "${origin}/login"
  origins: ["${origin}"]
  fields: { user: ${user}, password: { secret: ${user.toUpperCase()} } }
  success: { cookie: sid }`;
}

function basicAuth({ origin }: Site, user: string): string {
  return `auth: { type: basic, user: ${user}, password: { secret: ${user.toUpperCase()} }, origins: ["${origin}"] }`;
}

/** Lets in by a form whoever knows the password, and answers pages to who brings the cookie. */
async function letIn(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const fields = new URLSearchParams(await text(request));
  response.setHeader('set-cookie', `sid=canary-cookie-${fields.get('user')}; Path=/; HttpOnly`);
  response.setHeader('content-type', 'text/html').end('welcome');
}

function toMembers({ headers }: IncomingMessage, response: ServerResponse): void {
  response.statusCode = /canary-cookie-/.test(headers.cookie ?? '') ? 200 : 401;
  response.setHeader('content-type', 'text/html').end(page);
}

async function twice({ client, pass, settle, track }: TimedDaemon, site: Site): Promise<void> {
  for (const id of ['one', 'two']) await track(id, { source: id, url: site.url(`/${id}`) });
  await pass(minute);
  for (const id of ['one', 'two']) await client.call('project.rescrape', { id });
  await pass(minute);
  await settle();
}

describe('two sources on one site', () => {
  test('are each logged in to by their own form, and their cookies never mix (O57)', async (t) => {
    const site = await openSite(t, { '/one': toMembers, '/two': toMembers });
    site.answer('/login', (request, response) => void letIn(request, response));
    const sources = {
      one: politeSource('one', { more: formAuth(site, 'one') }),
      two: politeSource('two', { more: formAuth(site, 'two') }),
    };
    const timed = await startTimed(t, { sources, findSecrets });
    await twice(timed, site);
    for (const id of ['one', 'two']) {
      const cookies = site.asked.filter(({ path }) => path === `/${id}`).map(({ headers }) => headers.cookie);
      assert.deepEqual(cookies, [`sid=canary-cookie-${id}`, `sid=canary-cookie-${id}`]);
      assert.equal((await lastScrape(id, timed.client)).scrape.status, 'complete');
    }
    assert.equal(site.asked.filter(({ path }) => path === '/login').length, 2);
  });

  test('each send their own user and password (O57)', async (t) => {
    const site = await openSite(t, { '/one': page, '/two': page });
    const sources = {
      one: politeSource('one', { more: basicAuth(site, 'one') }),
      two: politeSource('two', { more: basicAuth(site, 'two') }),
    };
    const timed = await startTimed(t, { sources, findSecrets });
    await twice(timed, site);
    for (const id of ['one', 'two']) {
      const sent = site.asked.filter(({ path }) => path === `/${id}`).map(({ headers }) => headers.authorization);
      const pair = Buffer.from(`${id}:${environment[`HERONRY_SECRET_${id === 'one' ? 'ONE' : 'TWO'}`]}`);
      assert.deepEqual(sent, [`Basic ${pair.toString('base64')}`, `Basic ${pair.toString('base64')}`]);
    }
  });

  test('keep the cookies that pages set apart, and send them again (O57)', async (t) => {
    const site = await openSite(t, {});
    for (const id of ['one', 'two'])
      site.answer(`/${id}`, { headers: { 'set-cookie': `seen=${id}; Path=/` }, body: page });
    const sources = { one: politeSource('one', {}), two: politeSource('two', {}) };
    await twice(await startTimed(t, { sources }), site);
    for (const id of ['one', 'two'])
      assert.deepEqual(
        site.asked.filter(({ path }) => path === `/${id}`).map(({ headers }) => headers.cookie),
        [undefined, `seen=${id}`],
      );
  });

  test('send no credentials where a redirect leads to another origin (O57)', async (t) => {
    const elsewhere = await openSite(t, { '/x': page });
    const site = await openSite(t, {
      '/one': { status: 302, headers: { location: elsewhere.url('/x') } },
      '/two': { status: 302, headers: { location: elsewhere.url('/x') } },
    });
    const sources = {
      one: politeSource('one', { more: basicAuth(site, 'one') }),
      two: politeSource('two', { more: basicAuth(site, 'two') }),
    };
    await twice(await startTimed(t, { sources, findSecrets }), site);
    assert.equal(elsewhere.asked.length, 4);
    for (const { headers } of elsewhere.asked)
      assert.deepEqual([headers.authorization, headers.cookie], [undefined, undefined]);
  });
});

describe('credentials', () => {
  test('are in no log, event, answer or file, though the site repeats them in its errors', async (t) => {
    const site = await openSite(t, {});
    site.answer('/login', (request, response) => void letIn(request, response));
    const echo = ({ headers }: IncomingMessage, response: ServerResponse): void => {
      response.statusCode = 500;
      const [, pair = ''] = (headers.authorization ?? '').split(' ');
      const told = `${headers.cookie} ${headers.authorization} ${Buffer.from(pair, 'base64').toString()}`;
      response.setHeader('content-type', 'text/html').end(`<p>you sent: ${told}</p>`);
    };
    for (const id of ['one', 'two']) site.answer(`/${id}`, echo);
    const said: unknown[] = [];
    const timed = await startTimed(t, {
      sources: {
        one: politeSource('one', { more: formAuth(site, 'one'), retry: 'times: 1' }),
        two: politeSource('two', { more: basicAuth(site, 'two') }),
      },
      findSecrets,
      report: (report) => said.push(report),
      warn: (what, error) => said.push(what, error),
    });
    const { client, events, folder } = timed;
    await twice(timed, site);
    await client.call('project.add', { id: 'late', targets: [{ source: 'one', url: site.url('/late') }] });
    site.answer('/late', { status: 404 });
    await timed.pass(2 * second);
    for (const id of ['one', 'two']) {
      const last = await lastScrape(id, client);
      assert.match(last.scrape.failure?.excerpt ?? '', /you sent: .*\[secret /, 'the excerpt is there, without them');
      said.push(last, await client.call('project.get', { id }), await client.call('source.get', { id }));
      const trying = client.call('source.try', { id, url: site.url(`/${id}`) });
      await timed.pass(10 * minute);
      said.push(await trying);
    }
    said.push(events, await client.call('tree.get', {}));
    await timed.close();
    const canary = /canary|Y2FuYXJ5|b25lOmNhbm|dHdvOmNhbm/;
    assert.doesNotMatch(inspect(said, { depth: 20, maxStringLength: null, maxArrayLength: null }), canary);
    assert.ok(
      site.asked.some(({ headers }) => canary.test(headers.cookie ?? '')),
      'they were sent',
    );
    for (const file of await readdir(folder, { recursive: true, withFileTypes: true })) {
      if (!file.isFile()) continue;
      const bytes = await readFile(join(file.parentPath, file.name), 'latin1');
      assert.ok(!canary.test(bytes) && !canary.test(bytes.replaceAll('\0', '')), file.name);
    }
  });
});
