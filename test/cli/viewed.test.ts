import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Params } from '../../src/control/methods.ts';
import { serve } from '../control/daemon.ts';
import { run } from './terminal.ts';

describe('viewed', () => {
  test('notes named projects, or all that a search finds, as viewed', async (t) => {
    const asked: Params<'viewing.add'>[] = [];
    const { path } = await serve(t, {
      'viewing.add': (params) => {
        asked.push(params);
        return { projects: 1 };
      },
    });
    const told = '1 project had changes that you had not viewed\n';
    assert.equal((await run(['viewed', 'solar', 'lunar', '--socket', path])).out, told);
    assert.equal((await run(['viewed', '--search', '', '--socket', path])).out, told);
    assert.deepEqual(asked, [{ ids: ['solar', 'lunar'] }, { query: '' }]);
    assert.equal((await run(['viewed', '--socket', path])).status, 2);
    assert.equal((await run(['viewed', 'solar', '--search', 'x', '--socket', path])).status, 2);
  });
});

describe('views', () => {
  test('are listed, saved and removed', async (t) => {
    const asked: object[] = [];
    const { path } = await serve(t, {
      'view.list': () => ({ views: [{ name: 'Late', query: 'state:late' }] }),
      'view.add': (view) => {
        asked.push(view);
        return view;
      },
      'view.delete': (view) => {
        asked.push(view);
        return {};
      },
    });
    assert.equal((await run(['views', '--socket', path])).out, 'NAME\tSEARCH\nLate\tstate:late\n');
    const added = await run(['views', '--add', 'Late', '--search', 'state:late', '--socket', path]);
    assert.equal(added.out, 'saved Late\n');
    assert.equal((await run(['views', '--remove', 'Late', '--socket', path])).out, 'removed Late\n');
    assert.deepEqual(asked, [{ name: 'Late', query: 'state:late' }, { view: 'Late' }]);
    assert.equal((await run(['views', '--add', 'Late', '--socket', path])).status, 2);
  });
});
