import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertCorrected, misread, seriesOf } from './misread.ts';

/** A scrape every ten minutes stands for one a day. */
const tenMinutes = 600_000;

describe('a definition that read the wrong price', () => {
  test('is corrected, and the history and the present value with it, from the pages that are kept', (t) =>
    assertCorrected(t, tenMinutes));

  test('is left as it is where the job is cancelled, and one job is under way at a time', async (t) => {
    const daemon = await misread(t, tenMinutes);
    const before = await seriesOf(daemon, 'lamp');
    const begun = await daemon.client.call('reextraction.begin', { source: 'shop', type: 'product' });
    const second = await daemon.cli('reextract', 'shop');
    assert.equal(second.status, 4);
    assert.match(second.err, /job 1 is \w+ for source "shop": wait for it, or cancel it/);
    assert.match((await daemon.cli('reextract', '--cancel', String(begun.job))).out, /^job 1 of shop is cancelled/);
    const refused = await daemon.cli('reextract', '--apply', '1');
    assert.match(refused.err, /job 1 is cancelled: expected one that is ready to apply/);
    assert.match((await daemon.cli('reextract', 'shop', '--since', '2100-01-01')).out, /0 pages read/);
    assert.match(
      (await daemon.cli('reextract')).out,
      /^JOB\tSOURCE\tSTATE\t.*\n2\tshop\tready\t.*\n1\tshop\tcancelled\t/,
    );
    assert.deepEqual(await seriesOf(daemon, 'lamp'), before);
  });
});
