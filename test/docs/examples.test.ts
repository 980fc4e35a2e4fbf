import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { parse } from 'yaml';
import { saysFinished } from '../../src/definition/end-rule.ts';
import { parseSource } from '../../src/definition/load.ts';
import { shortFault } from '../../src/definition/selector.ts';
import { compileCondition } from '../../src/expression/compile.ts';
import type { FieldKind } from '../../src/expression/values.ts';
import { blocks, codeOf, given, readPage, rowsUnder } from './blocks.ts';

const noon = Date.UTC(2026, 2, 14, 12);

/** The first block of a kind, with the blocks before and behind it. */
function around(kind: string) {
  const at = blocks.findIndex((block) => block.kind === kind);
  const [before, found, behind] = [blocks[at - 1], blocks[at], blocks[at + 1]];
  assert.ok(before && found && behind, kind);
  return { before, found, behind };
}

describe('docs/definitions.md', () => {
  test('shows what to write in place of what other tools have', async () => {
    const page = blocks.find(({ kind }) => kind === 'page');
    assert.ok(page);
    const rows = rowsUnder('What other tools write');
    assert.ok(rows.length > 5);
    for (const [there, here, gives] of rows) {
      assert.notEqual(shortFault(codeOf(there)), undefined, there);
      const { v } = await given(page, { v: codeOf(here) });
      assert.deepEqual(v, JSON.parse(codeOf(gives)), here);
    }
  });

  test('shows keys of several fields and of content, what a page says of itself, and which pages are read for which records', async () => {
    const { before, found, behind } = around('records');
    const drafts = await readPage(
      { records: parse(found.content) },
      { contentType: 'text/html', content: before.content },
    );
    assert.deepEqual(drafts, JSON.parse(behind.content));
  });

  test('shows the text of a whole page without what it ignores', async () => {
    const { before, found, behind } = around('watched');
    const [draft] = await readPage(parse(found.content), { contentType: 'text/html', content: before.content });
    assert.deepEqual(draft?.fields, JSON.parse(behind.content));
  });

  test('shows the text of bytes by their encoding', async () => {
    const rows = rowsUnder('Documents').filter(([, bytes]) => /^`[0-9A-F]{2} /.test(bytes ?? ''));
    assert.ok(rows.length > 2);
    for (const [encoding, bytes, shown] of rows) {
      const content = Buffer.concat([
        Buffer.from('<p>'),
        Buffer.from(codeOf(bytes).replaceAll(' ', ''), 'hex'),
        Buffer.from('</p>'),
      ]);
      const records = { thing: { key: 'p', fields: { p: 'p' } } };
      const [draft] = await readPage({ encoding: codeOf(encoding), records }, { contentType: 'text/html', content });
      assert.equal(draft?.key, codeOf(shown), encoding);
    }
  });

  test('shows files whose gzip is read as what it holds', async () => {
    for (const [at, page] of blocks.entries()) {
      const [fields, gives] = [blocks[at + 1], blocks[at + 2]];
      if (page.kind !== 'page' || !['csv', 'jsonl', 'text'].includes(page.language)) continue;
      const packed = { language: page.language, content: gzipSync(page.content) };
      assert.deepEqual(
        await given(packed, parse(fields?.content ?? '')),
        JSON.parse(gives?.content ?? ''),
        page.language,
      );
    }
  });

  test('shows when an auction ends', async () => {
    const { before, found } = around('lot');
    const parsed = parseSource(before.content, 'auction.yaml');
    assert.ok(parsed.ok);
    const { records } = parse(before.content);
    const drafts = async (content: string) => readPage({ records }, { contentType: 'text/html', content });
    const open = await drafts(found.content);
    const end = Date.UTC(2026, 2, 14, 11, 30);
    assert.deepEqual(
      [end, end + 1, noon].map((at) => saysFinished(parsed.value, open, at)),
      [false, true, true],
    );
    assert.ok(saysFinished(parsed.value, await drafts(found.content.replace('>open<', '>sold<')), end - 1));
  });

  test('shows what conditions say', () => {
    const fields: Readonly<Record<string, FieldKind>> = {
      ...{ price: 'money', stock: 'integer', status: 'text', tags: { list: 'text' }, day: 'date', seen: 'datetime' },
    };
    const rows = rowsUnder('What conditions say');
    assert.ok(rows.length > 5);
    for (const [written, of, says] of rows) {
      const compiled = compileCondition(codeOf(written), { fields, zone: 'UTC' });
      assert.ok(compiled.ok, `${written}: ${JSON.stringify(compiled)}`);
      assert.equal(String(compiled.condition.holds(JSON.parse(codeOf(of)), noon) ?? 'unknown'), says, written);
    }
  });
});
