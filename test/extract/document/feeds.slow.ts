import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseSource } from '../../../src/definition/load.ts';
import { extract } from '../../../src/extract/extract.ts';
import type { ExtractPlan } from '../../../src/extract/plan.ts';
import type { Value } from '../../../src/extract/value/value.ts';
import { planOf } from '../../../src/provider/plans.ts';
import { bodyOf } from '../plan.ts';

/**
 * What is expected of a feed or an item; null where it has no such value. Neither among the rows are documents that
 * depend on the header `Content-Location`, which has not been a base of addresses since RFC 7231, nor those of other formats than RSS
 * and Atom.
 */
type Expected = Readonly<Record<string, string | null>>;

interface Row {
  readonly name: string;
  readonly xml: string;
  readonly feed?: Expected;
  readonly items?: readonly Expected[];
}

const fixtures = join(import.meta.dirname, '../../fixtures/feeds/wellformed.ndjson');
const rows = readFileSync(fixtures, 'utf8')
  .trimEnd()
  .split('\n')
  .map((line): Row => JSON.parse(line));

function planFor(definition: string): ExtractPlan {
  const parsed = parseSource(`id: feed\nprovider: rss\n${definition}`, 'feed.yaml');
  assert.ok(parsed.ok);
  return planOf(parsed.value);
}

const ofItems = planFor('');

/** A channel is read by rules. */
const ofChannel = planFor(`
records:
  channel:
    key: key
    each: channel, feed
    fields:
      key: { const: channel }
      id: { any: [/feed/id], filters: [url] }
      title: { any: [/channel/title, /feed/title, "/channel/dc:title"] }
      link: { any: ["//channel/link[not(@href)]", "/feed/link[not(@rel) or @rel='alternate']/@href"], type: url }
      published:
        any: [/channel/pubDate, "/channel/dc:date", "/channel/dcterms:issued", "/channel/dcterms:created"]
        type: datetime
        formats: [RFC2822, ISO]
      updated:
        any: [/channel/lastBuildDate, /feed/updated, /feed/modified, "/channel/dcterms:modified"]
        type: datetime
        formats: [RFC2822, ISO]
`);

async function read(xml: string, plan: ExtractPlan): Promise<readonly Readonly<Record<string, Value>>[]> {
  const page = { url: 'http://127.0.0.1:8097/feed.xml', contentType: 'application/xml' };
  const outcome = await extract({ ...page, body: bodyOf(xml), plan });
  return outcome.ok ? outcome.extraction.drafts.map(({ fields }) => fields) : [];
}

/** The value as it is compared: addresses are links in the form that is stored. */
function normal(field: string, expected: string | null): string | null {
  return expected !== null && (field === 'link' || field === 'enclosure')
    ? (URL.parse(expected)?.href ?? expected)
    : expected;
}

/** What is refused, by reason. */
const refused: Readonly<Record<string, readonly string[]>> = {
  'The day of the week is another than that of the date.': ['atom/entry_published_parsed_date_overwriting published'],
  'An entity that the document defines itself is not expanded.': ['rss/entity_in_doctype id'],
  'Names of XML keep their case.': ['itunes/itunes_core_element_uppercase title'],
};

test('feeds of a public table give their titles, links, dates and identifiers, and no wrong value', async (t) => {
  const right = new Map<string, number>();
  const all = new Map<string, number>();
  const missing: string[] = [];
  const wrong: string[] = [];
  for (const { name, xml, feed, items = [] } of rows) {
    const found = await read(xml, ofItems);
    const [channel] = feed === undefined ? [] : await read(xml, ofChannel);
    const pairs = items.map((expected, index) => ({ expected, fields: found[index] }));
    if (feed !== undefined) pairs.push({ expected: feed, fields: channel });
    for (const { expected, fields } of pairs)
      for (const [field, text] of Object.entries(expected)) {
        const value = fields?.[field] ?? null;
        const kind = field === 'published' || field === 'updated' ? 'date' : field;
        all.set(kind, (all.get(kind) ?? 0) + 1);
        if (value === normal(field, text)) right.set(kind, (right.get(kind) ?? 0) + 1);
        else if (value === null) missing.push(`${name} ${field}`);
        else wrong.push(`${name} ${field}: expected ${JSON.stringify(text)}, got ${JSON.stringify(value)}`);
      }
  }
  assert.deepEqual(wrong, []);
  assert.deepEqual(missing, Object.values(refused).flat());
  for (const [kind, count] of all) {
    t.diagnostic(`${kind}: ${right.get(kind)} of ${count}`);
    assert.ok((right.get(kind) ?? 0) >= 0.9 * count, `${kind}: ${right.get(kind)} of ${count}`);
  }
  t.diagnostic(`${rows.length} documents`);
});
