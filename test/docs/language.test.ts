import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parse, stringify } from 'yaml';
import { Collect } from '../../src/definition/collect.ts';
import { Crawl } from '../../src/definition/crawl.ts';
import { Feed } from '../../src/definition/feed.ts';
import { Filter } from '../../src/definition/filter.ts';
import { parseSource, parseType } from '../../src/definition/load.ts';
import { ItemPage, Pulse, Source } from '../../src/definition/source.ts';
import { linkWays, typeIssues } from '../../src/definition/shared-type.ts';
import type { Value } from '../../src/extract/value/value.ts';
import { extract } from '../../src/extract/extract.ts';
import { compileFilter } from '../../src/extract/filter/all.ts';
import { documentKinds } from '../../src/extract/document/all.ts';
import type { DocumentKind } from '../../src/extract/document/kind.ts';
import { fieldTypes, type ScalarRule } from '../../src/extract/value/all.ts';
import type { FieldType } from '../../src/extract/value/field-type.ts';
import { openProvider } from '../../src/provider/declared.ts';
import { normalised } from '../../src/store/link-values.ts';
import { planOf } from '../../src/provider/plans.ts';
import { base, type Block, blocks, codeOf, given, rowsUnder, text } from './blocks.ts';

/** The keys of a table whose cells name one each. */
function keysOf(rows: readonly (readonly string[])[]): string[] {
  return rows.map(([key]) => codeOf(key)).filter((key) => key !== '');
}

