import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { parse } from 'yaml';
import { Available, writtenHours } from '../../../src/schedule/time/open-hours-schema.ts';

const minute = fc.integer({ min: 0, max: 1_439 });

describe('hours as a file has them', () => {
  test('are the same when they are read again', () => {
    const opening = fc.record(
      {
        days: fc.subarray([1, 2, 3, 4, 5, 6, 7], { minLength: 1 }),
        fromMinute: minute,
        toMinute: fc.oneof(minute, fc.constant(1_440)),
        zone: fc.constantFrom('UTC', 'Europe/Berlin'),
      },
      { noNullPrototype: true },
    );
    const isOpening = ({ fromMinute, toMinute }: { fromMinute: number; toMinute: number }) => fromMinute !== toMinute;
    fc.assert(
      fc.property(fc.array(opening.filter(isOpening), { minLength: 1, maxLength: 20 }), (hours) => {
        assert.deepEqual(Available.parse(parse(writtenHours(hours))), hours);
      }),
    );
  });

  test('leave out what is the default', () => {
    const written = (given: unknown) => writtenHours(Available.parse(given));
    assert.equal(written({ hours: '00:05-00:25' }), '[{ hours: "00:05-00:25" }]');
    assert.equal(written([{ days: ['sat', 'sun'] }]), '[{ days: [sat, sun] }]');
    assert.equal(
      written({ hours: ['22:00-00:00', '00:00-24:00'], zone: 'Europe/Berlin' }),
      '[{ hours: "22:00-00:00", zone: Europe/Berlin }, { hours: "00:00-24:00", zone: Europe/Berlin }]',
    );
  });
});
