import * as z from 'zod';
import { defined } from '../../defined.ts';
import { fileView, recordsOfFile, retryFiles } from '../../store/files.ts';
import type { FileRow } from '../../store/tables/files.ts';
import type { Handlers } from '../methods.ts';
import type { NamedFile } from '../methods/file.ts';
import { checkNames } from './find.ts';
import type { Ports } from './ports.ts';
import { createCursor, sliceOf } from './slices.ts';

const cursor = createCursor('after', z.object({ source: z.string(), url: z.string() }).strip());

/** Creates the handlers of the files that records name. */
export function fileHandlers(deps: Pick<Ports, 'store' | 'catalogue'>): Pick<Handlers, 'file.list' | 'file.retry'> {
  return {
    'file.list': ({ source, state, after, limit }) => {
      checkNames({ source }, deps);
      const rows = deps.store().files.rows(source, cursor.read(after));
      const isWanted = (row: FileRow): boolean => state === undefined || fileView(deps.store(), row).state === state;
      const { found, last } = sliceOf(rows, limit, isWanted);
      return { files: found.flatMap(viewOf), ...defined({ next: last && cursor.textOf(last) }) };
    },
    'file.retry': async ({ source, url }) => {
      checkNames({ source }, deps);
      return { files: await retryFiles(deps.store(), source, url) };
    },
  };

  function viewOf(row: FileRow): NamedFile[] {
    const [record] = recordsOfFile(deps.store(), row);
    if (record === undefined) return [];
    const { source, url } = row;
    return [{ source, url, type: record.type, key: record.key, ...fileView(deps.store(), row) }];
  }
}
