import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { dirname, join, relative } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { run } from '../cli/terminal.ts';
import { productPage, productSource, startDaemon } from '../support/daemon.ts';
import { openSite } from '../support/site.ts';

const top = join(import.meta.dirname, '../..');
const text = readFileSync(join(top, 'docs/architecture.md'), 'utf8');
const [, fromPath = ''] = text.split('\n## The path of a rescrape\n');
const [path = ''] = fromPath.split('\n## ');
const steps = Array.from(path.matchAll(/^\d+\. `([^`]+)`/gm), ([, file]) => file ?? '');
const beside = Array.from(path.matchAll(/`([^`]+\.ts)`/g), ([, file]) => file ?? '').filter(
  (file) => !steps.includes(file),
);
/** From here on the answer is on its way back. */
const answer = steps.indexOf('src/store/commit.ts');

describe('the path of a rescrape in docs/architecture.md', () => {
  test('has at most 25 files, and comes back to a folder that it left only for the answer', () => {
    assert.ok(steps.length > 10 && steps.length + beside.length <= 25, `${steps.length} and ${beside.length} files`);
    assert.ok(answer > 0);
    const folders = steps.slice(0, answer).map((file) => dirname(file));
    const shared = ['workers', 'src/store', 'src/actor'];
    const again = folders.filter(
      (folder, at) => !shared.includes(folder) && folders[at - 1] !== folder && folders.slice(0, at).includes(folder),
    );
    assert.deepEqual(again, []);
  });

  test('is the path that a rescrape takes: each file runs, and the calls behind the request are on it in their order', async (t) => {
    const site = await openSite(t, { '/solar': productPage('A', '1.00') });
    const limit = Error.stackTraceLimit;
    t.after(() => (Error.stackTraceLimit = limit));
    Error.stackTraceLimit = 100;
    const calls: string[] = [];
    const { client, socket } = await startDaemon(t, {
      sources: { shop: productSource('shop') },
      intercept: (runStep) => (step, signal, onSent) => {
        calls.push(...filesOf(new Error('where').stack ?? ''));
        return runStep(step, signal, onSent);
      },
    });
    await client.call('project.add', { id: 'solar', targets: [{ source: 'shop', url: site.url('/solar') }] });
    await run(['rescrape', 'solar', '--wait', '--socket', socket]);
    calls.length = 0;

    const ran = await filesThatRun(async () => {
      const { status } = await run(['rescrape', 'solar', '--wait', '--socket', socket]);
      assert.equal(status, 0);
    });

    assert.deepEqual(
      steps.filter((file) => !ran.has(file)),
      [],
    );
    const known = calls.filter((file) => !file.startsWith('test/'));
    assert.ok(known.length > 3, known.join());
    assert.deepEqual(
      known.filter((file) => !steps.includes(file) && !beside.includes(file)),
      [],
    );
    // Outermost first; a callback that an earlier file gave along is no new place.
    const called = [...new Set(known.toReversed())].filter((file) => steps.includes(file));
    assert.deepEqual(
      called,
      steps.filter((file) => called.includes(file)),
    );
  });
});

test('every file that docs/architecture.md names is there', () => {
  const named = Array.from(
    text.matchAll(/`((?:src|supervisors|workers|test|docs|bench)\/[^`\s]+)`/g),
    ([, file]) => file ?? '',
  );
  assert.ok(named.length > 20);
  assert.deepEqual(
    named.filter((file) => !existsSync(join(top, file))),
    [],
  );
});

/** The files of the calls on a stack, the innermost first. */
function filesOf(stack: string): string[] {
  return Array.from(stack.matchAll(/(file:\/\/[^\s)]+\.ts):\d+:\d+/g), ([, url]) =>
    relative(top, fileURLToPath(url ?? '')),
  );
}

/** The files of which a function runs while `work` does. */
async function filesThatRun(work: () => Promise<void>): Promise<ReadonlySet<string>> {
  const session = new Session();
  session.connect();
  try {
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    await session.post('Profiler.takePreciseCoverage');
    await work();
    const { result } = await session.post('Profiler.takePreciseCoverage');
    const ran = result.filter(({ url, functions }) => url.startsWith('file:') && functions.some(hasRun));
    return new Set(ran.map(({ url }) => relative(top, fileURLToPath(url))));
  } finally {
    session.disconnect();
  }
}

/** Whether a function was called; the whole text of a module counts as one without a name. */
function hasRun({
  functionName,
  ranges: [whole],
}: {
  functionName: string;
  ranges: { startOffset: number; count: number }[];
}): boolean {
  return whole !== undefined && whole.count > 0 && (functionName !== '' || whole.startOffset > 0);
}
