import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { ownVersion } from '../../own-package.ts';

/** The folder of the files that `init` writes. */
const initialFolder = new URL('../initial/', import.meta.url);

/** The definitions that `init` writes: a valid configuration, source, saved page and project to begin with. */
export const definitionFiles: readonly string[] = [
  'heronry.yaml',
  'sources/example.yaml',
  'projects.yaml',
  'fixtures/example/solar.html',
  'fixtures/example/solar.expected.json',
];

/** The files of the project around them, and the files that they are copies of; package.json is made. */
const projectSources: Readonly<Record<string, string | undefined>> = {
  'package.json': undefined,
  // npm takes a .gitignore in a package for rules on what is packed.
  '.gitignore': 'gitignore',
  '.github/workflows/heronry.yaml': 'workflow.yaml',
};

/** The files of the project around the definitions. */
export const projectFiles: readonly string[] = Object.keys(projectSources);

/** Resolves with the content of a file that `init` writes. */
export async function initialContent(name: string): Promise<string> {
  if (name === 'package.json') return packageText();
  return readFile(new URL(projectSources[name] ?? name, initialFolder), 'utf8');
}

/** The commands that package.json gives a name. */
const scripts = { start: 'heronry start', test: 'heronry test', validate: 'heronry validate' };

/** Resolves with the command that adds our scripts to a package.json which lacks some of them; nothing where it has them all, or cannot be read. */
export async function scriptsCommand(folder: string): Promise<string | undefined> {
  const own = await readFile(join(folder, 'package.json'), 'utf8')
    .then(scriptsIn)
    .catch(() => scripts);
  const missing = Object.entries(scripts).filter(([name]) => !Object.hasOwn(own, name));
  return missing.length === 0
    ? undefined
    : `npm pkg set ${missing.map(([name, command]) => `scripts.${name}="${command}"`).join(' ')}`;
}

function scriptsIn(text: string): object {
  return Object(Object(JSON.parse(text)).scripts);
}

function packageText(): string {
  const manifest = {
    private: true,
    // Which `npm sbom` asks for.
    version: '0.0.0',
    type: 'module',
    scripts,
    dependencies: { heronry: ownVersion() },
    // What they would compile comes along built.
    allowScripts: { lmdb: false, 'msgpackr-extract': false },
  };
  return `${JSON.stringify(manifest, undefined, 2)}\n`;
}

/** The line by which an editor knows the schema of a definition; empty where Heronry is not installed in the folder of the project. */
export function schemaLine(file: string, project: string): string {
  const schema = join(project, 'node_modules', 'heronry', 'dist', 'schema', 'source.json');
  const path = relative(dirname(file), schema).split(sep).join('/');
  return existsSync(schema) ? `# yaml-language-server: $schema=${path}\n` : '';
}
