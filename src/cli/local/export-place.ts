import { resolve } from 'node:path';
import { defined } from '../../defined.ts';
import type { Destination } from '../../export/destination.ts';
import { openFolder } from '../../export/folder.ts';
import type { S3Credentials } from '../../export/s3.ts';
import { CommandError } from '../exit-status.ts';
import { projectFolder } from '../project-folder.ts';
import type { Terminal } from '../terminal.ts';
import { configured } from './definitions.ts';

/** The options that name the destination of an export. */
export interface PlaceOptions {
  readonly to: string;
  readonly endpoint?: string;
  readonly region?: string;
  readonly allowPrivate?: boolean;
}

/** Opens the folder or the bucket of an export. Rejects with a `CommandError` if credentials are missing, and as `openFolder` and `openS3` do. */
export async function openPlace(terminal: Terminal, options: PlaceOptions): Promise<Destination> {
  const { to, endpoint, region, allowPrivate = false } = options;
  if (!to.startsWith('s3://')) return openFolder(resolve(terminal.cwd, to));
  const { env } = terminal;
  const { openS3 } = await import('../../export/s3.ts');
  return openS3({
    address: to,
    credentials: await credentialsOf(terminal),
    region: region ?? firstSet(env['AWS_REGION'], env['AWS_DEFAULT_REGION']) ?? 'us-east-1',
    endpoint: endpoint ?? firstSet(env['AWS_ENDPOINT_URL_S3'], env['AWS_ENDPOINT_URL']),
    allowPrivate,
  });
}

const names = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'] as const;

/** Finds credentials in the environment as the tools of S3 do, else among the secrets of the nearest heronry.yaml. */
async function credentialsOf(terminal: Terminal): Promise<S3Credentials> {
  const { env, cwd } = terminal;
  const [accessKeyId, secretAccessKey] = names.map((name) => firstSet(env[name]));
  const sessionToken = firstSet(env['AWS_SESSION_TOKEN']);
  if (accessKeyId !== undefined && secretAccessKey !== undefined)
    return { accessKeyId, secretAccessKey, ...defined({ sessionToken }) };
  const { secretsFrom } = await import('../../session/secret-store.ts');
  const folder = projectFolder(cwd) ?? cwd;
  const daemon = await configured(folder);
  const file = daemon?.secrets && resolve(folder, daemon.secrets);
  const found = await secretsFrom({ environment: env, ...defined({ file }) })(names);
  if (!found.ok)
    throw new CommandError(
      'usage',
      `--to: expected ${names.join(' and ')} in the environment, or secrets of these names`,
    );
  const [key, secret] = names.map((name) => found.secrets.get(name)?.reveal() ?? '');
  return { accessKeyId: key ?? '', secretAccessKey: secret ?? '' };
}

function firstSet(...texts: readonly (string | undefined)[]): string | undefined {
  return texts.find((text) => text !== undefined && text !== '');
}
