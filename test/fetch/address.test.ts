import assert from 'node:assert/strict';
import type { LookupAddress } from 'node:dns';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { type AddressRules, refusedHost, refusedRange } from '../../src/fetch/address.ts';
import { openSite } from '../support/site.ts';
import { failureOf, openClient, textOf } from './support.ts';

const open: AddressRules = { allowPrivate: false };
const withPrivate: AddressRules = { allowPrivate: true };

/** Addresses of each range, its first and last among them. */
const refused: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0', '127.0.0.1', '127.255.255.255', '::1'],
  'private use': ['10.0.0.0', '10.255.255.255', '172.16.0.0', '172.31.255.255', '192.168.0.1', 'fc00::', 'fdff::1'],
  'link-local': ['169.254.0.1', '169.254.255.255', 'fe80::', 'febf::1', 'fe80::1%eth0'],
  'site-local': ['fec0::1', 'feff::1'],
  'shared by a carrier': ['100.64.0.0', '100.127.255.255'],
  benchmarking: ['198.18.0.0', '198.19.255.255', '2001:2::1'],
};

/** Never asked, whatever is allowed. */
const neverAsked: Readonly<Record<string, readonly string[]>> = {
  'metadata of a cloud': ['169.254.169.254', '169.254.170.2', '100.100.100.200', '168.63.129.16', 'fd00:ec2::254'],
  unspecified: ['0.0.0.0', '0.255.255.255', '::'],
  broadcast: ['255.255.255.255'],
  multicast: ['224.0.0.1', '239.255.255.255', 'ff02::1'],
  reserved: ['240.0.0.0', '255.255.255.254'],
  documentation: ['192.0.2.1', '198.51.100.1', '203.0.113.255', '2001:db8::1', '3fff::1'],
  Teredo: ['2001::1', '2001:0:4136:e378:8000:63bf:3fff:fdd2'],
  '6to4': ['2002:0a00:0001::', '2002:7f00:1::1', '192.88.99.1'],
  'IETF protocol assignment': ['192.0.0.1', '192.0.0.255', '2001:1ff:ffff::1'],
  'not of the public internet': ['::10.0.0.1', '::ffff:0:10.0.0.1', '64:ff9b:1::a00:1', '100::1', '5f00::1', '4000::1'],
  'not an IP address': ['', 'localhost', '127.1', '1.2.3.4.5'],
};

const publicAddresses = [
  ...['1.1.1.1', '8.8.8.8', '9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0', '126.255.255.255'],
  ...['128.0.0.0', '172.15.255.255', '172.32.0.0', '192.0.1.0', '192.167.255.255', '198.17.255.255', '198.20.0.0'],
  ...['223.255.255.255', '2606:4700::1111', '2a00::1', '2001:4860:4860::8888', '64:ff9b::808:808', '::ffff:8.8.8.8'],
];

describe('an address', () => {
  for (const [range, addresses] of Object.entries(refused)) {
    test(`for ${range} is refused unless private ones are allowed`, () => {
      for (const address of addresses) {
        assert.equal(refusedRange(address, open), range, address);
        assert.equal(refusedRange(address, withPrivate), undefined, address);
      }
    });
  }

  for (const [range, addresses] of Object.entries(neverAsked)) {
    test(`of this kind is always refused: ${range}`, () => {
      for (const address of addresses) {
        assert.equal(refusedRange(address, open), range, address);
        assert.equal(refusedRange(address, withPrivate), range, address);
      }
    });
  }

  test('of loopback alone may be asked besides public ones where loopback is allowed', () => {
    const rules = { allowPrivate: 'loopback' } as const;
    for (const address of ['127.0.0.1', '127.255.255.255', '::1', '8.8.8.8'])
      assert.equal(refusedRange(address, rules), undefined, address);
    for (const address of ['10.0.0.1', '192.168.0.1', 'fe80::1', '169.254.169.254', '0.0.0.0', '::'])
      assert.notEqual(refusedRange(address, rules), undefined, address);
  });

  test('of the public internet may be asked', () => {
    for (const address of publicAddresses) assert.equal(refusedRange(address, open), undefined, address);
  });

  test('other than loopback is refused where only loopback may be asked', () => {
    const rules = { allowPrivate: true, onlyLoopback: true };
    assert.equal(refusedRange('127.0.0.1', rules), undefined);
    assert.equal(refusedRange('::ffff:127.0.0.1', rules), undefined);
    for (const address of ['10.0.0.1', '8.8.8.8', '2606:4700::1111', '169.254.169.254'])
      assert.notEqual(refusedRange(address, rules), undefined, address);
    assert.equal(refusedRange('127.0.0.1', { allowPrivate: false, onlyLoopback: true }), 'loopback');
  });
});

const ipv4Ranges = Object.values({ ...refused, ...neverAsked })
  .flat()
  .filter((address) => /^\d+\.\d+\.\d+\.\d+$/.test(address));

