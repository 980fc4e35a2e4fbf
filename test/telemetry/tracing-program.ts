import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { registerHooks } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Runs a daemon: `off`, one that traces nothing, and tells which packages of traces were loaded; `lacking`, one that traces, where such a
 * package is not installed, and tells its exit status.
 */
const isLacking = process.argv[2] === 'lacking';
const loaded = new Set<string>();

registerHooks({
  resolve(specifier, context, next) {
    if (isLacking && specifier === '@opentelemetry/sdk-trace')
      throw Object.assign(new Error(`no package ${specifier}`), { code: 'ERR_MODULE_NOT_FOUND' });
    if (specifier.startsWith('@opentelemetry/')) loaded.add(specifier);
    return next(specifier, context);
  },
});

const { runDaemon } = await import('../../src/daemon.ts');
const folder = await mkdtemp(join(tmpdir(), 'heronry-'));
await mkdir(join(folder, 'sources'));
const config = join(folder, 'heronry.yaml');
await writeFile(
  config,
  `data: data\nsocket: ${join(folder, 's')}\nthreads: 1\nlog: { level: silent }\n${isLacking ? 'tracing: { endpoint: "http://127.0.0.1:9" }\n' : ''}`,
);
const status = await runDaemon({ config, listens: () => process.kill(process.pid, 'SIGTERM') });
await rm(folder, { recursive: true, force: true });
process.stdout.write(isLacking ? `status: ${status}\n` : `loaded: ${[...loaded].join(' ')}\n`);
