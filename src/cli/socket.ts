import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Terminal } from './terminal.ts';

/**
 * Where the daemon is expected to listen: `--socket`, else HERONRY_SOCKET, else what the heronry.yaml in the present
 * folder says, else the place it takes by default.
 */
export async function socketPath(terminal: Terminal, option: string | undefined): Promise<string> {
  const { cwd, env } = terminal;
  const named = option ?? env['HERONRY_SOCKET'];
  if (named !== undefined) return absolute(cwd, named);
  const { defaultSocketPath } = await import('../control/socket-path.ts');
  const { socket, data } = await configuredPlaces(terminal);
  if (socket !== undefined) return absolute(cwd, socket);
  return defaultSocketPath(env, data === undefined ? undefined : resolve(cwd, data));
}

/** What can be read of a file with problems is enough here: it is the daemon's to refuse. */
async function configuredPlaces({ cwd }: Terminal): Promise<{ readonly socket?: string; readonly data?: string }> {
  const file = resolve(cwd, 'heronry.yaml');
  if (!existsSync(file)) return {};
  const [{ maxFileBytes, readRegularFile }, { readYaml }] = await Promise.all([
    import('../definition/regular-file.ts'),
    import('../definition/yaml.ts'),
  ]);
  const read = await readRegularFile(file, maxFileBytes);
  const yaml = read.ok ? readYaml(read.bytes.toString('utf8'), file) : undefined;
  const { socket, data } = yaml?.ok && isObject(yaml.value) ? yaml.value : {};
  return { data: typeof data === 'string' ? data : 'data', ...(typeof socket === 'string' && { socket }) };
}

function isObject(value: unknown): value is { readonly socket?: unknown; readonly data?: unknown } {
  return typeof value === 'object' && value !== null;
}

function absolute(cwd: string, path: string): string {
  // A named pipe of Windows is no file.
  return path.startsWith('\\\\') ? path : resolve(cwd, path);
}
