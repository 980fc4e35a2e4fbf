import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Policy, siteGapMs } from '../../../src/fetch/ledger/policy.ts';
import { defaultThrottle } from '../../support/politeness.ts';

const policy: Policy = { concurrency: 1, delayMs: 2_000, minDelayMs: 500, autoThrottle: defaultThrottle };

describe('the gap that a site asks for', () => {
  for (const [what, of, throttleMs, expected] of [
    ['is none while nothing is known of it', policy, undefined, 0],
    ['is none while it answers well within the delay of the policy', policy, 2_000, 0],
    ['is what its latency has taught', policy, 9_000, 9_000],
    ['is none that the throttle of another source has taught', { ...policy, autoThrottle: undefined }, 9_000, 0],
    ['is its crawl-delay', { ...policy, crawlDelayMs: 4_000 }, undefined, 4_000],
    ['is the longer of the two', { ...policy, crawlDelayMs: 4_000 }, 9_000, 9_000],
  ] as const)
    test(what, () => assert.equal(siteGapMs(of, throttleMs), expected));
});
