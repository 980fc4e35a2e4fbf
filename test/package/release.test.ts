import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';

const top = join(import.meta.dirname, '..', '..');
const read = (name: string): string => readFileSync(join(top, name), 'utf8');

/** The version that `package.json` has, and those that the changelog tells of, newest first. */
const { version } = JSON.parse(read('package.json')) as { readonly version: string };
const headings: readonly string[] = read('CHANGELOG.md').match(/^## .*$/gm) ?? [];

describe('a release', () => {
  test('is the newest of the changelog, below what is not released', () => {
    const released = headings.filter((heading) => heading !== '## Unreleased');
    assert.match(released[0] ?? '', /^## \d+\.\d+\.\d+ – \d{4}-\d{2}-\d{2}$/);
    assert.equal(released[0]?.split(' ')[1], version);
    assert.ok(headings.indexOf('## Unreleased') <= 0, 'what is not released stands first');
  });

  test('has one version in the lockfile, in the docs that install it and by the program', () => {
    const lock = JSON.parse(read('package-lock.json')) as { readonly packages: Record<string, { version?: string }> };
    assert.equal(lock.packages['']?.version, version);
    for (const page of ['docs/installing.md', 'docs/deploy/README.md', 'docs/deploy/docker/compose.yaml']) {
      const named = Array.from(read(page).matchAll(/heronry[:@-](\d+\.\d+\.\d+)/g), ([, found]) => found);
      assert.ok(named.includes(version), `${page} names ${version}`);
    }
    const told = execFileSync(process.execPath, [join(top, 'src', 'heronry.cjs'), '--version'], { encoding: 'utf8' });
    assert.equal(told.trim(), version);
  });
});