/** An IPv4 address as a number. */
const numberOf = (address: string): number => address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);

/** A refused IPv4 address: one of the above with other last bits, which stay in its range. */
const refusedIPv4 = fc
  .tuple(fc.constantFrom(...ipv4Ranges), fc.nat(255))
  .map(([address, last]) => (numberOf(address) & ~255) + last)
  .map((value) => value >>> 0)
  .filter((value) => refusedRange(dotted(value), open) !== undefined);

function dotted(value: number): string {
  return [24, 16, 8, 0].map((shift) => (value >>> shift) & 255).join('.');
}

/** A number as a part of a host may be written. */
const spelledPart = (value: number): fc.Arbitrary<string> =>
  fc.constantFrom(
    String(value),
    `0x${value.toString(16)}`,
    `0X${value.toString(16).toUpperCase()}`,
    `0${value.toString(8)}`,
  );

const wide = (text: string): string =>
  text.replace(/[!-~]/g, (character) => String.fromCharCode((character.codePointAt(0) ?? 0) + 0xfee0));

/** An IPv4 address in any of the ways in which a host can be written. */
const spelledIPv4 = (value: number): fc.Arbitrary<string> => {
  const parts = [24, 16, 8, 0].map((shift) => (value >>> shift) & 255);
  const [a = 0, b = 0, c = 0, d = 0] = parts;
  const shapes = [[value], [a, (b << 16) | (c << 8) | d], [a, b, (c << 8) | d], parts];
  const host = fc
    .constantFrom(...shapes)
    .chain((shape) => fc.tuple(...shape.map(spelledPart)).map((texts) => texts.join('.')));
  return fc
    .tuple(host, fc.constantFrom('', '.'), fc.constantFrom('plain', 'wide', 'escaped', 'ideographic'))
    .map(([text, end, form]) => {
      if (form === 'wide') return wide(text + end);
      if (form === 'escaped')
        return Buffer.from(text + end)
          .toString('hex')
          .replace(/../g, '%$&');
      return form === 'ideographic' ? (text + end).replaceAll('.', '。') : text + end;
    });
};

/** The same address inside IPv6, in hexadecimal or with dots, in either case. */
const spelledIPv6 = (value: number): fc.Arbitrary<string> => {
  const groups = `${(value >>> 16).toString(16)}:${(value & 0xffff).toString(16)}`;
  const prefixes = ['::ffff:', '0:0:0:0:0:ffff:', '64:ff9b::', '::', '::ffff:0:'];
  const inLastBits = fc
    .tuple(fc.constantFrom(...prefixes), fc.constantFrom(groups, dotted(value)))
    .map((both) => both.join(''));
  return fc
    .oneof(inLastBits, fc.constant(`2002:${groups}::1`), fc.constant(`64:ff9b:1:${groups}::`))
    .chain((text) => fc.constantFrom(text, text.toUpperCase()))
    .map((text) => `[${text}]`);
};

