import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

/** A file that browsers load, as it is sent. */
export interface Asset {
  readonly type: string;
  readonly body: Buffer;
  readonly gzipped: Buffer;
  /** Changes with the content: an address that has it may be kept for ever. */
  readonly digest: string;
}

const own = join(import.meta.dirname, '..', 'browser');
const { resolve } = createRequire(import.meta.url);

/** The parts of the style sheet, in their order: later rules override earlier ones. */
const styles = ['page', 'tables', 'actions', 'drawings', 'phone'].map((name) => join(own, 'style', `${name}.css`));

const [css, javascript, svg] = ['text/css; charset=utf-8', 'text/javascript; charset=utf-8', 'image/svg+xml'] as const;

/** The files by their names, and the files that each is made of. */
const files: Readonly<Record<string, { readonly type: string; readonly paths: () => readonly string[] }>> = {
  'style.css': { type: css, paths: () => styles },
  'icon.svg': { type: svg, paths: () => [join(own, 'icon.svg')] },
  'heron.svg': { type: svg, paths: () => [join(own, 'heron.svg')] },
  'login.js': script('login.js'),
  'live.js': script('live.js'),
  'events.js': script('events.js'),
  'chart.js': script('chart.js'),
  'idiomorph.js': { type: javascript, paths: () => [resolve('idiomorph/dist/idiomorph.min.js')] },
  'uplot.js': { type: javascript, paths: () => [resolve('uplot/dist/uPlot.iife.min.js')] },
  'uplot.css': { type: css, paths: () => [resolve('uplot/dist/uPlot.min.css')] },
};

function script(name: string) {
  return { type: javascript, paths: () => [join(own, name)] };
}

const loaded = new Map<string, Asset>();

/** Finds a file by its name. Returns nothing for any other name. It is read from the disk once. */
export function findAsset(name: string): Asset | undefined {
  const found = loaded.get(name);
  if (found !== undefined) return found;
  const file = Object.hasOwn(files, name) ? files[name] : undefined;
  if (file === undefined) return undefined;
  const body = Buffer.concat(file.paths().map((path) => readFileSync(path)));
  const asset: Asset = {
    type: file.type,
    body,
    gzipped: gzipSync(body, { level: 9 }),
    digest: createHash('sha256').update(body).digest('base64url').slice(0, 12),
  };
  loaded.set(name, asset);
  return asset;
}

/** Returns the address of a file, relative to the dashboard; it names the content, so that browsers load a new version. */
export function assetPath(name: string): string {
  const asset = findAsset(name);
  if (asset === undefined) throw new Error(`no asset "${name}"`);
  return `assets/${name}?${asset.digest}`;
}
