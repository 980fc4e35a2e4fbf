import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Message } from '../../../src/publish/sink.ts';
import { openMailServer } from '../../support/servers/smtp.ts';
import { openedSink, recordMessage, sinkSuite } from '../sink-suite.ts';

const never = new AbortController().signal;
const mailboxes = { from: 'Heronry <heronry@news.example>', to: 'team@news.example' };

sinkSuite('email', {
  badOptions: [
    { url: 'https://mail.example', ...mailboxes },
    { url: 'smtp://mailer:hunter22@mail.example', ...mailboxes },
    { url: 'smtp://mail.example', ...mailboxes, to: 'team@news.example, all@news.example' },
    { url: 'smtp://mail.example', ...mailboxes, subject: '{nosuch(' },
  ],
  async receiver(t) {
    const server = await openMailServer(t);
    return {
      options: { url: server.url.replace('//', '//mailer@'), password: 'MAIL_PASSWORD', ...mailboxes },
      secrets: { MAIL_PASSWORD: 'hunter22' },
      arrived: () =>
        server.mails.map(({ headers, text }) => ({
          id: /^<(.*)\.tested@heronry>$/.exec(headers['message-id'] ?? '')?.[1] ?? '',
          body: text,
        })),
      refuse: (on) => server.refuse(on ? 451 : undefined),
    };
  },
});

test('an e-mail says what changed, and its subject is one line whatever a site gives', async (t) => {
  const server = await openMailServer(t);
  const options = { url: server.url, ...mailboxes, to: ['team@news.example', 'Board <board@news.example>'] };
  const sink = await openedSink(t, 'email', { options, arrived: () => [] });
  const price = { amount: '12.50', currency: 'EUR' };
  await sink.deliver([recordMessage(1, 'B', { title: 'A bag\r\nBcc: all@news.example', price })], never);
  const [mail] = server.mails;
  assert.deepEqual(mail?.to, ['team@news.example', 'board@news.example']);
  assert.equal(mail?.headers['subject'], 'A bag Bcc: all@news.example: record.added');
  assert.match(mail?.text ?? '', /price: 12\.50 EUR/);
  assert.equal(mail?.headers['auto-submitted'], 'auto-generated');
});

test('subject and text of an e-mail may be templates', async (t) => {
  const server = await openMailServer(t);
  const options = { url: server.url, ...mailboxes, subject: 'Now {price}', text: '{key} costs {price}.' };
  const sink = await openedSink(t, 'email', { options, arrived: () => [] });
  await sink.deliver([recordMessage(1, 'B', { price: 9 })], never);
  assert.deepEqual(
    server.mails.map(({ headers, text }) => [headers['subject'], text]),
    [['Now 9', 'B costs 9.']],
  );
});

test('a digest is one e-mail with all its events', async (t) => {
  const server = await openMailServer(t);
  const sink = await openedSink(t, 'email', { options: { url: server.url, ...mailboxes }, arrived: () => [] });
  const events = [recordMessage(1, 'A'), recordMessage(2, 'B')].map(({ body }) => body);
  const digest: Message = { id: 'gen-2', key: 'digest/team', type: 'digest', at: 0, body: { type: 'digest', events } };
  await sink.deliver([digest], never);
  const [mail] = server.mails;
  assert.equal(mail?.headers['subject'], '2 events');
  assert.match(mail?.text ?? '', /A[^]*price: 1[^]*B[^]*price: 2/);
});

test('what a mail server refuses for now is tried again, what it refuses for good is not', async (t) => {
  const server = await openMailServer(t);
  const sink = await openedSink(t, 'email', { options: { url: server.url, ...mailboxes }, arrived: () => [] });
  const failureOf = async (status: number) => {
    server.refuse(status);
    const [result] = await sink.deliver([recordMessage(1)], never);
    assert.ok(result?.ok === false);
    return [result.failure.status, result.failure.isFinal ?? false];
  };
  assert.deepEqual(await failureOf(451), [451, false]);
  assert.deepEqual(await failureOf(550), [550, true]);
});

test('a wrong password is a failure that a corrected secret ends, and is not shown', async (t) => {
  const server = await openMailServer(t);
  const options = { url: server.url.replace('//', '//mailer@'), password: 'MAIL_PASSWORD', ...mailboxes };
  let password = 'wrong-horse';
  const findSecrets = async () => ({
    ok: true as const,
    secrets: new Map([['MAIL_PASSWORD', { reveal: () => password }]]),
  });
  const sink = await openedSink(t, 'email', { options, arrived: () => [], ports: { findSecrets } });
  const [refused] = await sink.deliver([recordMessage(1)], never);
  assert.ok(refused?.ok === false);
  assert.equal(refused.failure.isFinal, undefined);
  assert.match(refused.failure.message, /\[secret\]/);
  assert.ok(!refused.failure.message.includes(password));
  password = 'hunter22';
  assert.deepEqual(await sink.deliver([recordMessage(1)], never), [{ ok: true }]);
});

test('mail to another machine goes with TLS or not at all, unless the file allows it', async (t) => {
  const server = await openMailServer(t);
  // Another name of loopback stands for another machine.
  const url = server.url.replace('127.0.0.1', '127.1');
  const options = { url, ...mailboxes };
  const sink = await openedSink(t, 'email', { options, arrived: () => [] });
  const [refused] = await sink.deliver([recordMessage(1)], never);
  assert.ok(refused?.ok === false);
  assert.match(refused.failure.message, /no TLS: it needs `allowPlain: true` in the sink/);
  const plain = await openedSink(t, 'email', { options: { ...options, allowPlain: true }, arrived: () => [] });
  assert.deepEqual(await plain.deliver([recordMessage(1)], never), [{ ok: true }]);
});
