import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { test } from 'node:test';

const top = join(import.meta.dirname, '..');

/**
 * Where each part may import from, besides itself, `src/defined.ts`, `src/time-text.ts`, `src/is-alive.ts`, `src/make-folder.ts`, `src/own-package.ts`, `src/actor` and `src/clock.ts` (which `src/actor` alone may import in turn);
 * `type` means its types only. Read it as the architecture.
 */
const mayImport: Record<string, readonly string[]> = {
  'src/daemon': [
    'type src/schema',
    'supervisors',
    'workers',
    ...[
      'control',
      'control/handlers',
      'definition',
      'diagnosis',
      'delivery',
      'extract',
      'fetch',
      'frontier',
      'plugin',
      'provider',
      'publish',
      'request',
      'figures',
      'schedule',
      'scrape',
      'reextraction',
      'pipeline',
      'export',
      'session',
      'store',
      'telemetry',
      'vault',
    ].map((part) => `src/${part}`),
    'src/engine',
    'src/load-peer.ts',
    'src/process',
    'type src/event',
    'type src/view',
    'type src/http',
    'src/log.ts',
  ],
  'src/daemon.ts': [
    'src/daemon',
    'src/control',
    'src/definition',
    'src/load-peer.ts',
    'src/session',
    'src/telemetry',
    'src/log.ts',
    'type src/engine',
  ],
  'src/api.ts': ['src/daemon', 'src/http', 'src/log.ts'],
  'src/alone.process.ts': ['src/worker-engine.ts', 'supervisors', 'src/engine'],
  'src/worker-engine.ts': ['src/fetch', 'src/extract', 'src/plugin', 'workers', 'type supervisors', 'type src/engine'],
  'src/worker.ts': [
    'src/daemon',
    'src/session',
    'src/worker-engine.ts',
    'src/load-peer.ts',
    'src/log.ts',
    'supervisors',
    'workers',
    'src/engine',
  ],
  supervisors: ['workers', 'type src/definition'],
  workers: [
    'src/health',
    'type src/pipeline',
    'src/reextraction',
    'type src/view',
    'type src/figures',
    'type src/session',
    ...[
      'control',
      'definition',
      'delivery',
      'diagnosis',
      'engine',
      'extract',
      'fetch',
      'http',
      'draft',
      'picker',
      'plugin',
      'publish',
      'repair',
      'request',
      'schedule',
      'scrape',
      'store',
    ].map((part) => `src/${part}`),
    'type src/provider',
    'type src/schema',
  ],
  'src/cli': [
    'src/control',
    'src/api.ts',
    'src/daemon.ts',
    'src/worker.ts',
    'src/definition',
    'src/demo',
    'src/draft',
    'src/drill',
    'src/export',
    'src/extract',
    'src/figures',
    'src/import',
    'src/load-peer.ts',
    'src/mcp',
    'src/plugin',
    'src/practice',
    'src/provider',
    'src/schedule',
    'src/schema',
    'src/session',
    'src/vault',
    'type src/event',
    'type src/fetch',
    'src/view',
  ],
  'src/demo': ['src/control', 'src/process', 'type src/event'],
  'src/practice': [],
  'src/draft': ['src/extract', 'src/definition'],
  'src/import': ['src/extract', 'src/definition', 'src/schedule', 'src/schema'],
  'src/control/handlers': [
    'type src/diagnosis',
    'type src/engine',
    'type src/metric',
    'src/control',
    'src/definition',
    'src/schedule',
    'src/schema',
    'src/reextraction',
    'src/pipeline',
    'src/store',
    'src/event',
    'type src/vault',
    'type src/provider',
    'type src/publish',
    'type src/scrape',
    'type src/fetch',
    'src/view',
  ],
  'src/control': [
    'src/metric',
    'src/definition',
    'src/schedule',
    'src/schema',
    'src/view',
    'src/event',
    'type src/extract',
    'type src/store',
  ],
  'src/http': ['src/control', 'src/dashboard', 'src/schema', 'src/export', 'src/view', 'type src/event'],
  'src/dashboard': ['type src/control', 'src/extract', 'src/view'],
  'src/mcp': ['src/control', 'src/schema'],
  'src/engine': [
    'src/work-budget.ts',
    'src/load-peer.ts',
    'src/fetch',
    'src/extract',
    'src/session',
    'type src/log.ts',
    'type src/provider',
    'src/definition',
  ],
  'src/telemetry': [
    'src/load-peer.ts',
    'src/control',
    'src/definition',
    'src/store',
    'src/view',
    ...['engine', 'extract', 'fetch', 'plugin', 'request', 'scrape'].map((part) => `type src/${part}`),
  ],
  'src/request': [
    ...['definition', 'engine', 'extract', 'fetch', 'plugin', 'provider', 'schedule', 'session'].map(
      (part) => `src/${part}`,
    ),
    'type src/view',
  ],
  'src/scrape': [
    'src/request',
    'src/provider',
    'src/frontier',
    'src/schedule',
    'src/fetch',
    'src/plugin',
    'src/definition',
    'src/extract',
    'src/health',
    'src/store',
    'src/vault',
    'type src/engine',
    'type src/event',
    'type src/view',
    'type src/log.ts',
  ],
  'src/provider': ['src/extract', 'src/definition', 'src/frontier', 'type src/fetch', 'type src/view'],
  'src/plugin': [
    'src/extract',
    'src/definition',
    'src/provider',
    'src/schema',
    'src/session',
    'type src/engine',
    'type src/fetch',
    'type src/log.ts',
    'type src/view',
  ],
  'src/session': ['src/definition', 'src/extract', 'src/schema'],
  'src/store': [
    'type src/metric',
    'src/health',
    'src/schedule',
    'type src/definition',
    'src/event',
    'type src/extract',
    'type src/fetch',
    'type src/frontier',
    'type src/publish',
    'type src/schema',
    'src/view',
  ],
  'src/delivery': [
    'src/event',
    'src/fetch',
    'src/publish',
    'src/schedule',
    'src/store',
    'src/definition',
    'src/schema',
    'type src/extract',
    'type src/view',
  ],
  'src/event': ['src/schema', 'src/view'],
  'src/publish': [
    'src/load-peer.ts',
    'src/event',
    'src/export',
    'src/expression',
    'src/fetch',
    'src/schema',
    'type src/extract',
    'src/view',
  ],
  'src/export': ['src/fetch', 'src/load-peer.ts', 'type src/event', 'type src/extract', 'src/view'],
  'src/vault': ['src/store', 'src/extract', 'src/view', 'type src/fetch'],
  'src/pipeline': ['src/definition', 'src/export', 'src/schedule', 'src/store', 'type src/view'],
  'src/reextraction': [
    'src/health',
    'src/definition',
    'src/provider',
    'src/schedule',
    'src/scrape',
    'src/store',
    'type src/extract',
    'type src/fetch',
    'src/vault',
    'type src/view',
  ],
  'src/health': ['src/view', 'type src/extract'],
  'src/diagnosis': [
    'src/definition',
    'src/extract',
    'src/fetch',
    'src/health',
    'src/provider',
    'src/reextraction',
    'src/store',
    'src/vault',
    'src/work-budget.ts',
    'src/view',
  ],
  'src/drill': [
    ...[
      'definition',
      'diagnosis',
      'engine',
      'extract',
      'fetch',
      'frontier',
      'health',
      'provider',
      'request',
      'scrape',
      'store',
      'vault',
      'view',
    ].map((part) => `src/${part}`),
    'type src/plugin',
    'type src/schedule',
  ],
  'src/picker': ['src/extract', 'src/repair', 'src/view', 'src/work-budget.ts'],
  'src/repair': ['src/extract', 'src/view', 'src/work-budget.ts'],
  'src/view': ['src/schema'],
  'src/extract': ['src/work-budget.ts', 'src/schema', 'type src/fetch', 'type src/view'],
  'src/schedule': ['src/schema'],
  'src/schema': [],
  'src/frontier': [],
  'src/fetch': [],
  'src/definition': [
    'src/event',
    'src/expression',
    'src/extract',
    'src/metric',
    'src/publish',
    'src/schedule',
    'src/schema',
    'type src/export',
    'type src/health',
    'type src/view',
  ],
  'src/figures': ['src/definition', 'src/metric', 'src/store', 'src/event', 'src/expression', 'src/view'],
  'src/metric': ['src/expression', 'src/schema', 'type src/extract'],
  'src/expression': ['src/extract', 'src/schedule', 'src/schema', 'type src/health'],
  'src/load-peer.ts': [],
  'src/log.ts': [],
  'src/actor': [],
  'src/clock.ts': ['src/timer-heap.ts'],
  'src/defined.ts': [],
  'src/time-text.ts': [],
  'src/is-alive.ts': [],
  'src/process': [],
  'src/make-folder.ts': [],
  'src/own-package.ts': [],
  'src/work-budget.ts': [],
  'src/timer-heap.ts': [],
};

