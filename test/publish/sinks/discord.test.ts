import assert from 'node:assert/strict';
import { test } from 'node:test';
import { discordPayload, isDiscordUrl } from '../../../src/publish/discord.ts';
import { openReceiver } from '../receiver.ts';
import { openedSink, recordMessage, sinkSuite } from '../sink-suite.ts';

const never = new AbortController().signal;
const unknown = { record: () => undefined };

sinkSuite('discord', {
  badOptions: [{}, { url: 'discord' }],
  async receiver(t) {
    const receiver = await openReceiver(t);
    return {
      options: { url: { secret: 'DISCORD' }, allowPrivate: true },
      secrets: { DISCORD: receiver.url },
      arrived: () => receiver.accepted.map(({ body }) => ({ body })),
      refuse: (on) => receiver.answer(() => ({ status: on ? 500 : 204 })),
    };
  },
});

test('Discord gets an embed that says what became of the fields, and calls nobody [J72]', () => {
  const { event, ...message } = recordMessage(1, 'B');
  const data = {
    type: 'product',
    key: 'B',
    fields: { price: { old: { amount: '15', currency: 'EUR' }, new: { amount: '12.50', currency: 'EUR' } } },
  };
  const told = { ...message, event: { ...(event ?? assert.fail()), type: 'record.changed', data } as const };
  const payload = discordPayload({ ...told, type: 'record.changed' } as typeof message, unknown);
  assert.deepEqual(payload, {
    embeds: [
      {
        title: 'B: record.changed',
        timestamp: '2026-03-14T09:30:01.000Z',
        footer: { text: 'shop' },
        fields: [{ name: 'price', value: '15 EUR → 12.50 EUR', inline: true }],
      },
    ],
    allowed_mentions: { parse: [] },
  });
});

test('a site makes no mention and hides no link in what Discord shows, and an escape does not pass its bounds', async (t) => {
  const title = '<@1> \\[shop](https://evil.example)';
  const shown = '\\<@1> \\\\\\[shop](https://evil.example)';
  const [embed] = discordPayload(recordMessage(1, 'B', { title, more: '['.repeat(1_024) }), unknown).embeds ?? [];
  assert.equal(embed?.title, `${shown}: record.added`);
  assert.equal(embed.fields?.[0]?.value, shown);
  assert.equal(embed.fields[1]?.value.length, 1_024);
  const receiver = await openReceiver(t);
  const options = { url: receiver.url, allowPrivate: true, message: '[{title}]' };
  const sink = await openedSink(t, 'discord', { options, arrived: () => receiver.accepted });
  await sink.deliver([recordMessage(5, 'B', { title })], never);
  assert.deepEqual(receiver.accepted[0]?.body, { content: `[${shown}]`, allowed_mentions: { parse: [] } });
});

test('what Discord gets stays within its bounds, and what is left out is counted', () => {
  const long = 'x'.repeat(5_000);
  const fields = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`f${index}`, 'y']));
  const [embed] = discordPayload(recordMessage(1, long, fields), unknown).embeds ?? [];
  assert.equal(embed?.title?.length, 256);
  assert.equal(embed?.fields?.length, 25);
  const body = { posts: Array.from({ length: 30 }, () => ({ body: 'z'.repeat(1_000), images: [] })) };
  const { content, embeds = [] } = discordPayload({ id: 'g-1', key: 'k', type: 'scrape.found', at: 0, body }, unknown);
  assert.equal(content, 'and 24 more');
  assert.equal(embeds.length, 6);
});

test('a text may stand in place of the embeds', async (t) => {
  const receiver = await openReceiver(t);
  const options = { url: receiver.url, allowPrivate: true, message: '{key} costs {price}' };
  const sink = await openedSink(t, 'discord', { options, arrived: () => receiver.accepted });
  await sink.deliver([recordMessage(5, 'B')], never);
  assert.deepEqual(receiver.accepted[0]?.body, { content: 'B costs 5', allowed_mentions: { parse: [] } });
});

test('addresses of Discord are known by their host and path', () => {
  const known = [
    'https://discord.com/api/webhooks/1/a',
    'https://ptb.discord.com/api/v10/webhooks/1/a',
    'https://discordapp.com/api/webhooks/1/a',
  ];
  const others = [
    'https://discord.com/',
    'https://evil.example/discord.com/api/webhooks/1',
    'https://notdiscord.com/api/webhooks/1/a',
  ];
  assert.deepEqual([...known, ...others].map(isDiscordUrl), [true, true, true, false, false, false]);
});
