import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { failureCause } from '../../src/health/failure-cause.ts';

describe('the cause of failures', () => {
  test('is a log-in where the site refused it, with what a person does then', () => {
    const refused = { code: 'login_refused', message: 'the form is shown again', cause: 'unexpected' };
    const gaveUp = { code: 'login_attempts', message: 'gave up after 3 log-ins', cause: 'unexpected' };
    const other = { code: 'invalid_body', message: 'no JSON', cause: 'unexpected' };
    const found = failureCause([refused, gaveUp, gaveUp, other], 'scrapes in a row');
    assert.equal(found?.kind, 'login_wall');
    assert.match(found.says[0] ?? '', /^3 of 4 scrapes in a row: the form is shown again$/);
    assert.match(found.says[1] ?? '', /`heronry sources --reset ID`/);
  });
});