describe('docs/definitions.md', () => {
  test('shows definitions, and parts of them, as they may be written', () => {
    const wholes = blocks.filter(({ language, kind }) => language === 'yaml' && kind === '');
    const parts = blocks.filter(({ kind }) => kind === 'part');
    assert.ok(wholes.length > 0 && parts.length > 1);
    const trial = {
      key: 'id',
      fields: { id: '.id', published: { css: '.p', type: 'date' }, updated: { css: '.u', type: 'date' } },
    };
    const skeleton = stringify({ id: 'doc', url: 'https://site.example/', records: { trial } });
    for (const { content } of [...wholes, ...parts.map((part) => ({ content: skeleton + part.content }))]) {
      const parsed = parseSource(content, `${/^id: (\S+)/m.exec(content)?.[1] ?? ''}.yaml`);
      assert.deepEqual(parsed.ok ? [] : parsed.problems, [], content);
    }
  });

  test('shows types, how their records are linked, and a definition whose records are of one', () => {
    for (const { content } of blocks.filter(({ kind }) => kind === 'type')) {
      const parsed = parseType(content, `${/^id: (\S+)/m.exec(content)?.[1] ?? ''}.yaml`);
      assert.deepEqual(parsed.ok ? [] : parsed.problems, [], content);
    }
    const rows = rowsUnder('One thing in several records');
    assert.deepEqual(
      rows.map(([name]) => /^`(\w+)`/.exec(name ?? '')?.[1]),
      linkWays,
    );
    for (const [index, as] of linkWays.entries())
      assert.equal(normalised(codeOf(rows[index]?.[2]), as), codeOf(rows[index]?.[3]), as);
    const at = blocks.findIndex(({ kind }) => kind === 'type');
    const type = parseType(blocks[at]?.content ?? '', 'post.yaml');
    const source = parseSource(blocks[at + 1]?.content ?? '', 'blog.yaml');
    assert.ok(type.ok && source.ok, JSON.stringify([type, source]));
    const [types, broken] = [new Map([[type.value.id, type.value]]), new Set<string>()];
    assert.equal(source.value.records['entry']?.is, type.value.id);
    assert.deepEqual([...typeIssues(source.value, { types, broken })], []);
  });

  test('shows what fields give on a page', async () => {
    let page: Block | undefined;
    let shown = 0;
    for (const [at, block] of blocks.entries()) {
      if (block.kind === 'page') page = block;
      if (block.kind !== 'fields') continue;
      assert.ok(page);
      assert.deepEqual(
        await given(page, parse(block.content)),
        JSON.parse(blocks[at + 1]?.content ?? ''),
        block.content,
      );
      shown += 1;
    }
    assert.equal(shown, 13);
  });

  test('shows what a list and the page of its item give together', async () => {
    const at = blocks.findIndex(({ kind }) => kind === 'list');
    const [definition, list, item, record] = blocks.slice(at - 1, at + 3);
    const parsed = parseSource(definition?.content ?? '', 'socks.yaml');
    assert.ok(parsed.ok);
    const { items } = openProvider(parsed.value);
    const drafts = [];
    for (const [block, plan] of [
      [list, planOf(parsed.value)],
      [item, items?.reading('article')?.plan],
    ] as const) {
      assert.ok(plan);
      const body = new Uint8Array(Buffer.from(block?.content ?? '')).buffer;
      const outcome = await extract({ body, url: base, contentType: 'text/html', plan });
      assert.ok(outcome.ok);
      drafts.push(...outcome.extraction.drafts);
    }
    assert.deepEqual(Object.assign({}, ...drafts.map(({ fields }) => fields)), JSON.parse(record?.content ?? ''));
    assert.equal(drafts[0]?.page, 'https://site.example/p/s-1');
  });

  test('shows what each filter gives', () => {
    const rows = rowsUnder('Filters');
    const named = new Set<string>();
    for (const [filter, , input, output] of rows) {
      const plan = Filter.parse(parse(codeOf(filter)));
      const value: Value = JSON.parse(codeOf(input));
      assert.deepEqual(compileFilter(plan)(value, base), JSON.parse(codeOf(output)), filter);
      named.add(typeof plan === 'function' ? '' : plan.type);
    }
    const { error } = Filter.safeParse('nonsense');
    const known = /expected one of (.*)$/.exec(error?.issues[0]?.message ?? '')?.[1]?.split(', ') ?? [];
    assert.deepEqual(named, new Set(known));
  });

  test('shows how each type reads a text', async () => {
    const rows = rowsUnder('Types');
    for (const [rule, , input, output] of rows) {
      const page = { language: 'html', content: `<p>${codeOf(input)}</p>` };
      const { v } = await given(page, { v: { css: 'p', ...parse(codeOf(rule)) } });
      assert.deepEqual(v, output === 'lost' ? undefined : JSON.parse(codeOf(output)), `${rule} of ${input}`);
    }
    const types = new Set(rows.map(([rule]) => parse(codeOf(rule)).type));
    assert.deepEqual(types, new Set([...Object.keys(fieldTypes), 'array']));
  });

  test('has the rows of the list of field types', () => {
    const rows = Object.values<FieldType<ScalarRule>>(fieldTypes).flatMap(({ examples }) =>
      examples.map(
        ({ field, note = '', text: given, gives }) =>
          `| \`${field}\` | ${note}${note === '' ? '' : ' '}| \`${given}\` | ${gives === 'lost' ? gives : `\`${gives}\``} |`,
      ),
    );
    assert.ok(text.includes(`\n${rows.join('\n')}\n`), `put these rows under "Types":\n${rows.join('\n')}`);
  });

  test('has the rows of the list of document kinds', () => {
    const rows = Object.entries<DocumentKind>(documentKinds).map(([name, { docs }]) => {
      const readAs = docs.readAs === '' ? '' : ` ${docs.readAs}`;
      return `| \`${name}\`${name === 'html' ? ' (default)' : ''} |${readAs} | ${docs.places} |`;
    });
    assert.ok(text.includes(`\n${rows.join('\n')}\n`), `put these rows under "Documents":\n${rows.join('\n')}`);
  });

  for (const [heading, schema, least] of [
    ['Lists', Feed, { by: 'page' }],
    ['Registers', Collect, { since: { record: 'trial', fields: ['updated'] }, start: '2026-01-01' }],
    ['Sites', Crawl, { detail: ['/p/'] }],
    ['Items', ItemPage, { url: 'a', fields: { price: '.price' } }],
    ['In between', Pulse, { record: 'article', fields: { sku: '.sku' } }],
  ] as const) {
    test(`names each key of "${heading}", with its default`, () => {
      const rows = rowsUnder(heading);
      assert.deepEqual(keysOf(rows), Object.keys(schema.shape));
      const usual = schema.parse(least);
      for (const [key, written] of rows) {
        const isSaid = codeOf(written) !== '';
        const name = codeOf(key);
        if (isSaid) assert.deepEqual(schema.parse({ ...least, [name]: parse(codeOf(written)) }), usual, name);
        else assert.ok(Object.hasOwn(least, name) || !Object.hasOwn(usual, name), `${name} has a default`);
      }
    });
  }

  test('names each key of a source and of a record', () => {
    for (const key of [...Object.keys(Source.shape), ...Object.keys(Source.shape.records.unwrap().valueType.shape)])
      assert.match(text, new RegExp(`\`${key}[:\`]|^${key}:`, 'm'), key);
  });
});
