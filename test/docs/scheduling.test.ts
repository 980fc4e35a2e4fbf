import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { createProgram } from '../../src/cli/program.ts';
import { loadProjects } from '../../src/definition/load-projects.ts';
import { paceKeys, scheduleOf } from '../../src/schedule/levels.ts';
import { feasibility, recheckShare } from '../../src/schedule/feasibility.ts';
import { paper, run } from '../cli/terminal.ts';
import { temporaryDirectory } from '../control/daemon.ts';
import { productSource, startDaemon } from '../support/daemon.ts';

const text = await readFile(join(import.meta.dirname, '..', '..', 'docs', 'scheduling.md'), 'utf8');
const yamls = Array.from(text.matchAll(/^```yaml\n(.*?)^```$/gms), ([, yaml = '']) => yaml);
const commands = Array.from(text.matchAll(/^heronry (.+?)(?:\s+#.*)?$/gm), ([, words = '']) => wordsOf(words));

/** The words of a command line, as a shell parts them. */
function wordsOf(line: string): string[] {
  return Array.from(line.matchAll(/"([^"]*)"|(\S+)/g), ([, quoted, bare]) => quoted ?? bare ?? '');
}

/** Definitions of the sources that the page names. */
const sources = Object.fromEntries(
  Object.entries({
    kickfund: 'https://kickfund.example/projects/{slug}',
    shop: 'https://shop.example/{page}',
    social: 'https://social.example/{account}',
    register: 'https://register.example/{page}',
  }).map(([id, url]) => [id, productSource(id, `url: "${url}"`)]),
);

describe('docs/scheduling.md', () => {
  test('shows projects as a file may have them, with every pace and every other key', async (t) => {
    const folder = await temporaryDirectory(t);
    const seen = new Set<string>();
    for (const [index, yaml] of yamls.entries()) {
      const file = join(folder, `projects-${index}.yaml`);
      await writeFile(file, yaml);
      const loaded = await loadProjects(file);
      assert.deepEqual(loaded.ok ? [] : loaded.problems, []);
      if (!loaded.ok) continue;
      for (const project of loaded.value)
        for (const target of project.targets) {
          for (const key of Object.keys({ ...project, ...target })) seen.add(key);
          assert.ok(scheduleOf([target, project], 0).pace, project.id);
        }
    }
    for (const key of [...paceKeys, 'zone', 'available', 'objectives', 'initialDelay', 'multiplier'])
      assert.ok(seen.has(key), key);
  });

  test('shows commands that do what they say, on a daemon', async (t) => {
    const { socket, folder } = await startDaemon(t, { sources, apiOnly: true });
    await writeFile(join(folder, 'projects.yaml'), yamls[1] ?? '');
    assert.ok(commands.length > 12);
    for (const words of commands) {
      const { status, err } = await run([...words, '--socket', socket], { cwd: folder, now: Date.now() });
      assert.equal(status, 0, `heronry ${words.join(' ')}: ${err}`);
    }
  });

  test('names every command that is about scheduling', async () => {
    const shown = new Set(commands.map(([name]) => name));
    const known = (await createProgram(paper().terminal)).commands.map((each) => each.name());
    for (const name of ['why', 'schedule', 'plan', 'freshness', 'waste', 'validate', 'add']) {
      assert.ok(known.includes(name));
      assert.ok(shown.has(name), name);
    }
  });

  test('computes rightly what cannot be kept', () => {
    const day = 86_400_000;
    const found = feasibility({ targets: 60_000, objectiveMs: day }, { delayMs: 2_000 });
    const hours = [found.neededMs, found.neededMs / recheckShare, found.nearestMs].map((ms) =>
      Math.round(ms / 3_600_000),
    );
    assert.deepEqual([found.isFeasible, ...hours], [false, 33, 67, 75]);
  });
});
