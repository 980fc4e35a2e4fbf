import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { parse as parseYaml } from 'yaml';
import { DaemonConfig } from '../../src/definition/daemon.ts';
import { loadProjects } from '../../src/definition/load-projects.ts';
import { loadDaemon, loadPipeline, loadSink, loadSource } from '../../src/definition/load.ts';
import { temporaryDirectory } from '../control/daemon.ts';
import { type Fence, fencesOf, pages, rolesOf, runnablePages, top } from './fences.ts';

/** Which test runs, or makes, the blocks of a page, or those of one language on it. */
const testedBy: Readonly<Record<string, string>> = {
  'docs/actors.md': 'test/actor/docs.test.ts',
  'docs/control.md': 'test/control/reference.test.ts',
  'docs/definitions.md': 'test/docs/language.test.ts',
  'docs/events.md': 'test/event/reference.test.ts',
  'docs/export.md sql': 'test/docs/export.test.ts',
  'docs/plug-ins.md python': 'test/daemon/plugins/docs.test.ts',
  'docs/sinks.md js': 'test/docs/sinks.test.ts',
};

const others = pages.filter((page) => !runnablePages.includes(page) && testedBy[page] === undefined);

type Kind = 'source' | 'sink' | 'pipeline' | 'projects' | 'daemon' | 'secrets';

/** The kind of file that a block of YAML is, or is a part of; undefined where it looks like none of ours. */
function kindOf({ file = '', content }: Fence): Kind | undefined {
  const byName = /(?:^|\/)(?:(source|sink|pipeline)s\/[^/]+|(projects|secrets)|heronry)\.yaml$/.exec(file);
  if (byName !== null) return ((byName[1] ?? byName[2]) as Kind | undefined) ?? 'daemon';
  const value: unknown = parseYaml(content);
  if (Array.isArray(value)) return 'projects';
  if (typeof value !== 'object' || value === null) return undefined;
  if ('id' in value) return 'source';
  return Object.keys(value).every((key) => Object.hasOwn(DaemonConfig.shape, key)) ? 'daemon' : undefined;
}

/** Resolves with the problems of a file of its kind. */
async function problemsOf(kind: Kind, file: string): Promise<readonly unknown[]> {
  if (kind === 'secrets') return [];
  const loaders = {
    source: loadSource,
    sink: loadSink,
    pipeline: loadPipeline,
    projects: loadProjects,
    daemon: loadDaemon,
  };
  const loaded = await loaders[kind](file);
  return loaded.ok ? [] : loaded.problems;
}

/** Throws where a block is not what its language says. `folder` may be written to. */
async function check({ language, content }: Fence, folder: string): Promise<void> {
  if (language === 'json') JSON.parse(content);
  else if (language === 'jsonl') for (const line of content.trim().split('\n')) JSON.parse(line);
  else if (language === 'ts' || language === 'js')
    await parsedBy(process.execPath, '--check', join(folder, `block.m${language}`));
  else if (language === 'sh') await parsedBy('bash', '-n', join(folder, 'block.sh'));
  else
    throw new Error(
      `expected a language that is read, a test that runs it, or <!-- not run: why --> above; got "${language}"`,
    );

  async function parsedBy(program: string, option: string, file: string): Promise<void> {
    await writeFile(file, content);
    const { status, stderr } = spawnSync(program, [option, file], { encoding: 'utf8' });
    assert.equal(status, 0, stderr);
  }
}

describe('every block of the docs is run, read, or says why not', () => {
  for (const page of runnablePages)
    test(`${page}: each is for something`, () => {
      const roles = rolesOf(page);
      assert.ok(roles.length > 3);
      assert.ok(roles.filter(([, { type }]) => type === 'not run').length < roles.length / 3);
    });

  for (const page of others)
    test(page, async (t) => {
      const folder = await temporaryDirectory(t);
      for (const fence of fencesOf(page)) {
        const { where, language, note, content, file } = fence;
        const [, reason] = /^not run: (.+)/.exec(note) ?? [];
        if (reason !== undefined) t.diagnostic(`${where} is not run: ${reason}`);
        if (reason !== undefined || testedBy[`${page} ${language}`] !== undefined) continue;
        if (language !== 'yaml') {
          await assert.doesNotReject(check(fence, folder), where);
          continue;
        }
        const kind = kindOf(fence);
        assert.ok(kind, `${where}: expected a file of ours, or <!-- not run: why --> above`);
        const id = /^id: (\S+)/m.exec(content)?.[1] ?? kind;
        const path = join(folder, file ?? `${id}.yaml`);
        await mkdir(dirname(path), { recursive: true });
        await writeFile(path, content);
        assert.deepEqual(await problemsOf(kind, path), [], where);
      }
    });

  test('and the tests that run the rest are there', () => {
    for (const [what, file] of Object.entries(testedBy)) {
      assert.ok(existsSync(join(top, file)), file);
      assert.ok(pages.includes(what.split(' ')[0] ?? ''), what);
    }
  });
});
