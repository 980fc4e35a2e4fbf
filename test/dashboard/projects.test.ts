import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { load } from 'cheerio';
import { ControlError } from '../../src/control/error.ts';
import { readQuery } from '../../src/control/handlers/search-query.ts';
import type { Handlers, Params } from '../../src/control/methods.ts';
import { serveHttp } from '../http/server.ts';
import { assertHarmless, hostile } from './hostile.ts';

const lamp = {
  id: 'lamp',
  name: 'Lamp',
  labels: ['acme'],
  multiplier: 1,
  status: 'active' as const,
  createdAt: 1,
  targets: [],
};

const outcome = {
  matched: 3,
  changed: 1,
  first: ['lamp'],
  unchanged: 1,
  refused: { count: 1, first: [{ id: 'old', why: hostile }] },
};

describe('the list of projects', () => {
  test('is what a search finds, with how many match', async (t) => {
    const { ask } = await serveHttp(t, {
      'project.search': ({ query }) => {
        assert.equal(query, 'source:shop lamp');
        return { projects: [lamp], total: { count: 1_234, isExact: false }, next: 'lamp' };
      },
    });
    const { text } = await ask('/projects?q=source%3Ashop+lamp');
    assert.match(text, /at least 1234 projects/);
    // A screen reader tells it while a person types.
    assert.equal(load(text)('#results [role=status]').text(), 'at least 1234 projects');
    assert.equal(load(text)('a[rel=next]').attr('href'), 'projects?q=source%3Ashop+lamp&after=lamp');
  });

  test('has links that find the projects with a label, whatever stands in it', async (t) => {
    const labels = ['acme', '//a', 'the "new" one', 'c:\\d "e\\"'];
    const { ask } = await serveHttp(t, {
      'project.search': () => ({ projects: [{ ...lamp, labels }], total: { count: 1, isExact: true } }),
    });
    const $ = load((await ask('/projects')).text);
    const found = Array.from($('a.label'), (link) => {
      const query = new URL($(link).attr('href') ?? '', 'http://own/').searchParams.get('q') ?? '';
      const { words, labels: wanted } = readQuery(query);
      return [words, wanted];
    });
    assert.deepEqual(
      found,
      labels.map((label) => [[], [label]]),
    );
  });

  test('of a label has a link to its feed, and no other list has', async (t) => {
    const { ask } = await serveHttp(t, {
      'project.search': () => ({
        projects: [{ ...lamp, labels: ['acme', 'two words'] }],
        total: { count: 1, isExact: true },
      }),
    });
    const feedOf = async (query: string): Promise<string | undefined> => {
      const { text } = await ask(`/projects?${new URLSearchParams({ q: query }).toString()}`);
      return load(text)('a[href^=feeds]').attr('href');
    };
    assert.equal(await feedOf('label:acme'), 'feeds/labels/acme.atom');
    assert.equal(await feedOf('label:"two words"'), 'feeds/labels/two%20words.atom');
    for (const query of ['', 'acme', 'label:acme lamp']) assert.equal(await feedOf(query), undefined, query);
  });

  test('says what is wrong with a search, and how one is written', async (t) => {
    const { ask } = await serveHttp(t, {
      'project.search': () => {
        const message = `unknown filter ${hostile}`;
        throw new ControlError('invalid_params', 'said for programs', { issues: [{ path: 'query', message }] });
      },
    });
    const { status, text } = await ask('/projects?q=colour:red');
    assert.equal(status, 200);
    assert.match(load(text)('[role=alert]').text(), /^\s*unknown filter/);
    assertHarmless(text);
  });

  test('offers to select projects to those alone who may change them', async (t) => {
    const { ask } = await serveHttp(t, {
      'project.search': () => ({ projects: [lamp], total: { count: 1, isExact: true } }),
    });
    const boxes = (text: string) => load(text)('input[name=ids][form=bulk]').length;
    assert.equal(boxes((await ask('/projects')).text), 1);
    assert.equal(boxes((await ask('/projects', { token: 'read' })).text), 0);
  });
});

describe('a selection of projects', () => {
  const selected = 'q=acme&ids=lamp&action=add-label';

  test('without the label that it is to be given is kept, with a field for the label', async (t) => {
    const { ask } = await serveHttp(t);
    const $ = load((await ask(`/bulk?${selected}`)).text);
    assert.equal($('form[action=bulk] input[name=value]').length, 1);
    assert.equal($('form[action=bulk]').serialize(), `${selected}&value=`);
    assert.equal($('.sections [aria-current=page]').attr('href'), 'projects');
  });

  test('is still made when a person comes back from its preview', async (t) => {
    const { ask } = await serveHttp(t, {
      'project.search': () => ({ projects: [lamp], total: { count: 1, isExact: true } }),
    });
    const back = load((await ask(`/bulk?${selected}`)).text)('main a').attr('href');
    assert.equal(back, 'projects?q=acme&ids=lamp');
    const $ = load((await ask(`/${back}`)).text);
    assert.equal($('input[name=ids][value=lamp]').is('[checked]'), true);
  });
});

