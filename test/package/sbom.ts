import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { productionLock, readJson } from './production.ts';

/**
 * Prints the bill of materials of what is installed with Heronry, as CycloneDX, by `npm sbom` and the lockfile, without a network. npm is given a copy without
 * what only development needs: told to omit that, it also omits what development needs as well as production.
 */
const top = mkdtempSync(join(tmpdir(), 'heronry-sbom-'));
try {
  // npm takes the name of the folder for that of the package.
  const folder = join(top, 'heronry');
  mkdirSync(folder);
  const { devDependencies: _, ...manifest } = Object(readJson('package.json'));
  const { packages, ...lock } = productionLock();
  const { devDependencies: __, ...own } = Object(packages['']);
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify({ ...lock, packages: { ...packages, '': own } }));
  const words = ['sbom', '--package-lock-only', '--sbom-format=cyclonedx', '--sbom-type=application'];
  const { status, stdout, stderr } = spawnSync('npm', words, { cwd: folder, encoding: 'utf8', maxBuffer: 2 ** 26 });
  process.stdout.write(stdout);
  process.stderr.write(stderr);
  process.exitCode = status ?? 1;
} finally {
  rmSync(top, { recursive: true, force: true });
}
