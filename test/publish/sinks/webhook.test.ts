import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { Webhook } from 'standardwebhooks';
import type { DiscordPayload } from '../../../src/publish/discord.ts';
import type { Post } from '../../../src/publish/sink.ts';
import { openReceiver } from '../receiver.ts';
import { openedSink, recordMessage, sinkSuite } from '../sink-suite.ts';

const [newKey, oldKey] = ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD'];
const never = new AbortController().signal;

sinkSuite('webhook', {
  badOptions: [
    { url: 'ftp://hooks.example' },
    { url: 'https://u:p@hooks.example' },
    { url: 'https://hooks.example', secret: 'no name' },
  ],
  async receiver(t) {
    const receiver = await openReceiver(t);
    return {
      options: { url: receiver.url, secret: 'TEAM_HOOK', allowPrivate: true },
      secrets: { TEAM_HOOK: newKey },
      arrived: () => receiver.accepted,
      refuse: (on) => receiver.answer(() => ({ status: on ? 503 : 200 })),
    };
  },
});

test('a webhook is signed by each of its secrets, so that a receiver of either verifies it', async (t) => {
  const receiver = await openReceiver(t);
  const options = { url: receiver.url, secret: ['NEW', 'OLD'], allowPrivate: true };
  const secrets = { NEW: newKey, OLD: oldKey };
  const sink = await openedSink(t, 'webhook', { options, secrets, arrived: () => receiver.accepted });
  await sink.deliver([recordMessage(1)], never);
  const { text, headers, body } = receiver.accepted[0] ?? assert.fail();
  for (const key of [newKey, oldKey])
    assert.deepEqual(new Webhook(key).verify(text, headers as Record<string, string>), body);
  assert.throws(() => new Webhook(newKey).verify(`${text} `, headers as Record<string, string>));
});

test('a webhook carries the attributes of CloudEvents in its headers', async (t) => {
  const receiver = await openReceiver(t);
  const options = { url: receiver.url, allowPrivate: true };
  const sink = await openedSink(t, 'webhook', { options, arrived: () => receiver.accepted });
  await sink.deliver([recordMessage(7, 'blauer Rucksack "L"')], never);
  const { headers } = receiver.accepted[0] ?? assert.fail();
  const found = Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('ce-')));
  assert.deepEqual(found, {
    'ce-specversion': '1.0',
    'ce-id': 'gen-7',
    'ce-type': 'record.added',
    'ce-source': '/sources/shop',
    'ce-subject': 'shop/product/blauer%20Rucksack%20%22L%22',
    'ce-time': '2026-03-14T09:30:07.000Z',
  });
});

test('the body of a webhook may be a template, whose values cannot break out of their texts', async (t) => {
  const receiver = await openReceiver(t);
  const body = {
    text: '{title}: {event} at {price.amount} {{was {old.price.amount}}}',
    stock: '{stock}',
    blocks: ['{source}', 1],
  };
  const options = { url: receiver.url, allowPrivate: true, body };
  const sink = await openedSink(t, 'webhook', { options, arrived: () => receiver.accepted });
  const fields = { title: 'a "bag", {price}', price: { amount: '12.50', currency: 'EUR' }, stock: 3 };
  await sink.deliver([recordMessage(1, 'B', fields)], never);
  assert.deepEqual(receiver.accepted[0]?.body, {
    text: 'a "bag", {price}: record.added at 12.50 {was }',
    stock: 3,
    blocks: ['shop', 1],
  });
});

test('the body of a webhook has the lines of a text that went and came', async (t) => {
  const receiver = await openReceiver(t);
  const options = { url: receiver.url, allowPrivate: true, body: { lines: '{diff.text}', price: '{diff.price}' } };
  const sink = await openedSink(t, 'webhook', { options, arrived: () => receiver.accepted });
  const { event, ...message } = recordMessage(1, 'B');
  assert.ok(event?.type === 'record.added');
  const text = { old: '# Terms\n\nReturns in 30 days\nend', new: '# Terms\nReturns in 14 days\nend\nNew: <!fees>' };
  const price = { old: 1, new: 2 };
  const changed = { ...event, type: 'record.changed' as const, data: { ...event.data, fields: { text, price } } };
  await sink.deliver([{ ...message, event: changed }], never);
  const lines = '- Returns in 30 days\n+ Returns in 14 days\n+ New: <!fees>';
  assert.deepEqual(receiver.accepted[0]?.body, { lines, price: null });
});

/** The bodies that a webhook with these options posts, to whatever address it has, for one record with these fields. */
async function bodyAt(
  t: TestContext,
  given: { readonly url: string; readonly body?: unknown; readonly escape?: string },
) {
  const bodies: unknown[] = [];
  const ports = {
    post: async (_url: string, { body }: Post) => {
      bodies.push(body.startsWith('{') ? JSON.parse(body) : body);
      return { ok: true as const };
    },
  };
  const sink = await openedSink(t, 'webhook', { options: given, arrived: () => [], ports });
  const fields = {
    title: '<!channel> [R&D](x)',
    more: ['<https://evil.example|shop>'],
    image: 'https://a.example/?b&c',
  };
  await sink.deliver([recordMessage(1, 'B', fields)], never);
  return bodies[0];
}