describe('adding a project', () => {
  const add = (port: number, fields: Record<string, string>) => ({
    verb: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', origin: `http://127.0.0.1:${port}` },
    body: new URLSearchParams({ '.then': 'projects/{id}', '.from': 'projects', ...fields }).toString(),
  });
  const search: Partial<Handlers> = {
    'project.search': () => ({ projects: [], total: { count: 0, isExact: true } }),
  };

  test('leads to its page, also where the daemon has chosen its id', async (t) => {
    const { ask, port } = await serveHttp(t, { ...search, 'project.add': () => ({ ...lamp, id: 'a/b?c' }) });
    const form = load((await ask('/projects')).text)('form[action="act/project.add"]');
    assert.equal(form.find('input[name=".then"]').attr('value'), 'projects/{id}');
    const { headers } = await ask('/act/project.add', add(port, { 'targets.url': 'https://shop.example/' }));
    assert.match(String(headers.location), /^\/projects\/a%2Fb%3Fc\?outcome=/);
  });

  test('that is refused keeps the form open, with what was typed', async (t) => {
    const { ask, port } = await serveHttp(t, {
      ...search,
      'project.add': () => {
        throw new ControlError('conflict', 'project "lamp" exists already');
      },
    });
    assert.equal(load((await ask('/projects')).text)('details.add[open]').length, 0);
    const fields = { 'targets.url': 'https://shop.example/', id: 'lamp', name: hostile };
    const { headers } = await ask('/act/project.add', add(port, fields));
    const { text } = await ask(String(headers.location));
    assertHarmless(text);
    const form = load(text)('details.add[open] form');
    for (const [name, value] of Object.entries(fields))
      assert.equal(form.find(`input[name="${name}"]`).attr('value'), value);
  });
});

describe('a project without a name', () => {
  test('is shown with the address that it tracks', async (t) => {
    const target = {
      target: 1,
      source: 'shop',
      url: 'https://shop.example/p/lamp',
      status: 'active' as const,
      crashes: { total: 0, inRow: 0 },
    };
    const unnamed = { ...lamp, id: 'x1', name: 'x1', targets: [{ ...target, conditions: [] }] };
    const { ask } = await serveHttp(t, {
      'project.search': () => ({ projects: [unnamed, lamp], total: { count: 2, isExact: true } }),
    });
    const $ = load((await ask('/projects')).text);
    const notes = $('a[href="projects/x1"], a[href="projects/lamp"]').parent().find('.note');
    assert.deepEqual(notes.map((_, each) => $(each).text()).get(), ['shop.example/p/lamp', 'lamp']);
  });
});

describe('the change of many projects', () => {
  const asked: Params<'project.bulk'>[] = [];
  const handlers = {
    'project.bulk': (params: Params<'project.bulk'>) => {
      asked.push(params);
      return outcome;
    },
  };

  for (const [query, params] of [
    ['ids=lamp&ids=old&action=archive', { ids: ['lamp', 'old'], action: 'archive' }],
    ['all=yes&ids=lamp&q=state:late&action=rescrape', { query: 'state:late', action: 'rescrape' }],
    ['all=yes&q=&action=restore', { query: '""', action: 'restore' }],
    ['ids=lamp&action=add-label&value=new', { ids: ['lamp'], action: 'edit', addLabels: ['new'] }],
    ['ids=lamp&action=remove-label&value=new', { ids: ['lamp'], action: 'edit', removeLabels: ['new'] }],
    ['ids=lamp&action=multiplier&value=2.5', { ids: ['lamp'], action: 'edit', multiplier: 2.5 }],
  ] as const)
    test(`is shown before it is made, and the form makes what was shown: ${query}`, async (t) => {
      const { ask, port } = await serveHttp(t, handlers);
      asked.length = 0;
      const { text } = await ask(`/bulk?${query}`);
      assert.deepEqual(asked, [{ ...params, dryRun: true }]);
      assertHarmless(text);
      const $ = load(text);
      assert.match($('main').text(), /Would change\s*1\s*Unchanged\s*1\s*Refused\s*1/);
      const fields = $('form[action="act/project.bulk"]').serializeArray();
      const body = new URLSearchParams(fields.map(({ name, value }): [string, string] => [name, value])).toString();
      const headers = {
        'content-type': 'application/x-www-form-urlencoded',
        origin: `http://127.0.0.1:${port}`,
      };
      assert.equal((await ask('/act/project.bulk', { verb: 'POST', headers, body })).status, 303);
      assert.deepEqual(asked[1], { ...params, dryRun: false });
    });

  for (const [query, why] of [
    ['ids=lamp&action=explode', /Choose what to do/],
    ['action=archive', /Select some projects/],
    ['ids=lamp&action=multiplier&value=many', /multiplier/],
  ] as const)
    test(`that nobody can make is said to be one: ${query}`, async (t) => {
      const { ask } = await serveHttp(t, handlers);
      const { status, text } = await ask(`/bulk?${query}`);
      assert.equal(status, 200);
      assert.match(load(text)('[role=alert]').text(), why);
    });
});
