import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { lineLimitBytes } from '../../src/control/message.ts';
import { historyParts } from '../../src/import/history-parts.ts';
import type { ImportedHistory } from '../../src/import/imported.ts';

const record = { source: 'terms', url: 'https://a.example/', type: 'page', key: 'terms' };

/** The parts of a history of these texts. */
async function partsOf(texts: readonly string[]): Promise<ImportedHistory[]> {
  const parts = [];
  const versions = texts.map((text, at) => ({ at, fields: { text } }));
  for await (const each of historyParts(record, versions)) parts.push(each);
  return parts;
}

describe('the history of a record', () => {
  test('is sent in parts that a request has room for, in its order', async () => {
    // Each character takes six bytes of JSON.
    const parts = await partsOf(Array.from({ length: 100 }, () => '\u0001'.repeat(100_000)));
    assert.ok(parts.length > 10);
    for (const each of parts) assert.ok(Buffer.byteLength(JSON.stringify(each)) < lineLimitBytes / 2);
    const instants = parts.flatMap(({ versions }) => versions.map(({ at }) => at));
    assert.deepEqual(
      instants,
      Array.from({ length: 100 }, (_, at) => at),
    );
    assert.deepEqual(parts[0], { ...record, versions: parts[0]?.versions });
  });

  test('has few versions in a part where they are short, and one that is very long alone', async () => {
    const short = await partsOf(Array.from({ length: 450 }, () => 'a'));
    assert.deepEqual(
      short.map(({ versions }) => versions.length),
      [200, 200, 50],
    );
    const long = await partsOf(['a', 'b'.repeat(2_000_000), 'c']);
    assert.deepEqual(
      long.map(({ versions }) => versions.length),
      [1, 1, 1],
    );
    assert.deepEqual(await partsOf([]), []);
  });
});
