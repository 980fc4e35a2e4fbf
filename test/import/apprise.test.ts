import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parse } from 'yaml';
import { Sinks } from '../../src/import/apprise.ts';
import { Book } from '../../src/import/book.ts';

const line = '{project} has changed: {url}\n{diff.text}';

describe('a notification of Apprise', () => {
  const known: readonly (readonly [url: string, sink: object, secrets: object])[] = [
    [
      'discord://4711/Abc-d_e?avatar=no',
      { discord: { url: { secret: 'DISCORD_URL' } } },
      { DISCORD_URL: 'https://discord.com/api/webhooks/4711/Abc-d_e' },
    ],
    [
      'https://discord.com/api/webhooks/1/T',
      { discord: { url: { secret: 'HTTPS_URL' } } },
      { HTTPS_URL: 'https://discord.com/api/webhooks/1/T' },
    ],
    [
      'slack://bot@T1/B2/c3/#general',
      { webhook: { url: { secret: 'SLACK_URL' }, body: { text: line } } },
      { SLACK_URL: 'https://hooks.slack.com/services/T1/B2/c3' },
    ],
    [
      'mmosts://chat.example/hook/t0ken',
      { webhook: { url: { secret: 'MMOSTS_URL' }, body: { text: line } } },
      { MMOSTS_URL: 'https://chat.example/hook/hooks/t0ken' },
    ],
    [
      'tgram://123:AbC/-100',
      { webhook: { url: { secret: 'TGRAM_URL' }, body: { chat_id: '-100', text: line } } },
      { TGRAM_URL: 'https://api.telegram.org/bot123:AbC/sendMessage' },
    ],
    ['ntfy://topic', { webhook: { url: { secret: 'NTFY_URL' }, body: line } }, { NTFY_URL: 'https://ntfy.sh/topic' }],
    [
      'gotifys://push.example/T0k',
      {
        webhook: {
          url: 'https://push.example/message',
          headers: { 'x-gotify-key': { secret: 'GOTIFYS_TOKEN' } },
          body: { title: '{project}', message: line },
        },
      },
      { GOTIFYS_TOKEN: 'T0k' },
    ],
    [
      'mailtos://ann:geheim@mail.example?to=team@x.example',
      {
        email: {
          url: 'smtp://ann@mail.example:587',
          password: 'MAILTOS_PASSWORD',
          from: 'ann@mail.example',
          to: ['team@x.example'],
        },
      },
      { MAILTOS_PASSWORD: 'geheim' },
    ],
    ['jsons://hook.example/a?x=1', { webhook: { url: 'https://hook.example/a?x=1' } }, {}],
    [
      'json://ann:geheim@10.0.0.1/a',
      { webhook: { url: { secret: 'JSON_URL' }, allowPrivate: true } },
      { JSON_URL: 'http://ann:geheim@10.0.0.1/a' },
    ],
    [
      'posts://hook.example/a?token=geheim',
      { webhook: { url: { secret: 'POSTS_URL' }, body: line } },
      { POSTS_URL: 'https://hook.example/a?token=geheim' },
    ],
    [
      'jsons://hook.example/in/Ab3dEf6hIj9lMn2p/new',
      { webhook: { url: { secret: 'JSONS_URL' } } },
      { JSONS_URL: 'https://hook.example/in/Ab3dEf6hIj9lMn2p/new' },
    ],
    [
      'post://hook.example/0b7c1e52-9a3f-4d7e-8c11-2f6a5e9d4b30',
      { webhook: { url: { secret: 'POST_URL' }, body: line } },
      { POST_URL: 'http://hook.example/0b7c1e52-9a3f-4d7e-8c11-2f6a5e9d4b30' },
    ],
    [
      'jsons://hook.example/prices/international-announcements',
      { webhook: { url: 'https://hook.example/prices/international-announcements' } },
      {},
    ],
    [
      'mailto://mail.example?user=ann&pass=geheim',
      {
        email: {
          url: 'smtp://ann@mail.example',
          password: 'MAILTO_PASSWORD',
          from: 'ann@mail.example',
          to: ['ann@mail.example'],
        },
      },
      { MAILTO_PASSWORD: 'geheim' },
    ],
  ];
  for (const [url, sink, secrets] of known)
    test(`by ${url.replace(/:.*/, '')} becomes a sink that names its secrets (${url.length})`, () => {
      const book = new Book();
      const sinks = new Sinks(book);
      const id = sinks.of(url, 'changes') ?? '';
      assert.equal(sinks.of(url, 'changes'), id);
      assert.deepEqual(book.notes, []);
      assert.equal(sinks.files.length, 1);
      assert.deepEqual(parse(sinks.files[0]?.text ?? ''), { id, ...sink, events: ['record.changed'] });
      assert.deepEqual(Object.fromEntries(book.secrets), secrets);
    });

  for (const url of [
    'pover://geheim@geheim',
    'slack://xoxb-geheim/x',
    'discord://{{ token }}/geheim',
    'geheim',
    'mailto://geheim',
  ])
    test(`that is no sink is listed once, without what it says (${url.length})`, () => {
      const book = new Book();
      const sinks = new Sinks(book);
      assert.deepEqual([sinks.of(url, 'changes'), sinks.of(url, 'changes')], [undefined, undefined]);
      assert.equal(book.notes.length, 1);
      assert.doesNotMatch(JSON.stringify(book.notes), /geheim/);
      assert.deepEqual([sinks.files, [...book.secrets]], [[], []]);
    });
});
