import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openReceiver } from '../publish/receiver.ts';
import { startDaemon } from '../support/daemon.ts';
import { openSite } from '../support/site.ts';
import { nth, soon } from './tracking.ts';

const birds = `id: birds
provider: json
allowPrivate: true
robots: ignore
politeness: { autoThrottle: false, delay: 1ms, minDelay: 1ms }
feed: { by: cursor, param: before, next: $.next }
records:
  post: { each: "$.posts[*]", key: id, fields: { id: $.id, text: $.text, "photos[]": "$.photos[*]" } }
publish: { posts: { type: birds.timeline, ephemeral: true, body: text, images: photos } }
`;

interface Body {
  readonly provider: object;
  readonly posts: readonly { readonly unique_identifier: string; readonly images: readonly object[] }[];
  readonly metadata: unknown;
}

function slice(...ids: readonly number[]) {
  const posts = ids.map((id) => ({ id: `p${id}`, text: `post ${id}`, photos: [`https://birds.example/${id}.jpg`] }));
  return { headers: { 'content-type': 'application/json' }, body: JSON.stringify({ posts, next: null }) };
}

test('each receiver gets one message a scrape with all new posts, the newest first, and none without any [J63, J64]', async (t) => {
  const [one, other] = [await openReceiver(t), await openReceiver(t)];
  const site = await openSite(t, { '/robin': slice(2, 1) });
  const sinks = Object.fromEntries(
    Object.entries({ one, other }).map(([id, { url }]) => [
      id,
      `id: ${id}\nwebhook: { url: "${url}", allowPrivate: true }\nper: scrape\n`,
    ]),
  );
  const daemon = await startDaemon(t, { sources: { birds }, sinks, settings: soon });
  const links = [{ sink: 'one', official: true, metadata: { artist: 7 } }, { sink: 'other' }];
  await daemon.client.call('project.add', {
    id: 'robin',
    targets: [{ source: 'birds', url: site.url('/robin'), sinks: links }],
  });
  await Promise.all([one.until(1), other.until(1)]);
  const [first, same] = [one, other].map(({ accepted }) => accepted[0]?.body as Body);
  const provider = { type: 'birds.timeline', id: site.url('/robin'), ephemeral: true };
  assert.deepEqual(first?.provider, { ...provider, official: true });
  assert.deepEqual(first?.metadata, { artist: 7 });
  assert.deepEqual(same, { ...first, provider: { ...provider, official: false }, metadata: null });
  const idsOf = (index: number) =>
    ((one.accepted[index] ?? assert.fail()).body as Body).posts.map(({ unique_identifier: id }) => id);
  assert.deepEqual(idsOf(0), ['p2', 'p1']);
  assert.equal(one.accepted[0]?.headers['ce-source'], '/sources/birds');

  await daemon.client.call('project.rescrape', { id: 'robin' });
  await nth(2, 'scrape.completed', 'robin', daemon);
  site.answer('/robin', slice(4, 3, 2, 1));
  await daemon.client.call('project.rescrape', { id: 'robin' });
  await one.until(2);
  assert.deepEqual(idsOf(1), ['p4', 'p3']);
});
