import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { methods, type Method } from '../../src/control/methods.ts';
import type { Scope } from '../../src/control/methods/method.ts';
import { routes, type Route } from '../../src/http/routes.ts';
import { ask, openStream, type Sent } from '../http/server.ts';
import { productPage, productSource, startDaemon } from '../support/daemon.ts';
import { openSite } from '../support/site.ts';

/** What must not be told: it stands in the id, the name, the label and the address of the project that a limited token does not see. */
const hidden = /rival/i;

/** A daemon with a project that a token of the label `acme` sees, and one that it does not see, which share a target. */
async function startLimited(t: TestContext) {
  const site = await openSite(t, {
    '/shared': productPage('Shared', '1'),
    '/own': productPage('Own', '2'),
    '/rival': productPage('Rival', '3'),
  });
  const { promise: listening, resolve: httpListens } = Promise.withResolvers<number>();
  const http = { port: 0, readOnly: false };
  const served = await startDaemon(t, { sources: { shop: productSource('shop') }, http, httpListens, threads: 1 });
  const port = await listening;
  const [own, shared, others] = ['/own', '/shared', '/rival'].map((path) => ({ source: 'shop', url: site.url(path) }));
  assert.ok(own && shared && others);
  const metrics = { price: { of: 'product', field: 'price', take: 'last' as const } };
  const { client } = served;
  await client.call('project.add', { id: 'rival', name: 'Rival', labels: ['for-rival'], targets: [shared, others] });
  await client.call('project.add', { id: 'mine', labels: ['acme', 'x'], metrics, targets: [shared, own] });
  const isEnd = (scraped: Set<number | undefined>) => scraped.size === 3;
  const scraped = new Set<number | undefined>();
  await served.event((event) => event.type === 'scrape.completed' && isEnd(scraped.add(event.target)));
  const tokenOf = async (role: 'read' | 'operate') =>
    (await client.call('token.create', { label: role, role, labels: ['acme', 'unused'] })).token;
  const tokens = { read: await tokenOf('read'), operate: await tokenOf('operate') };
  return { ...served, ...tokens, port, ask: (path: string, sent: Sent) => ask(port, path, sent) };
}

/** Parameters that methods need besides their project. */
const besides: Readonly<Record<string, string | number>> = { metric: 'price', from: 1 };

/** Parameters of methods that are about no single project. */
const own: Partial<Readonly<Record<Method, object>>> = {
  'view.add': { name: 'Own', query: 'lamp' },
  'viewing.add': { ids: ['rival'] },
};

/** Calls a method about a project, by the parameter that its scope names. */
function callOf({ method, path, verb, key, params }: Route, project: string, token: string): [string, Sent] {
  const { scope }: { readonly scope: Scope } = methods[method];
  const name = typeof scope === 'object' && 'project' in scope ? scope.project : undefined;
  const needed = (params.required ?? []).filter((each) => Object.hasOwn(besides, each) && each !== key);
  const given = {
    ...Object.fromEntries(needed.map((each) => [each, besides[each]])),
    ...own[method],
    ...(name !== undefined && name !== key && { [name]: project }),
  };
  const at = path.replace(/\{\w+\}/, name === key ? project : String(besides[key ?? ''] ?? 1));
  if (verb !== 'GET') return [at, { verb, token, body: given }];
  const query = new URLSearchParams();
  for (const [each, value] of Object.entries(given)) query.set(each, String(value));
  return [`${at}?${query.toString()}`, { token }];
}

const streamed: Method = 'event.subscribe';

