import type { ImportedFile, ImportedHistory, Imported, TakenWatch } from '../imported.ts';
import { type Archive, ArchiveError } from '../archive.ts';
import { Sinks } from '../apprise.ts';
import { addressText, Book } from '../book.ts';
import { historyParts } from '../history-parts.ts';
import { labelsOf } from '../labels.ts';
import { isBlank, readLenient } from '../lenient.ts';
import { proxyKey, requestKeys } from '../request.ts';
import { snapshotFilter, snapshotText } from '../snapshot.ts';
import { projectFile, projectOf, sourceFile, watchedType } from '../source-file.ts';
import { type Backup, readBackup } from './backup.ts';
import { browserKeys } from './browser.ts';
import { ruleKeys } from './conditions.ts';
import { mostSnapshots, type SnapshotPlace, snapshotAt, snapshotsOf } from './history.ts';
import { restockFields } from './restock.ts';
import { scheduleKeys } from './schedule.ts';
import { idleKeys, Tag, Watch } from './schema.ts';
import { textRule } from './text-rule.ts';

/** A watch whose history is read when it is asked for. */
interface Kept {
  readonly id: string;
  readonly url: string;
  readonly label: string;
  readonly places: readonly SnapshotPlace[];
  /** Makes the value of the field `text` of a snapshot. */
  readonly valueOf: (snapshot: string) => ImportedHistory['versions'][number]['fields'][string];
}

const tool = 'changedetection.io';

/** Translates a backup of changedetection.io. Rejects with an `ArchiveError` where it is none; a watch that cannot be taken is noted, and the others are. */
export async function importChangedetection(archive: Archive): Promise<Imported> {
  const backup = await readBackup(archive);
  const book = new Book();
  const sinks = new Sinks(book);
  for (const { path, why } of backup.broken) book.leave('all', `the file ${path}`, why);
  const files: ImportedFile[] = [];
  const projects: object[] = [];
  const watches: TakenWatch[] = [];
  const kept: Kept[] = [];
  for (const [uuid, given] of backup.watches) {
    const read = readLenient(Watch, given);
    if (read === undefined) {
      book.leave(uuid, 'the watch', 'it has no address, or is no mapping');
      continue;
    }
    const label = labelOf(read.value);
    for (const { key, why } of read.malformed) book.leave(label, key, why);
    const taken = await takeWatch(book, sinks, backup, archive, { uuid, label, watch: read.value });
    if (taken === undefined) continue;
    files.push(taken.file);
    if (taken.project !== undefined) projects.push(taken.project);
    if (taken.kept.places.length > 0) kept.push(taken.kept);
    watches.push({
      id: taken.kept.id,
      watch: label,
      isTracked: taken.project !== undefined,
      versions: taken.kept.places.length,
    });
  }
  const projectList = projectFile('changedetection', projects);
  return {
    watches,
    files: [...files, ...sinks.files, ...(projectList === undefined ? [] : [projectList])],
    secrets: book.secrets,
    notes: book.notes,
    histories: histories(book, archive, kept),
  };
}

function labelOf({ title, page_title: pageTitle, url }: Watch): string {
  const name = [title, pageTitle].find((each) => each !== null && each !== undefined && each.trim() !== '');
  return (name ?? addressText(url.replace(/^source:/, '')))
    .replaceAll(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, 100);
}

interface Given {
  readonly uuid: string;
  readonly label: string;
  readonly watch: Watch;
}

