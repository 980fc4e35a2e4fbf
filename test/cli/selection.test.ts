import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ControlError } from '../../src/control/error.ts';
import { matchesPattern } from '../../src/schema/id-pattern.ts';
import { serve } from '../control/daemon.ts';
import { run } from './terminal.ts';
import { project } from './views.ts';

/** A daemon with two projects on pages of a list, which refuses to archive the second. */
async function twoProjects(t: Parameters<typeof serve>[0]) {
  const asked: object[] = [];
  const archived: string[] = [];
  const { path } = await serve(t, {
    'project.list': (params) => {
      asked.push(params);
      if (params.label === 'none') return { projects: [] };
      return params.after === undefined
        ? { projects: [project], next: 'solar' }
        : { projects: [{ ...project, id: 'lunar' }] };
    },
    'project.get': ({ id }) => ({ ...project, id }),
    'project.archive': ({ id }) => {
      if (id === 'lunar') throw new ControlError('conflict', 'not now');
      archived.push(id);
      return { ...project, id };
    },
  });
  return {
    asked,
    archived,
    heronry: (words: string[], answer?: string) =>
      run([...words, '--socket', path], { columns: 80, ...(answer !== undefined && { answer }) }),
  };
}

describe('projects that options choose', () => {
  test('are all that a list has, of which each has a line in a table, with what was refused', async (t) => {
    const { asked, heronry } = await twoProjects(t);
    const result = await heronry(['archive', '--label', 'spring', '--source', 'crowd', '--match', '*ar', '--yes']);
    assert.deepEqual(result, {
      status: 4,
      out: 'PROJECT  RESULT\nsolar    archived\nlunar    not now\n1 project archived\n',
      err: 'heronry: not now\n',
    });
    assert.deepEqual(asked, [
      { label: 'spring', source: 'crowd', match: '*ar', limit: 1_000 },
      { label: 'spring', source: 'crowd', match: '*ar', limit: 1_000, after: 'solar' },
    ]);
    const { out } = await heronry(['archive', '--label', 'spring', '--yes', '--json']);
    const { projects, dryRun } = JSON.parse(out);
    assert.equal(dryRun, false);
    assert.equal(projects[0].result.id, 'solar');
    assert.deepEqual(projects[1], { id: 'lunar', error: { code: 'conflict', message: 'not now' } });
  });

  test('are touched only once a person said yes, or --yes stands there', async (t) => {
    const { archived, heronry } = await twoProjects(t);
    const archive = ['archive', '--label', 'spring'];
    const alone = await heronry(archive);
    assert.equal(alone.status, 2);
    assert.match(alone.err, /archive: 2 projects: expected --yes, or --dry-run, as nobody can be asked/);
    const refused = await heronry(archive, '');
    assert.equal(refused.status, 1);
    assert.match(refused.err, /archive 2 projects: solar \+1\? \[y\/N\] \nheronry: archive: nothing was done/);
    assert.deepEqual(archived, []);
    await heronry(archive, 'y');
    assert.deepEqual(archived, ['solar']);
  });

  test('are only listed by a dry run, also those that are named', async (t) => {
    const { archived, heronry } = await twoProjects(t);
    const { out, status } = await heronry(['archive', '--label', 'spring', '--dry-run']);
    assert.match(out, /^solar .*\nlunar .*\n2 projects would be archived\n$/m);
    assert.equal(status, 0);
    const named = await heronry(['archive', 'solar', '--dry-run', '--json']);
    assert.deepEqual(JSON.parse(named.out), { dryRun: true, projects: [{ id: 'solar' }] });
    assert.deepEqual(archived, []);
    const none = await heronry(['archive', '--label', 'none']);
    assert.deepEqual([none.status, none.err], [0, 'no project matches\n']);
  });

  test('are those of a search, in the states that the command is for', async (t) => {
    const queries: string[] = [];
    const restored: string[] = [];
    const { path } = await serve(t, {
      'project.search': ({ query }) => {
        queries.push(query);
        return { projects: [project], total: { count: 1, isExact: true } };
      },
      'project.restore': ({ id }) => {
        restored.push(id);
        return { ...project, id };
      },
    });
    const heronry = (...words: string[]) => run([...words, '--socket', path], { columns: 80 });
    await heronry('restore', '--search', 'label:acme', '--yes');
    assert.deepEqual([queries, restored], [['label:acme state:archived'], ['solar']]);
    const both = await heronry('restore', '--search', 'x', '--label', 'y', '--yes');
    assert.deepEqual([both.status, queries.length], [2, 1]);
  });

  test('match a pattern as a whole', () => {
    const matching = (pattern: string) =>
      ['shop-1', 'shop-22', 'myshop-1', 'shop'].filter((id) => matchesPattern(id, pattern));
    assert.deepEqual(matching('shop-*'), ['shop-1', 'shop-22']);
    assert.deepEqual(matching('shop-?'), ['shop-1']);
    assert.deepEqual(matching('*shop*1'), ['shop-1', 'myshop-1']);
    assert.deepEqual(matching('shop'), ['shop']);
    assert.deepEqual(matching('**'), ['shop-1', 'shop-22', 'myshop-1', 'shop']);
    assert.deepEqual(matching(''), []);
    assert.equal(matchesPattern('a'.repeat(128), '*a'.repeat(63) + 'b'), false);
  });
});
