import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseSource } from '../../src/definition/load.ts';
import { addressParts, pluginAddress } from '../../src/definition/target-address.ts';
import { hoppedRequest, pluginRequest } from '../../src/plugin/open.ts';

const parsed = parseSource(
  'id: reg\nplugin: reg.ts\nurl: "https://reg.example/{topic}"\nrequest: { headers: { x-from: definition, x-both: definition } }\n',
  'reg.yaml',
);
assert.ok(parsed.ok, JSON.stringify(parsed));
const source = parsed.value;
const ask = { url: 'https://reg.example/api', headers: { 'x-both': 'plug-in' }, json: { a: 1 } };

test('a request of a plug-in has its headers over those of the definition', () => {
  const { headers, body } = pluginRequest(source, ask);
  assert.deepEqual([headers, body], [{ 'x-from': 'definition', 'x-both': 'plug-in' }, { json: { a: 1 } }]);
});

test('a redirect takes a body along only where the site says so, and headers only to the same origin', () => {
  const made = pluginRequest(source, ask);
  const to = (keepsMethod: boolean, isHome: boolean) => {
    const { headers, body } = hoppedRequest(source, made, 'https://reg.example/other', { keepsMethod, isHome });
    return [headers !== undefined, body !== undefined];
  };
  assert.deepEqual(to(true, true), [true, true]);
  assert.deepEqual(to(false, true), [true, false]);
  assert.deepEqual(to(true, false), [false, false]);
});

test('a plug-in is told the parameters that its target was made from, whichever way', () => {
  const url = 'https://reg.example/sleep';
  assert.deepEqual(addressParts(source, url), { params: { topic: 'sleep' }, url });
  const params = { b: 'ä & ö', a: '1' };
  assert.equal(pluginAddress('reg', params), 'plugin:reg?a=1&b=%C3%A4+%26+%C3%B6');
  assert.deepEqual(addressParts(source, pluginAddress('reg', params)), { params: { a: '1', b: 'ä & ö' } });
  assert.deepEqual(addressParts(source, 'plugin:reg'), { params: {} });
});
