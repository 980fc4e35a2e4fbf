import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readQuery } from '../../src/control/handlers/search-query.ts';

const none = { words: [], sources: [], labels: [], states: [], isUnviewed: false };

describe('a search query', () => {
  test('has words, which have neither case nor accents, and filters', () => {
    assert.deepEqual(readQuery('  Café source:shop label:"Two words" state:late Ünder "a  b" '), {
      words: ['cafe', 'under', 'a  b'],
      sources: ['shop'],
      labels: ['Two words'],
      states: ['late'],
      isUnviewed: false,
    });
    assert.equal(readQuery('changes:unviewed lamp').isUnviewed, true);
    assert.deepEqual(readQuery(''), none);
    assert.deepEqual(readQuery('state:parked state:ticket').states, ['parked', 'ticket']);
  });

  test('takes an address, and what stands in quotes, for a word', () => {
    assert.deepEqual(readQuery('https://Shop.example/a?b=c:d').words, ['https://shop.example/a?b=c:d']);
    assert.deepEqual(readQuery('"note:x" 12:30').words, ['note:x', '12:30']);
  });

  test('has quotation marks and backslashes in quotes behind a backslash', () => {
    assert.deepEqual(readQuery(String.raw`label:"the \"new\" one" label:"a\\"`).labels, ['the "new" one', 'a\\']);
    // Before anything else, and outside of quotes, a backslash stands for itself.
    assert.deepEqual(readQuery(String.raw`"c:\d" e\f`).words, [String.raw`c:\d`, String.raw`e\f`]);
  });

  for (const [query, message] of [
    ['state:slow', /query: unknown state "slow".*expected one of active, finished/],
    ['state:latte', /did you mean "late"/],
    ['changes:viewed', /query: expected "changes:unviewed", got "changes:viewed"/],
    ['sorce:shop', /unknown filter "sorce" \(did you mean "source"\?\)/],
    ['source:', /expected a value behind "source:"/],
    ['label:"" x', /expected a value behind/],
    ['a "b c', /expected a quotation mark at the end/],
    [String.raw`label:"a\"`, /expected a quotation mark at the end/],
    [`"${'\\\\'.repeat(249)}`, /expected a quotation mark at the end/],
    ['a '.repeat(33), /at most 32/],
  ] as const)
    test(`says what is wrong with ${query.slice(0, 20)}`, () => {
      assert.throws(() => readQuery(query), { code: 'invalid_params', message });
    });
});
