import { spawnSync } from 'node:child_process';
import { copyFileSync, globSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Builds `dist`, which the published package has in place of the sources: the modules as JavaScript, the files that they read
 * beside them, and declarations of what plug-ins import. `npm pack` runs it. The exit status is 1 where types do not fit.
 */
const top = join(import.meta.dirname, '..', '..');
const built = join(top, 'dist');

/** What `exports` of package.json names, without its ending. */
const entries = ['src/provider/define', 'src/plugin/suite'];

/** Adds a declaration, and those that it imports, to the ones that are kept. */
function keep(file: string, kept: Set<string>): void {
  if (kept.has(file)) return;
  kept.add(file);
  const text = readFileSync(join(built, file), 'utf8');
  for (const [, specifier = ''] of text.matchAll(/(?:from |import\()["'](\.[^"']+)\.ts["']/g))
    keep(join(dirname(file), `${specifier}.d.ts`), kept);
}

rmSync(built, { recursive: true, force: true });
const { status } = spawnSync('tsc', ['-p', 'tsconfig.build.json'], { cwd: top, stdio: 'inherit' });
if (status !== 0) process.exit(1);

const kept = new Set<string>();
for (const entry of entries) keep(`${entry}.d.ts`, kept);
for (const file of globSync('**/*.d.ts', { cwd: built })) if (!kept.has(file)) rmSync(join(built, file));

const assets = globSync('src/**/*.{css,js,svg,yaml}', { cwd: top });
for (const file of assets) {
  mkdirSync(dirname(join(built, file)), { recursive: true });
  copyFileSync(join(top, file), join(built, file));
}