/** Command-line files that are clients like any other: they see the control plane only, and load more lazily. */
const lazyOnly = [
  'src/figures',
  'src/api.ts',
  'src/daemon.ts',
  'src/definition',
  'src/demo',
  'src/draft',
  'src/drill',
  'src/extract',
  'src/import',
  'src/mcp',
  'src/plugin',
  'src/practice',
  'src/provider',
  'src/schedule',
  'src/schema',
  'src/fetch',
  'src/vault',
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
  if (
    from === to ||
    to === 'src/clock.ts' ||
    to === 'src/defined.ts' ||
    to === 'src/time-text.ts' ||
    to === 'src/is-alive.ts' ||
    to === 'src/make-folder.ts' ||
    to === 'src/own-package.ts' ||
    (to === 'src/actor' && from !== 'src/clock.ts')
  )
    return true;
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

/** The folder of a file; a file that stands in `src` itself is one by itself. */
function folderOf(file: string): string {
  return dirname(file) === 'src' ? file : dirname(file);
}

test('no folder, nor one within another, imports from one that imports from it, by whatever way round, not even types', () => {
  const imports = files.flatMap(importsOf).filter(({ kind }) => kind !== 'lazy');
  const arrows = Map.groupBy(imports, ({ file }) => folderOf(file));
  const reached = (from: string, seen = new Set<string>()): Set<string> => {
    for (const { target } of arrows.get(from) ?? []) {
      const to = folderOf(target);
      if (to === from || seen.has(to)) continue;
      seen.add(to);
      reached(to, seen);
    }
    return seen;
  };
  assert.ok(reached('workers').has('src/schema'));
  assert.deepEqual(
    [...arrows.keys()].filter((folder) => reached(folder).has(folder)),
    [],
  );
});

/** What the program may import of the kernel; its other files reach behind addresses. */
const kernelFace = [
  'types',
  'errors',
  'registry',
  'report',
  'supervisor',
  'dynamic-supervisor',
  'management',
  'system',
].map((name) => `src/actor/${name}.ts`);

test('only the face of the kernel is imported by others', () => {
  const inside = files
    .filter((file) => partOf(file) !== 'src/actor')
    .flatMap(importsOf)
    .filter(({ target }) => partOf(target) === 'src/actor' && !kernelFace.includes(target));
  assert.deepEqual(
    inside.map(({ file, target }) => `${file} → ${target}`),
    [],
  );
});

/** The arguments of each call in a text that asks an actor. */
function questionsIn(text: string): string[] {
  return Array.from(text.matchAll(/\.ask(?:<[^;(]*>)?\(/g), ({ 0: { length }, index }) => {
    const from = index + length;
    let open = 1;
    let to = from;
    for (; open > 0 && to < text.length; to += 1) open += Number(text[to] === '(') - Number(text[to] === ')');
    return text.slice(from, to - 1).trim();
  }).filter((given) => /\breply\b|^question\b/.test(given));
}

test('no question to an actor has a time limit, as a busy machine would reach it', () => {
  const asking = files
    .filter((file) => !file.startsWith('src/actor/address') && !file.startsWith('src/actor/registry'))
    .flatMap((file) => questionsIn(readFileSync(join(top, file), 'utf8')).map((given) => ({ file, given })));
  assert.ok(asking.length > 15);
  const limited = asking.filter(({ given }) => !/,\s*Infinity,?$/.test(given));
  assert.deepEqual(
    limited.map(({ file, given }) => `${file}: ${given}`),
    [],
  );
});

test('no file of the program is longer than 400 lines', () => {
  const long = files.filter((file) => readFileSync(join(top, file), 'utf8').split('\n').length > 401);
  assert.deepEqual(long, []);
});