async function takeWatch(book: Book, sinks: Sinks, backup: Backup, archive: Archive, { uuid, label, watch }: Given) {
  const { application, requests } = backup;
  const isSource = watch.url.startsWith('source:');
  const processor = watch.processor ?? 'text_json_diff';
  const isRestock = processor === 'restock_diff';
  const refuse = (why: string): undefined => book.leave(label, 'the watch', why);
  if (!isRestock && processor !== 'text_json_diff')
    return refuse(`its processor is ${processor.slice(0, 40)}, which compares no texts`);
  if (/application\/pdf/.test(watch['content-type'] ?? '')) return refuse('its page is a PDF, whose text is not read');

  const url = watch.url.replace(/^source:/, '');
  const id = book.id(watch.title ?? '', addressText(url));
  const asked = requestKeys(book, label, id, {
    url,
    method: watch.method ?? undefined,
    headers: watch.headers ?? {},
    body: watch.body ?? undefined,
  });
  if (asked === undefined) return undefined;
  const tags = tagsOf(backup, watch);
  const merged = (
    key:
      | 'include_filters'
      | 'ignore_text'
      | 'extract_text'
      | 'extract_lines_containing'
      | 'trigger_text'
      | 'text_should_not_be_present'
      | 'subtractive_selectors',
  ) => [...new Set([...(watch[key] ?? []), ...tags.flatMap((tag) => tag[key] ?? [])])];
  const includes = merged('include_filters');
  const browser = browserKeys(book, label, watch, application);
  const rule = textRule(
    book,
    label,
    {
      includes: includes.length === 0 && watch.css_filter ? [watch.css_filter] : includes,
      removes: [
        ...merged('subtractive_selectors'),
        ...(application.global_subtractive_selectors ?? []),
        ...browser.ignore,
      ],
      ignoredTexts: [...merged('ignore_text'), ...(application.global_ignore_text ?? [])],
      extracts: merged('extract_text'),
      linesWith: merged('extract_lines_containing'),
      isSorted: watch.sort_text_alphabetically === true,
      isUnique: watch.remove_duplicate_lines === true,
    },
    { contentType: watch['content-type'] ?? '', isSource },
  );
  const proxy = proxyOf(book, label, id, watch, requests);
  noteRest(book, label, watch, isRestock);
  const rules = isRestock
    ? {}
    : ruleKeys(book, label, watch, {
        triggers: merged('trigger_text'),
        forbidden: merged('text_should_not_be_present'),
      });
  const linked = linksOf(
    sinks,
    watch,
    tags,
    application.notification_urls ?? [],
    'rules' in rules ? 'rules' : 'changes',
  );
  noteTexts(book, label, watch);
  const schedule = scheduleKeys(book, label, watch, backup);
  const made = {
    id,
    name: watch.title ?? watch.page_title ?? '',
    from: tool,
    request: {
      ...asked,
      ...(browser.render !== undefined && { render: browser.render }),
      ...(proxy !== undefined && { proxy }),
    },
    document: isRestock ? { tree: 'browser' } : rule.document,
    fields: isRestock ? restockFields : { text: rule.text },
    ...(watch.paused !== true && {
      project: {
        ...labelsOf([...tags.map(({ title }) => title ?? ''), ...(watch.tag ?? '').split(',')]),
        ...(linked.length > 0 && { sinks: linked }),
        ...rules,
        ...schedule,
      },
    }),
  };
  const file = sourceFile(book, label, made);
  if (file === undefined) return undefined;
  if (watch.paused === true)
    book.leave(label, 'its project', `it is paused: \`heronry add ${id} --source ${id}\` tracks it`);
  const isJson = rule.document['provider'] === 'json';
  const filter = snapshotFilter(rule.again);
  const places = isRestock ? [] : await placesOf(book, archive, { uuid, label, watch });
  const address = String(asked['url']);
  const valueOf = (snapshot: string) => (isJson ? jsonOf(snapshot) : filter(snapshotText(snapshot)));
  return { file, project: projectOf(book, label, made), kept: { id, url: address, label, places, valueOf } };
}

/** The groups of a watch: by their ids, or in old versions by their names. */
function tagsOf({ tags }: Backup, watch: Watch): Tag[] {
  return (watch.tags ?? []).flatMap((id): Tag | readonly Tag[] => readLenient<Tag>(Tag, tags.get(id))?.value ?? []);
}

function proxyOf(
  book: Book,
  label: string,
  id: string,
  { proxy }: Watch,
  { extra_proxies: extra, proxy: usual }: Backup['requests'],
) {
  const wished = proxy || usual;
  if (!wished || wished === 'no-proxy') return undefined;
  const named = (extra ?? []).find(({ proxy_name: name }, index) => wished === `ui-${index}${name ?? ''}`);
  if (named?.proxy_url) return proxyKey(book, label, id, named.proxy_url);
  book.leave(label, 'its proxy', 'the backup does not say where it is: name it under `proxy` in the definition');
  return undefined;
}

/** The sinks of a watch: its own, else those of its groups, else those of all watches. */
function linksOf(
  sinks: Sinks,
  watch: Watch,
  tags: readonly Tag[],
  usual: readonly string[],
  what: 'changes' | 'rules',
): string[] {
  if (watch.notification_muted === true) return [];
  const ofTags = tags.find(
    (tag) => tag.notification_muted !== true && !isBlank(tag.notification_urls),
  )?.notification_urls;
  const urls = isBlank(watch.notification_urls) ? (ofTags ?? usual) : (watch.notification_urls ?? []);
  return [...new Set(urls.flatMap((url) => (url.trim() === '' ? [] : (sinks.of(url, what) ?? []))))];
}

