import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { test } from 'node:test';

const top = join(import.meta.dirname, '..');

/**
 * Where each part may import from, besides itself, `src/actor` and `src/clock.ts` (which `src/actor` alone may import in turn);
 * `type` means its types only. Read it as the architecture.
 */
const mayImport: Record<string, readonly string[]> = {
  'src/daemon': [
    'supervisors',
    'workers',
    ...[
      'control',
      'control/handlers',
      'definition',
      'extract',
      'fetch',
      'frontier',
      'plugin',
      'provider',
      'schedule',
      'scrape',
      'session',
      'store',
    ].map((part) => `src/${part}`),
    'type src/engine',
    'src/log.ts',
  ],
  'src/daemon.ts': ['src/daemon', 'src/control', 'src/definition', 'src/session', 'src/log.ts'],
  supervisors: ['workers', 'type src/definition'],
  workers: [
    'type supervisors',
    'type src/session',
    ...['control', 'definition', 'engine', 'extract', 'fetch', 'plugin', 'provider', 'schedule', 'scrape', 'store'].map(
      (part) => `src/${part}`,
    ),
  ],
  'src/cli': [
    'src/control',
    'src/daemon.ts',
    'src/definition',
    'src/demo',
    'src/draft',
    'src/extract',
    'src/plugin',
    'src/provider',
    'type src/fetch',
  ],
  'src/demo': ['src/control'],
  'src/draft': ['src/extract'],
  'src/control/handlers': [
    'src/control',
    'src/definition',
    'src/schedule',
    'src/store',
    'type src/scrape',
    'type workers',
  ],
  'src/control': ['src/definition', 'type src/extract', 'type src/store'],
  'src/engine': ['src/fetch', 'src/extract', 'type src/provider', 'src/definition'],
  'src/scrape': [
    'src/provider',
    'src/frontier',
    'src/schedule',
    'src/fetch',
    'type src/engine',
    'type src/extract',
    'type src/store',
    'type src/definition',
  ],
  'src/provider/suite.ts': ['src/plugin', 'src/definition', 'type src/provider'],
  'src/provider': ['src/extract', 'src/definition', 'src/frontier', 'type src/fetch'],
  'src/plugin': ['src/extract', 'src/definition', 'src/provider', 'type src/fetch'],
  'src/session': ['src/definition', 'src/extract'],
  'src/store': ['src/schedule', 'type src/definition', 'type src/extract', 'type src/fetch', 'type src/frontier'],
  'src/extract': ['type src/fetch'],
  'src/schedule': [],
  'src/frontier': [],
  'src/fetch': [],
  'src/definition': ['src/extract', 'src/schedule'],
  'src/log.ts': [],
  'src/actor': [],
  'src/clock.ts': ['src/timer-heap.ts'],
  'src/timer-heap.ts': [],
};

/** Command-line files that are clients like any other: they see the control plane only, and load more lazily. */
const lazyOnly = [
  'src/daemon.ts',
  'src/definition',
  'src/demo',
  'src/draft',
  'src/extract',
  'src/plugin',
  'src/provider',
  'src/fetch',
];

interface Import {
  readonly file: string;
  readonly target: string;
  readonly kind: 'type' | 'value' | 'lazy';
}

function importsOf(file: string): Import[] {
  const text = readFileSync(join(top, file), 'utf8');
  const found = text.matchAll(/^(?:import|export)\s+(type\s+)?[^;]*?from\s+'(\.[^']+)'|import\('(\.[^']+)'\)/gm);
  return Array.from(found, ([, type, specifier, lazy]) => ({
    file,
    target: relative(top, join(top, dirname(file), specifier ?? lazy ?? '')),
    kind: lazy !== undefined ? 'lazy' : type !== undefined ? 'type' : 'value',
  }));
}

function partOf(file: string): string | undefined {
  return Object.keys(mayImport).find((part) => file === part || file.startsWith(`${part}/`));
}

function isAllowed({ file, target, kind }: Import): boolean {
  const [from, to] = [partOf(file), partOf(target)];
  if (from === undefined || to === undefined) return false;
  if (from === to || to === 'src/clock.ts' || (to === 'src/actor' && from !== 'src/clock.ts')) return true;
  if (from === 'src/cli' && kind === 'value' && lazyOnly.includes(to)) return false;
  const allowed = mayImport[from] ?? [];
  return allowed.includes(to) || (kind === 'type' && allowed.includes(`type ${to}`));
}

const files = globSync(['src/**/*.ts', 'supervisors/**/*.ts', 'workers/**/*.ts'], { cwd: top });

test('values are imported downwards only', () => {
  assert.ok(files.length > 30);
  const refused = files.flatMap(importsOf).filter((each) => !isAllowed(each));
  assert.deepEqual(
    refused.map(({ file, target, kind }) => `${file} → ${target} (${kind})`),
    [],
  );
});

test('no file of the program is longer than 250 lines', () => {
  const long = files.filter((file) => readFileSync(join(top, file), 'utf8').split('\n').length > 251);
  assert.deepEqual(long, []);
});
