import { Document, isMap, isScalar, YAMLMap } from 'yaml';
import { defined } from '../defined.ts';
import { isLoopbackUrl } from '../definition/loopback.ts';
import type { Draft } from './draft.ts';

/** What a draft becomes a definition of. */
export interface DefinitionOptions {
  readonly id: string;
  /** The page that it was drafted from. */
  readonly url: string;
  /** Fields that turned out not to be of the type that they were taken for, as `record.field`. */
  readonly plain?: ReadonlySet<string>;
}

/** Writes a draft as the YAML of a definition, with what was found in comments. Throws a `TypeError` if `url` is no URL. */
export function definitionText(
  { provider, name, record, found }: Draft,
  { id, url, plain = new Set() }: DefinitionOptions,
): string {
  const document = new Document({
    id,
    ...defined({ name }),
    provider,
    url: patternOf(url, record?.isWhole === true),
    ...(isLoopbackUrl(url) && { allowPrivate: 'loopback' }),
    ...(record && {
      records: {
        [record.type]: {
          key: record.key,
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
    ' `heronry try` shows what it reads, `heronry validate` what is wrong with it.',
  ].join('\n');
  const fields = record && document.getIn(['records', record.type, 'fields']);
  if (isMap(fields)) for (const { value } of fields.items) if (value instanceof YAMLMap) value.flow = true;
  const each = record && document.getIn(['records', record.type, 'each'], true);
  if (each instanceof YAMLMap) each.flow = true;
  else if (isScalar(each)) each.type = 'QUOTE_DOUBLE';
  return document.toString({ lineWidth: 140 });
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
