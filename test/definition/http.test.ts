import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { HttpSettings } from '../../src/definition/http.ts';

const tls = { cert: 'a', key: 'b' };
const behindProxy = { trusted: ['10.0.0.0/8', '::1'], publicUrl: 'https://example.org/heronry/' };

/** What is wrong with settings, by path. */
function faults(settings: object): string[] {
  const { error } = HttpSettings.safeParse(settings);
  return (error?.issues ?? []).map(({ path, message }) => `${path.join('.')}: ${message}`);
}

describe('the settings of HTTP', () => {
  test('are loopback by default', () => {
    assert.deepEqual(HttpSettings.parse({}), { host: '127.0.0.1', port: 7437, readOnly: false });
    for (const host of ['127.0.0.2', '::1', 'localhost']) assert.deepEqual(faults({ host }), []);
  });

  test('have another host with TLS or a proxy alone', () => {
    for (const host of ['0.0.0.0', '::', '192.168.1.2'])
      assert.match(
        faults({ host }).join(),
        /^host: expected an address of loopback, or `tls` or `behindProxy` beside it/,
      );
    assert.deepEqual(faults({ host: '0.0.0.0', tls, names: ['heronry.example', '192.168.1.2'] }), []);
    assert.deepEqual(faults({ host: '0.0.0.0', behindProxy }), []);
    const plain = { ...behindProxy, publicUrl: 'http://example.org/' };
    assert.match(
      faults({ host: '0.0.0.0', behindProxy: plain }).join(),
      /^behindProxy\.publicUrl: expected an address of https: .*, got "http:\/\/example\.org"/,
    );
    assert.deepEqual(faults({ behindProxy: plain }), []);
    assert.deepEqual(faults({ host: '0.0.0.0', tls, behindProxy: plain }), []);
    assert.match(faults({ host: '0.0.0.0', tls }).join(), /^names: missing, expected the names/);
    assert.match(faults({ names: ['a.example'] }).join(), /^names: expected `tls` beside it/);
    assert.match(faults({ host: 'heronry.example' }).join(), /^host: expected an address of this machine/);
  });

  test('of an API process have the origin of a daemon, over TLS or on this machine', () => {
    for (const daemon of ['https://daemon.example:7437', 'http://127.0.0.1:7437', 'http://localhost:1'])
      assert.equal(HttpSettings.parse({ daemon: `${daemon}/` }).daemon, daemon);
    for (const daemon of ['daemon.example', 'ftp://a.b', 'https://a.b/c', 'https://a.b?c', 'https://u:p@a.b'])
      assert.match(faults({ daemon }).join(), /^daemon: expected an URL without a path/, daemon);
    assert.match(faults({ daemon: 'http://daemon.example' }).join(), /^daemon: expected an URL of https:/);
    const readOnly = { daemon: 'https://daemon.example', readOnly: true };
    assert.match(faults(readOnly).join(), /^readOnly: expected it in the configuration of the daemon/);
  });

  test('have a public address without a slash at its end, and trusted addresses or ranges', () => {
    assert.equal(HttpSettings.parse({ behindProxy }).behindProxy?.publicUrl, 'https://example.org/heronry');
    for (const publicUrl of [
      'example.org',
      'ftp://a.b',
      'https://a.b/?c',
      'https://u:p@a.b',
      'https://a.b/c d',
      'https://a.b/../c',
    ])
      assert.equal(faults({ behindProxy: { ...behindProxy, publicUrl } }).length > 0, true, publicUrl);
    for (const range of ['10.0.0.0/33', 'example.org', '::1/129', '10.0.0.0/8/8', '10.0.0.0/'])
      assert.match(
        faults({ behindProxy: { ...behindProxy, trusted: [range] } }).join(),
        /^behindProxy\.trusted\.0: expected an address/,
      );
  });
});
