import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeFailure, type FetchFailure } from '../../src/fetch/failure.ts';

const table: readonly (readonly [FetchFailure, string])[] = [
  [{ code: 'timeout', stage: 'headers', afterMs: 30_000 }, 'no answer within 30 s while waiting for the response head'],
  [{ code: 'timeout', stage: 'connect', afterMs: 150 }, 'no answer within 150 ms while waiting for a connection'],
  [{ code: 'unreachable', cause: 'connection refused' }, 'could not reach the site: connection refused'],
  [{ code: 'status', status: 404 }, 'answered with status 404'],
  [{ code: 'status', status: 429, retryAfterMs: 5_000 }, 'answered with status 429, asking to wait 5 s'],
  [{ code: 'too_large', limitBytes: 33_554_432 }, 'larger than the limit of 32 MiB'],
  [{ code: 'too_large', limitBytes: 65_536, part: 'head' }, 'its response head is larger than the limit of 64 KiB'],
  [{ code: 'truncated', cause: 'connection reset' }, 'cut short: connection reset'],
  [{ code: 'bad_redirect', location: 'file:///a' }, 'redirected to "file:///a", expected an http or https URL'],
  [
    { code: 'refused_address', address: '10.0.0.1', range: 'private use', needs: ['allowPrivate'] },
    "the address 10.0.0.1 may not be asked (private use): it needs `allowPrivate: true` in the source's definition",
  ],
  [
    { code: 'refused_address', address: '10.0.0.1', range: 'private use', needs: ['contact', 'allowPrivate'] },
    "the address 10.0.0.1 may not be asked (private use): it needs `bot.contact` in heronry.yaml, so that sites know whom to write to, and `allowPrivate: true` in the source's definition",
  ],
  [
    { code: 'refused_address', address: '224.0.0.1', range: 'multicast' },
    'the address 224.0.0.1 may not be asked (multicast)',
  ],
  [{ code: 'bad_certificate', cause: 'it has expired' }, "the site's certificate is not to be trusted: it has expired"],
  [
    { code: 'proxy_failed', cause: 'connection refused' },
    'the proxy did not let the request through: connection refused',
  ],
  [{ code: 'url_too_long', length: 3_000, limit: 2_083 }, 'the URL has 3000 characters, expected at most 2083'],
  [{ code: 'cancelled' }, 'cancelled'],
];

for (const [failure, sentence] of table) {
  test(`a person reads: ${sentence}`, () => assert.equal(describeFailure(failure), sentence));
}
