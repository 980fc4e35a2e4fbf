import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { connect } from 'amqplib';
import { secretsFrom } from '../../src/session/secret-store.ts';
import { nth, soon } from '../daemon/tracking.ts';
import { productPage, productSource, startDaemon } from '../support/daemon.ts';
import { suiteEnd } from '../support/servers/own-server.ts';
import { noBroker, brokerUrl } from '../support/servers/rabbitmq.ts';
import { openSite } from '../support/site.ts';

const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'sinks.md'), 'utf8');

/** The file of a sink as the page has it, with the address of another server. */
function sinkAt(id: string, example: string, address: URL): string {
  const [, text = ''] = new RegExp(String.raw`^\`\`\`yaml\n# sinks/${id}\.yaml\n(.+?)\`\`\`$`, 'ms').exec(page) ?? [];
  const own = text.replace(example, address.href);
  assert.notEqual(own, text);
  return own;
}

const end = suiteEnd();

/** Starts a daemon with one sink, and has it see one product of the source `shop`. */
async function seeProduct(t: TestContext, sink: string, text: string, environment: Record<string, string>) {
  const site = await openSite(t, { '/a': productPage('A', '12.50') });
  const sources = { shop: productSource('shop') };
  const findSecrets = secretsFrom({ environment });
  const daemon = await startDaemon(t, { sources, sinks: { [sink]: text }, findSecrets, settings: soon });
  await daemon.client.call('project.add', { id: 'solar', targets: [{ source: 'shop', url: site.url('/a') }] });
  await nth(1, 'record.added', 'solar', daemon);
}

test(
  'docs/sinks.md has a queue of AMQP that a broker fills with the bodies of webhooks',
  { skip: noBroker, timeout: 60_000 },
  async (t) => {
    const url = new URL(await brokerUrl(end));
    const { password } = url;
    const connection = await connect(url.href);
    t.after(() => connection.close());
    const channel = await connection.createChannel();
    await channel.assertQueue('image_discovery', { durable: true });
    const arrived = new Promise<string>((resolve) => {
      void channel.consume('image_discovery', (message) => resolve(message?.content.toString() ?? ''), { noAck: true });
    });
    url.password = '';
    const text = sinkAt('queue', 'amqps://heronry@broker.example', url);
    await seeProduct(t, 'queue', text, { HERONRY_SECRET_BROKER_PASSWORD: decodeURIComponent(password) });
    const { type, data } = JSON.parse(await arrived) as {
      readonly type: string;
      readonly data: { readonly key: string };
    };
    assert.deepEqual([type, data.key], ['record.added', 'A']);
  },
);
