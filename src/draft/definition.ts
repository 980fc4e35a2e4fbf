import { Document, isCollection, isMap, isNode, isScalar, YAMLMap } from 'yaml';
import { defined } from '../defined.ts';
import { isLoopbackUrl } from '../definition/loopback.ts';
import { contentKey, type RecordKey } from '../definition/record-key.ts';
import type { Draft } from './draft.ts';
import { noticesOf } from './notices.ts';

/** What a draft becomes a definition of. */
export interface DefinitionOptions {
  readonly id: string;
  /** The page that it was drafted from. */
  readonly url: string;
  /** The number of records that the key was found to tell apart, on the page that it was drafted from. */
  readonly toldApart?: number;
  /** Fields that turned out not to be of the type that they were taken for, as `record.field`. */
  readonly plain?: ReadonlySet<string>;
}

/** Writes a draft as the YAML of a definition, with what was found in comments. Throws a `TypeError` if `url` is no URL. */
export function definitionText(draft: Draft, { id, url, plain = new Set(), toldApart = 0 }: DefinitionOptions): string {
  const { provider, name, record, feed, found, hints = [] } = draft;
  const notices = noticesOf(draft);
  const document = new Document({
    id,
    ...defined({ name }),
    provider,
    url: patternOf(url, record?.isWhole === true),
    ...(isLoopbackUrl(url) && { allowPrivate: 'loopback' }),
    ...defined({ feed }),
    ...(record && {
      records: {
        [record.type]: {
          key: typeof record.key === 'string' ? record.key : [...record.key],
          ...defined({ each: record.each }),
          fields: Object.fromEntries(
            Object.entries(record.fields).map(([field, rule]) => [
              field,
              plain.has(`${record.type}.${field}`) ? withoutType(rule) : rule,
            ]),
          ),
        },
      },
    }),
  });
  document.commentBefore = [
    ` Drafted from ${url}`,
    ...found.map((each, index) => ` ${index === 0 ? 'It reads' : 'There is also'}: ${each}`),
    ...(feed === undefined
      ? []
      : [
          ' Pages are read until one ends with what is known. Where new items may stand further back, `feed.revisit` reads on.',
        ]),
    ...(notices === undefined ? [] : [` It notices ${notices}.`]),
    ...hints.map((hint) => ` ${hint}`),
    ' `heronry try` shows what it reads, `heronry validate` what is wrong with it.',
  ].join('\n');
  const fields = record && document.getIn(['records', record.type, 'fields']);
  if (isMap(fields)) for (const { value } of fields.items) if (value instanceof YAMLMap) value.flow = true;
  for (const path of [['feed'], ...(record ? [['records', record.type, 'key']] : [])]) {
    const node: unknown = document.getIn(path, true);
    if (isCollection(node)) node.flow = true;
  }
  const key: unknown = record && document.getIn(['records', record.type, 'key'], true);
  if (isNode(key) && record !== undefined && toldApart > 1) key.comment = ` ${keyText(record.key, toldApart)}`;
  const each = record && document.getIn(['records', record.type, 'each'], true);
  if (each instanceof YAMLMap) each.flow = true;
  else if (isScalar(each)) each.type = 'QUOTE_DOUBLE';
  return document.toString({ lineWidth: 140 });
}

function keyText(key: RecordKey, count: number): string {
  if (key === contentKey) return `nothing else tells the ${count} on the page apart`;
  return `tell${typeof key === 'string' ? 's' : ''} the ${count} on the page apart`;
}

/** A page that is one of many of its kind: the end of its path is what tells it from the others. */
function patternOf(url: string, isOneOfMany: boolean): string {
  const parsed = new URL(url);
  parsed.hash = '';
  const whole = parsed.href.replaceAll(/[{}]/g, encodeURIComponent);
  if (!isOneOfMany || parsed.search !== '') return whole;
  return whole.replace(/(?<=[^/]\/)[^/]+(?=\/?$)/, (end) => (end === parsed.host ? end : '{page}'));
}

function withoutType({ css, attr, json, meta, xpath }: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(
    Object.entries({ css, attr, json, meta, xpath }).filter(([, value]) => value !== undefined),
  );
}
