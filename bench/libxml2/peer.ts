import { execFile, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { productFields } from '../pages.ts';

/** Reads product pages in C. */
export interface Libxml2 {
  /** Pages per second of its own CPU, over about `forMs`. */
  measure(html: string, forMs: number): Promise<number>;
}

const run = promisify(execFile);

/** Builds the program into a folder; nothing where there is no C compiler or no header of libxml2. */
export function buildLibxml2(folder: string): Libxml2 | undefined {
  const flags = spawnSync('xml2-config', ['--cflags', '--libs'], { encoding: 'utf8' });
  if (flags.status !== 0) return undefined;
  const program = join(folder, 'read');
  const source = join(import.meta.dirname, 'read.c');
  const built = spawnSync('cc', ['-O2', '-o', program, source, ...flags.stdout.trim().split(/\s+/)]);
  if (built.status !== 0) return undefined;
  return {
    async measure(html, forMs) {
      const page = join(folder, 'page.html');
      writeFileSync(page, html);
      const { stdout } = await run(program, [page, String(forMs), String(Object.keys(productFields).length)]);
      return Number(stdout);
    },
  };
}