function noteTexts(book: Book, label: string, watch: Watch): void {
  if (!isBlank(watch.notification_title) || !isBlank(watch.notification_body))
    book.leave(
      label,
      'the texts of its notifications',
      'they are templates of Jinja: sinks have templates of their own',
    );
  if (watch.notification_muted === true)
    book.leave(label, 'its notifications', 'they are muted: its project has no sinks');
}

/** Notes settings that have no counterpart, where they are not as they are by default. */
function noteRest(book: Book, label: string, watch: Watch, isRestock: boolean): void {
  const lost: readonly (readonly [string, unknown, string])[] = [
    ['check_unique_lines', watch.check_unique_lines, 'a text is compared with the last one, not with all before it'],
    [
      'filter_text_added',
      watch.filter_text_added === false,
      'a change is told whether lines were added, removed or replaced',
    ],
    [
      'filter_text_removed',
      watch.filter_text_removed === false,
      'a change is told whether lines were added, removed or replaced',
    ],
    [
      'filter_text_replaced',
      watch.filter_text_replaced === false,
      'a change is told whether lines were added, removed or replaced',
    ],
    ['ignore_status_codes', watch.ignore_status_codes, 'an answer with an error is a failed scrape, and no page'],
    [
      'price_change_threshold_percent',
      watch.price_change_threshold_percent,
      'a rule of the project can compare the price with a number',
    ],
    ['llm_intent', watch.llm_intent, 'no language model judges changes'],
    ['llm_change_summary', watch.llm_change_summary, 'no language model writes messages'],
    [
      'track_ldjson_price_data',
      watch.track_ldjson_price_data === 'accepted',
      'add a field of the type money: docs/definitions.md',
    ],
  ];
  for (const [key, value, why] of lost) if (!isBlank(value)) book.leave(label, key, why);
  if (isRestock) {
    if (!isBlank(watch.trigger_text) || !isBlank(watch.conditions))
      book.leave(
        label,
        'its texts and conditions',
        'price and stock are read as fields, on which rules can be written',
      );
    book.leave(label, 'its history', 'snapshots of price and stock are texts of another form');
  }
  for (const [key, value] of Object.entries(watch))
    if (!Object.hasOwn(Watch.shape, key) && !idleKeys.has(key) && !isBlank(value))
      book.leave(label, key.slice(0, 60), 'this setting is not known');
}

async function placesOf(
  book: Book,
  archive: Archive,
  { uuid, label, watch }: Given,
): Promise<readonly SnapshotPlace[]> {
  try {
    const { places, missing, older, binary } = await snapshotsOf(archive, uuid, watch);
    if (missing > 0)
      book.leave(label, `${missing} of its snapshots`, 'the backup has no such file, or their instants are not likely');
    if (older > 0) book.leave(label, `${older} of its snapshots`, `the newest ${mostSnapshots} are taken`);
    if (binary > 0) book.leave(label, `${binary} of its snapshots`, 'they are no texts');
    return places;
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error;
    book.leave(label, 'its history', error.message);
    return [];
  }
}

/** The history of each watch in parts, read from the archive one after the other. */
async function* histories(book: Book, archive: Archive, kept: readonly Kept[]): AsyncGenerator<ImportedHistory> {
  for (const each of kept)
    yield* historyParts(
      { source: each.id, url: each.url, type: watchedType, key: each.id },
      versionsOf(book, archive, each),
    );
}

/** The versions of a watch. Snapshots that cannot be read are noted. */
async function* versionsOf(
  book: Book,
  archive: Archive,
  { id, label, places, valueOf }: Kept,
): AsyncGenerator<ImportedHistory['versions'][number]> {
  let broken = 0;
  for (const { at, path } of places) {
    try {
      yield { at, fields: { watch: id, text: valueOf(await snapshotAt(archive, path)) } };
    } catch (error) {
      if (!(error instanceof ArchiveError)) throw error;
      broken += 1;
    }
  }
  if (broken > 0) book.leave(label, `${broken} of its snapshots`, 'they are damaged or too large');
}

function jsonOf(snapshot: string) {
  try {
    return JSON.parse(snapshot) as ImportedHistory['versions'][number]['fields'][string];
  } catch (error) {
    if (error instanceof SyntaxError) return snapshot;
    throw error;
  }
}