test('what a site gave calls nobody and makes no link in Slack, while the markup of the template stays', async (t) => {
  const body = { text: '<!here> *{title}*', blocks: [{ text: '{more}', image_url: '{image}' }], title: '{title}' };
  const escaped = '&lt;!channel&gt; [R&amp;D](x)';
  const expected = {
    text: `<!here> *${escaped}*`,
    blocks: [{ text: ['&lt;https://evil.example|shop&gt;'], image_url: 'https://a.example/?b&c' }],
    title: escaped,
  };
  assert.deepEqual(await bodyAt(t, { url: 'https://hooks.slack.com/services/T/B/x', body }), expected);
  assert.deepEqual(await bodyAt(t, { url: 'https://chat.example/hook', escape: 'slack', body }), expected);
});

test('the address of a webhook of Discord gets what Discord shows, though the sink is no other than a webhook [J72]', async (t) => {
  const given = Object(await bodyAt(t, { url: 'https://discord.com/api/webhooks/1/a' })) as DiscordPayload;
  assert.deepEqual(given.allowed_mentions, { parse: [] });
  assert.deepEqual(
    given.embeds?.map(({ fields = [] }) => fields.map(({ name }) => name)),
    [['title', 'more', 'image']],
  );
});

test('what a site gave calls nobody and hides no link in Discord, whatever the body is', async (t) => {
  const url = 'https://discord.com/api/webhooks/1/a';
  assert.deepEqual(await bodyAt(t, { url, body: { content: '{title}' } }), {
    allowed_mentions: { parse: [] },
    content: '\\<!channel> \\[R&D](x)',
  });
  const own = { content: 'x', allowed_mentions: { parse: ['users'] } };
  assert.deepEqual(await bodyAt(t, { url, body: own }), own);
});

test('a receiver of HTML is told so, and others get texts as they are', async (t) => {
  const url = 'https://chat.example/hook';
  assert.equal(
    await bodyAt(t, { url, escape: 'html', body: '<b>{title}</b>' }),
    '<b>&lt;!channel&gt; [R&amp;D](x)</b>',
  );
  assert.equal(await bodyAt(t, { url, body: '<b>{title}</b>' }), '<b><!channel> [R&D](x)</b>');
});

test('a private address is refused unless the file allows it', async (t) => {
  const receiver = await openReceiver(t);
  const sink = await openedSink(t, 'webhook', { options: { url: receiver.url }, arrived: () => receiver.accepted });
  const [refused] = await sink.deliver([recordMessage(1)], never);
  assert.deepEqual(refused?.ok === false && refused.failure, {
    code: 'refused_address',
    message: 'the address 127.0.0.1 may not be asked (loopback): it needs `allowPrivate: true` in the sink',
  });
  assert.equal(receiver.all.length, 0);
});

test('a redirect is a failure, and where it leads is not asked', async (t) => {
  const receiver = await openReceiver(t);
  receiver.answer(() => ({ status: 307, headers: { location: '/elsewhere' } }));
  const options = { url: receiver.url, allowPrivate: true };
  const sink = await openedSink(t, 'webhook', { options, arrived: () => receiver.accepted });
  const [refused] = await sink.deliver([recordMessage(1)], never);
  assert.equal(refused?.ok === false && refused.failure.code, 'redirected');
  assert.deepEqual(
    receiver.all.map(({ path }) => path),
    ['/hook'],
  );
});

test('a secret that is no address, or no header, is told without being shown', async (t) => {
  const receiver = await openReceiver(t);
  const arrived = () => receiver.accepted;
  const headers = { authorization: { secret: 'TOKEN' } };
  const cases = [
    [{ HOOK_URL: 'hunter2', TOKEN: 'x' }, 'the address is no http or https URL'],
    [
      { HOOK_URL: receiver.url, TOKEN: 'hunter2\nx: y' },
      'the value of the header authorization is not a line of plain text',
    ],
  ] as const;
  for (const [secrets, message] of cases) {
    const options = { url: { secret: 'HOOK_URL' }, headers, allowPrivate: true };
    const sink = await openedSink(t, 'webhook', { options, secrets, arrived });
    const [refused] = await sink.deliver([recordMessage(1)], never);
    assert.equal(refused?.ok === false && refused.failure.message, message);
    assert.doesNotMatch(JSON.stringify(refused), /hunter2/);
  }
});

test('an address that is a secret itself is looked up, and a missing one is told by its name', async (t) => {
  const receiver = await openReceiver(t);
  const options = { url: { secret: 'HOOK_URL' }, allowPrivate: true };
  const arrived = () => receiver.accepted;
  const sink = await openedSink(t, 'webhook', { options, secrets: { HOOK_URL: receiver.url }, arrived });
  const [delivered] = await sink.deliver([recordMessage(1)], never);
  assert.equal(delivered?.ok === true && delivered.status, 200);
  const without = await openedSink(t, 'webhook', { options, arrived });
  const [missing] = await without.deliver([recordMessage(2)], never);
  assert.match(missing?.ok === false ? missing.failure.message : '', /missing the secret HOOK_URL/);
});
