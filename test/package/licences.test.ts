import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { licencesPage } from './licences.ts';
import { nameOf, productionPackages, readJson, repository } from './production.ts';

/** Licences that ask for no more than to be named, and are known to go with Apache-2.0. */
const allowed: ReadonlySet<string> = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'MIT',
  'MIT-0',
  'Unlicense',
]);

const packages = productionPackages();

describe('the packages that are installed with Heronry', () => {
  test('are all listed with their licences in docs/licences.md: `node test/package/licences.ts > docs/licences.md`', () => {
    assert.equal(readFileSync(join(repository, 'docs', 'licences.md'), 'utf8'), licencesPage(packages));
  });

  test('have licences that are allowed', () => {
    const refused = packages.filter(({ license = '' }) => !allowed.has(license));
    assert.deepEqual(refused.map(nameOf), []);
  });

  test('are those that package.json names, and what these need', () => {
    type Ranges = Readonly<Record<string, string>>;
    const manifest = readJson('package.json') as Readonly<Record<'dependencies' | 'optionalDependencies', Ranges>>;
    const listed = new Set(packages.map(nameOf));
    const wanted = Object.entries({ ...manifest.dependencies, ...manifest.optionalDependencies });
    assert.deepEqual(
      wanted.filter(([name, version]) => !listed.has(nameOf({ name, version }))),
      [],
    );
  });

  test('say of themselves what the list says of them', () => {
    const installed = packages.filter(({ folder }) => existsSync(join(repository, folder)));
    assert.deepEqual(
      packages.filter(({ isOptional, folder }) => !isOptional && !existsSync(join(repository, folder))).map(nameOf),
      [],
    );
    for (const { folder, name, version, license } of installed) {
      const own = Object(readJson(join(folder, 'package.json')));
      assert.deepEqual([own['name'], own['version'], own['license']], [name, version, license]);
    }
  });

  test('are the components of the bill of materials', () => {
    const { stdout, stderr, status } = spawnSync(process.execPath, [join(import.meta.dirname, 'sbom.ts')], {
      encoding: 'utf8',
      maxBuffer: 2 ** 26,
    });
    assert.equal(status, 0, stderr);
    const { bomFormat, metadata, components } = JSON.parse(stdout);
    assert.deepEqual([bomFormat, metadata.component.name], ['CycloneDX', 'heronry']);
    const named: string[] = components.map((each: { readonly name: string; readonly version: string }) => nameOf(each));
    assert.deepEqual(named.toSorted(), packages.map(nameOf).toSorted());
  });
});
