import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { type Archive, openArchive } from '../../src/import/archive.ts';
import { importChangedetection } from '../../src/import/changedetection/translate.ts';
import type { Imported } from '../../src/import/imported.ts';
import type { TestContext } from 'node:test';
import { parse } from 'yaml';
import { temporaryDirectory } from '../control/daemon.ts';
import { writeZip, type ZipEntry } from './zip.ts';

/** The id of the watch or group of this number. */
export function uuid(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
}

/** The settings of a fresh installation of changedetection.io, with some of its own. */
export function settings(application: object = {}, requests: object = {}): string {
  return JSON.stringify({
    note: 'Hello!',
    settings: {
      headers: {},
      requests: {
        extra_proxies: [],
        time_between_check: { weeks: null, days: null, hours: 3, minutes: null, seconds: null },
        ...requests,
      },
      application: { fetch_backend: 'html_requests', notification_urls: [], schema_version: 30, ...application },
    },
  });
}

/** A watch as it stands in `watch.json`, all settings as they are by default but for some. */
export function watchOf(own: object): object {
  return {
    body: null,
    browser_steps: [],
    conditions: [],
    conditions_match_logic: 'ALL',
    'content-type': 'text/html; charset=utf-8',
    date_created: 1_700_000_000,
    extract_text: [],
    fetch_backend: 'system',
    filter_text_added: true,
    filter_text_removed: true,
    filter_text_replaced: true,
    headers: {},
    ignore_text: [],
    include_filters: [],
    last_checked: 1_700_000_000,
    method: 'GET',
    notification_muted: false,
    notification_urls: [],
    page_title: null,
    paused: false,
    previous_md5: 'abc',
    processor: 'text_json_diff',
    proxy: null,
    subtractive_selectors: [],
    tags: [],
    text_should_not_be_present: [],
    time_between_check: { weeks: null, days: null, hours: null, minutes: null, seconds: null },
    time_between_check_use_default: true,
    time_schedule_limit: { enabled: false },
    title: null,
    trigger_text: [],
    ...own,
  };
}

/** Text as changedetection.io keeps a long snapshot. */
export const brotli = (text: string): Uint8Array => brotliCompressSync(Buffer.from(text));

type Entries = readonly (readonly [string, ZipEntry])[];

/** Opens an archive of these entries. */
export async function archiveOf(t: TestContext, entries: Entries): Promise<Archive> {
  const archive = await openArchive(await writeZip(join(await temporaryDirectory(t), 'backup.zip'), entries));
  t.after(() => archive.close());
  return archive;
}

/** Translates a backup of these entries. */
export async function importOf(t: TestContext, entries: Entries): Promise<Imported> {
  return importChangedetection(await archiveOf(t, entries));
}

/** Translates a backup of one watch, of settings of its own and of these files beside it. */
export function importWatch(
  t: TestContext,
  own: object,
  application: object = {},
  beside: Entries = [],
): Promise<Imported> {
  const watch = watchOf({ url: 'https://shop.example/terms', title: 'Terms', ...own });
  return importOf(t, [
    ['changedetection.json', settings(application)],
    [`${uuid(1)}/watch.json`, JSON.stringify(watch)],
    ...beside,
  ]);
}

/** The content of the file of an import at a path. */
export function contentOf(imported: Imported, path: string): unknown {
  const text = imported.files.find((file) => file.path === path)?.text;
  return text === undefined ? undefined : (parse(text) as unknown);
}

/** What was not taken, each as one line. */
export function notesOf({ notes }: Imported): string[] {
  return notes.map(({ watch, what, why }) => `${watch}: ${what}: ${why}`);
}