describe('a token that is limited to labels', () => {
  test('reaches no project without one of them by any method, and learns nothing of it', async (t) => {
    const { ask: send, read, operate } = await startLimited(t);
    const reached: string[] = [];
    for (const route of routes.filter(({ method }) => method !== streamed)) {
      const isOfProject = typeof route.spec.scope === 'object' && 'project' in route.spec.scope;
      for (const token of [read, operate]) {
        const [path, sent] = callOf(route, 'rival', token);
        const { status, text, headers } = await send(path, sent);
        const told = `${route.method}: ${status} ${text}`;
        if (route.spec.scope === 'filtered') assert.ok([200, 404].includes(status), told);
        else assert.ok(status === 403 || (isOfProject && status === 404), told);
        assert.doesNotMatch(`${text.replaceAll('"rival\\"', '')} ${JSON.stringify(headers)}`, hidden, told);
        if (status === 200 || status === 404) reached.push(route.method);
      }
    }
    assert.ok(reached.includes('project.get') && reached.includes('project.rescrape'));
    for (const path of ['/metrics', '/v1/daemon/status']) assert.equal((await send(path, { token: read })).status, 403);
  });

  test('is told the same of a project that it does not see as of one that there is not', async (t) => {
    const { ask: send, read } = await startLimited(t);
    for (const path of [
      '/v1/projects/ID',
      '/v1/projects/ID/records',
      '/v1/rules?project=ID',
      '/v1/scrapes?project=ID',
    ]) {
      const [unseen, unknown] = await Promise.all(
        ['rival', 'rivas'].map(async (id) => {
          const { status, text } = await send(path.replace('ID', id), { token: read });
          return `${status} ${text.replace(id, 'ID')}`;
        }),
      );
      assert.equal(unseen, unknown);
      assert.match(String(unseen), /^404 .*no project \\"ID\\""/);
    }
    const [unseen, unknown] = await Promise.all([
      send('/v1/events?project=rival&after=0', { token: read, verb: 'HEAD' }),
      send('/v1/events?project=rivas&after=0', { token: read, verb: 'HEAD' }),
    ]);
    assert.equal(unseen.status, unknown.status);
  });

  test('reaches its own project by every method on one, which names none of the others', async (t) => {
    const { ask: send, read, operate, client } = await startLimited(t);
    const { targets } = await client.call('project.get', { id: 'mine' });
    assert.deepEqual(targets[0]?.others?.first, ['rival']);
    const isLast = ({ method }: Route): boolean => method === 'project.archive' || method === 'project.restore';
    const own = routes.filter(({ spec: { scope } }) => typeof scope === 'object' && 'project' in scope);
    for (const route of [...own.filter((each) => !isLast(each)), ...own.filter(isLast)]) {
      const [path, sent] = callOf(route, 'mine', route.spec.role === 'read' ? read : operate);
      const { status, text } = await send(path, sent);
      assert.equal(status, 200, `${route.method} ${text}`);
      assert.doesNotMatch(text, hidden, route.method);
    }
    const { json } = await send('/v1/projects', { token: read });
    const listed = await client.call('project.list', {});
    assert.deepEqual(
      listed.projects.map(({ id }) => id),
      ['mine', 'rival'],
    );
    assert.match(JSON.stringify(json), /^\{"projects":\[\{"id":"mine"/);
    const { scrapes } = await client.call('scrape.list', {});
    for (const { scrape, projects } of scrapes) {
      const { status, text } = await send(`/v1/scrapes/${scrape}`, { token: read });
      assert.equal(status, projects.includes('mine') ? 200 : 404);
      assert.doesNotMatch(text, hidden);
    }
  });

  test('has to name a project where a list may be of all', async (t) => {
    const { ask: send, read } = await startLimited(t);
    for (const path of ['/v1/scrapes', '/v1/schedules', '/v1/objective/report', '/v1/export/events']) {
      const { status, text } = await send(path, { token: read });
      assert.equal(status, 403, path);
      assert.match(text, /expected \\"project\\", as the token is limited to labels/);
    }
  });

  test('is streamed what is of its projects, which may come to have its label and lose it', async (t) => {
    const { port, read, client } = await startLimited(t);
    const rename = (id: string, name: string) => client.call('project.update', { id, name });
    const authorization = `Bearer ${read}`;
    const { next } = await openStream(t, port, '/v1/events?types=project.*', { authorization });
    await next();
    await rename('rival', 'Rival 2');
    await client.call('project.update', { id: 'rival', name: 'Friend', addLabels: ['acme'] });
    assert.match((await next()) ?? '', /"projects":\["rival"\].*"name":"Friend"/);
    await client.call('project.update', { id: 'rival', removeLabels: ['acme'] });
    await rename('rival', 'Rival 3');
    await rename('mine', 'Mine');
    assert.match((await next()) ?? '', /"projects":\["mine"\].*"name":"Mine"/);
    // What both watch is told of the one alone, also to who asks for the other.
    const past = await openStream(t, port, '/v1/events?types=scrape.completed&after=0', { authorization });
    await past.next();
    for (let times = 0; times < 2; times += 1) assert.match((await past.next()) ?? '', /"projects":\["mine"\]/);
    const probe = await openStream(t, port, '/v1/events?types=scrape.*&project=rival&after=0', { authorization });
    await probe.next();
    await client.call('project.update', { id: 'rival', addLabels: ['acme'] });
    await client.call('project.rescrape', { id: 'rival' });
    assert.match((await probe.next()) ?? '', /"type":"scrape.requested"/);
  });

  test('has the role read or operate', async (t) => {
    const { client } = await startDaemon(t, { sources: {} });
    const create = (role: 'author' | 'admin') => client.call('token.create', { label: 'a', role, labels: ['acme'] });
    await assert.rejects(create('author'), /expected "read" or "operate"/);
    await assert.rejects(create('admin'), /expected "read" or "operate"/);
  });
});