describe('a refused address', () => {
  test('is refused in every spelling that an URL can have', () => {
    const spelled = refusedIPv4.chain((value) => fc.oneof(spelledIPv4(value), spelledIPv6(value)));
    fc.assert(
      fc.property(spelled, (host) => {
        const url = URL.parse(`http://${host}:8080/`);
        assert.ok(url !== null, `${host} is an URL`);
        assert.notEqual(refusedHost(url.hostname, open), undefined, `${host} is ${url.hostname}`);
      }),
      { numRuns: 2_000 },
    );
  });

  test('of a metadata service is refused in every spelling, whatever is allowed', () => {
    const spelled = fc
      .constant(numberOf('169.254.169.254'))
      .chain((value) => fc.oneof(spelledIPv4(value), spelledIPv6(value)));
    fc.assert(
      fc.property(spelled, (host) => {
        assert.notEqual(refusedHost(new URL(`http://${host}/`).hostname, withPrivate), undefined, host);
      }),
      { numRuns: 500 },
    );
  });

  for (const host of ['localhost', 'LocalHost.', 'a.localhost', 'ＬＯＣＡＬＨＯＳＴ', 'localhost%2e']) {
    test(`is this machine by its name: ${host}`, () => {
      assert.notEqual(refusedHost(new URL(`http://${host}/`).hostname, open), undefined);
      assert.equal(refusedHost(new URL(`http://${host}/`).hostname, withPrivate), undefined);
    });
  }

  for (const host of [
    '169.254.169.254',
    '0.0.0.0',
    '192.0.2.1',
    '[::ffff:169.254.169.254]',
    '0xa9fea9fe',
    '[fd00:ec2::254]',
  ]) {
    test(`is refused before anything is connected, though private ones are allowed: ${host}`, async (t) => {
      assert.equal(failureOf(await openClient(t)(`http://${host}:9/`)).code, 'refused_address');
    });
  }

  test('is every public one for a daemon that may ask only loopback', async (t) => {
    const site = await openSite(t, { '/': 'hello' });
    const fetch = openClient(t);
    assert.equal(textOf(await fetch(site.url('/'), { onlyLoopback: true })), 'hello');
    assert.deepEqual(failureOf(await fetch('http://192.175.48.1:9/', { onlyLoopback: true })), {
      code: 'refused_address',
      address: '192.175.48.1',
      range: 'public',
      needs: ['contact'],
    });
  });

  test('with a zone is no URL at all', async (t) => {
    assert.equal(failureOf(await openClient(t)('http://[fe80::1%25lo]:9/')).code, 'unreachable');
  });

  test('that is loopback is not asked, neither by its number nor behind a name', async (t) => {
    const site = await openSite(t, { '/': 'hello' });
    const fetch = openClient(t, { resolve: found('127.0.0.1') });
    const port = new URL(site.origin).port;
    for (const host of ['127.0.0.1', '127.1', '2130706433', '[::1]', 'localhost', 'shop.test']) {
      const failure = failureOf(await fetch(`http://${host}:${port}/`, { allowPrivate: false }));
      assert.equal(failure.code, 'refused_address', host);
    }
    assert.equal(site.asked.length, 0);
  });

  test('among those of a name is left out, and the connection goes to one that is not', async (t) => {
    const site = await openSite(t, { '/': 'hello' });
    const resolve = found('169.254.169.254', '0.0.0.0', '127.0.0.1', '224.0.0.1');
    const outcome = await openClient(t, { resolve })(site.url('/').replace('127.0.0.1', 'shop.test'));
    assert.equal(textOf(outcome), 'hello');
  });

  test('of a private network is refused without a contact, and told what it needs', async (t) => {
    const fetch = openClient(t);
    const refused = { code: 'refused_address', address: '10.0.0.1', range: 'private use' };
    const url = 'http://10.0.0.1:9/';
    for (const [rules, needs] of [
      [{ onlyLoopback: true }, ['contact']],
      [{ allowPrivate: false }, ['allowPrivate']],
      [{ allowPrivate: false, onlyLoopback: true }, ['contact', 'allowPrivate']],
    ] as const)
      assert.deepEqual(failureOf(await fetch(url, rules)), { ...refused, needs });
    const never = { code: 'refused_address', address: '169.254.169.254', range: 'metadata of a cloud' };
    assert.deepEqual(failureOf(await fetch('http://169.254.169.254/', { onlyLoopback: true })), never);
  });

  test('that a name has come to mean is refused, though another was vetted before', async (t) => {
    const site = await openSite(t, {
      '/': (_, response) => void response.writeHead(200, { connection: 'close' }).end('hello'),
    });
    const answers = ['127.0.0.1', '169.254.169.254'];
    const fetch = openClient(t, { resolve: (_, __, tell) => tell(null, [ipv4(answers.shift() ?? '')]) });
    const url = site.url('/').replace('127.0.0.1', 'shop.test');
    assert.equal(textOf(await fetch(url)), 'hello');
    assert.deepEqual(failureOf(await fetch(url)), {
      code: 'refused_address',
      address: '169.254.169.254',
      range: 'metadata of a cloud',
    });
    assert.deepEqual(answers, [], 'a connection looks up once');
  });

  test('is refused to one request though a connection to it stands for another', async (t) => {
    const site = await openSite(t, { '/': 'hello' });
    const fetch = openClient(t, { resolve: found('127.0.0.1') });
    const named = site.url('/').replace('127.0.0.1', 'shop.test');
    assert.equal(textOf(await fetch(named)), 'hello');
    assert.equal(failureOf(await fetch(named, { allowPrivate: false })).code, 'refused_address');
    assert.equal(site.asked.length, 1);
  });

  test('is refused where a redirect leads to it', async (t) => {
    const site = await openSite(t, { '/': { status: 302, headers: { location: 'http://169.254.169.254/latest' } } });
    const fetch = openClient(t);
    const outcome = await fetch(site.url('/'));
    assert.equal(outcome.kind, 'redirect');
    if (outcome.kind !== 'redirect') return;
    assert.equal(failureOf(await fetch(outcome.url)).code, 'refused_address');
  });
});

describe('what is no http or https URL', () => {
  for (const url of ['ftp://127.0.0.1/', 'file:///etc/hosts', 'no url', 'http://', 'http://1.2.3.4.5/']) {
    test(`is out of reach: ${url}`, async (t) => {
      assert.equal(failureOf(await openClient(t)(url)).code, 'unreachable');
    });
  }
});

function ipv4(address: string): LookupAddress {
  return { address, family: 4 };
}

/** A look-up that finds the same for every name. */
function found(...addresses: readonly string[]) {
  return (_: string, __: unknown, tell: (error: null, found: LookupAddress[]) => void): void => {
    tell(null, addresses.map(ipv4));
  };
}
