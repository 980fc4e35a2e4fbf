import { spawnSync } from 'node:child_process';
import { copyFileSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { jsonSchema, schemaKinds } from '../../src/definition/json-schema.ts';

/**
 * Builds `dist`, which the published package has in place of the sources: the modules as JavaScript, the files that they read
 * beside them, the schemas of definitions, and declarations of what plug-ins import. `npm pack` runs it. The exit status is 1 where types do not fit.
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
const compiler = join(top, 'node_modules', 'typescript', 'bin', 'tsc');
const words = [compiler, '-p', 'tsconfig.build.json'];
const { status, error } = spawnSync(process.execPath, words, { cwd: top, stdio: 'inherit' });
if (error !== undefined) throw error;
if (status !== 0) process.exit(1);

const kept = new Set<string>();
for (const entry of entries) keep(`${entry}.d.ts`, kept);
for (const file of globSync('**/*.d.ts', { cwd: built })) if (!kept.has(file)) rmSync(join(built, file));

const beside = globSync('src/**/*', { cwd: top, withFileTypes: true })
  .filter((entry) => entry.isFile() && !/\.ts$|\.cjs$|^tsconfig\.json$/.test(entry.name))
  .map((entry) => relative(top, join(entry.parentPath, entry.name)));
for (const file of beside) {
  mkdirSync(dirname(join(built, file)), { recursive: true });
  copyFileSync(join(top, file), join(built, file));
}

// Named by the first line of definitions that `heronry init` writes.
mkdirSync(join(built, 'schema'));
for (const kind of schemaKinds)
  writeFileSync(join(built, 'schema', `${kind}.json`), `${JSON.stringify(jsonSchema(kind))}\n`);
