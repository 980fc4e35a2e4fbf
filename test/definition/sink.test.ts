import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { loadSinks } from '../../src/definition/load.ts';
import { problemText } from '../../src/definition/problem.ts';
import { kindOf } from '../../src/definition/sink.ts';

/** Loads one sink file; resolves with the sink, or the problems without the file's folder. */
async function load(t: TestContext, text: string) {
  const folder = await mkdtemp(join(tmpdir(), 'heronry-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, 'sinks'));
  await writeFile(join(folder, 'sinks', 'team.yaml'), text);
  const { sinks, problems } = await loadSinks(join(folder, 'sources'));
  return {
    sink: sinks.get('team'),
    problems: problems.map((problem) => problemText(problem).replace(`${join(folder, 'sinks')}/`, '')),
  };
}

describe('a sink file', () => {
  test('names its kind by a key, and gets changes of records unless it says otherwise', async (t) => {
    const { sink, problems } = await load(
      t,
      'id: team\nwebhook: { url: https://hooks.example/x, secret: TEAM_HOOK }\n',
    );
    assert.deepEqual(problems, []);
    assert.deepEqual(sink?.events, ['record.*']);
    assert.equal(sink?.from, undefined);
    assert.deepEqual(sink && kindOf(sink), {
      name: 'webhook',
      options: { url: 'https://hooks.example/x', secret: ['TEAM_HOOK'], allowPrivate: false },
    });
  });

  test('is refused by line where it is wrong', async (t) => {
    const text = `id: team
webhook:
  url: https://hooks.example/x
  secert: TEAM_HOOK
  body: { text: "{title" }
events: [record.chnaged]
from: {}
digest: often
`;
    assert.deepEqual((await load(t, text)).problems, [
      'team.yaml:4:3: webhook.secert: unknown key "secert"; did you mean "secret"?',
      'team.yaml:5:17: webhook.body.text: expected a template, got "{title": expected "}" at the end of the expression, at character 1',
      'team.yaml:6:10: events[0]: expected an event type such as record.changed or scrape.*, got "record.chnaged"; did you mean "record.changed"?',
      'team.yaml:7:7: from: expected projects, labels, sources or types, or `from: all`, got {}',
      'team.yaml:8:9: digest: expected a duration like "15m" (ms, s, m, h or d), got "often"',
    ]);
  });

  test('has one kind', async (t) => {
    const expectedOne = 'team.yaml:1:1: missing, expected one of webhook, discord, stdout';
    assert.equal((await load(t, 'id: team\n')).problems[0]?.startsWith(expectedOne.slice(0, 50)), true);
    const two = 'id: team\nstdout:\nwebhook: { url: https://hooks.example/x }\n';
    assert.deepEqual((await load(t, two)).problems, ['team.yaml:2:8: stdout: expected only "webhook"']);
  });
});
