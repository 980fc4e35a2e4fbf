import type { LookupAddress, LookupAllOptions, LookupOptions } from 'node:dns';
import { lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { BlockList, isIP, SocketAddress } from 'node:net';

/** What a request may reach: by itself the public internet. */
export interface Reach {
  /** Whether loopback, private networks and the like may be asked too. Metadata services of clouds never may. */
  readonly allowPrivate: boolean;
  /** Whether only loopback may be asked, as by a daemon that tells no contact; `allowPrivate` is needed all the same. */
  readonly onlyLoopback?: boolean;
}

/** What a proxy may be, whatever its sites may be: its address is the operator's word, and often one of the same machine or network. */
export function reachOfProxy(reach: Reach): Reach {
  return { ...reach, allowPrivate: true };
}

/** Finds all addresses of a name, as `dns.lookup` does. */
export type Resolve = (
  hostname: string,
  options: LookupAllOptions,
  found: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/** Thrown inside the connector, where only an error can stop a connection. */
export class RefusedAddress extends Error {
  override readonly name = 'RefusedAddress';
  readonly address: string;
  /** What kind of address it is, for people. */
  readonly range: string;

  constructor(address: string, range: string) {
    super(`${address} (${range}) may not be asked`);
    this.address = address;
    this.range = range;
  }
}

type Kind = 'loopback' | 'private' | 'never';

interface Range {
  readonly kind: Kind;
  readonly name: string;
  readonly holds: BlockList;
}

/** Where clouds tell a machine its credentials, by what their manuals say; one of them is a public address. */
const metadata = [
  '169.254.169.0/24',
  '169.254.170.0/24',
  '169.254.0.23/32',
  '169.254.42.42/32',
  '100.100.100.200/32',
  '168.63.129.16/32',
  '192.0.0.192/32',
  'fd00:ec2::/32',
  'fd20:ce::254/128',
  'fd00:42::42/128',
  'fe80::a9fe:a9fe/128',
];

/**
 * What is not the public internet, by the special-purpose address registries of IANA (RFC 6890 and its successors):
 * https://www.iana.org/assignments/iana-ipv4-special-registry and https://www.iana.org/assignments/iana-ipv6-special-registry,
 * and multicast by RFC 5771 and RFC 4291. The first range that holds an address counts.
 */
const ranges: readonly Range[] = [
  range('never', 'metadata of a cloud', ...metadata),
  range('loopback', 'loopback', '127.0.0.0/8', '::1/128'),
  range('private', 'private use', '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'),
  range('private', 'link-local', '169.254.0.0/16', 'fe80::/10'),
  range('private', 'site-local', 'fec0::/10'),
  range('private', 'shared by a carrier', '100.64.0.0/10'),
  range('private', 'benchmarking', '198.18.0.0/15', '2001:2::/48'),
  range('never', 'unspecified', '0.0.0.0/8', '::/128'),
  range('never', 'broadcast', '255.255.255.255/32'),
  range('never', 'multicast', '224.0.0.0/4', 'ff00::/8'),
  range('never', 'reserved', '240.0.0.0/4'),
  range('never', 'documentation', '192.0.2.0/24', '198.51.100.0/24', '203.0.113.0/24', '2001:db8::/32', '3fff::/20'),
  range('never', 'Teredo', '2001::/32'),
  range('never', '6to4', '192.88.99.0/24', '2002::/16'),
  range('never', 'IETF protocol assignment', '192.0.0.0/24', '2001::/23'),
];

/** IPv6 addresses that are an IPv4 address by another name, in their last 32 bits: mapped ones and those of NAT64 (RFC 6052). */
const otherNames = blockList('::ffff:0:0/96', '64:ff9b::/96');
/** All that IANA has given out of IPv6 for the public; what lies outside, old forms of IPv4 among it, is refused unseen. */
const globalUnicast = blockList('2000::/3');

function range(kind: Kind, name: string, ...subnets: readonly string[]): Range {
  return { kind, name, holds: blockList(...subnets) };
}

function blockList(...subnets: readonly string[]): BlockList {
  const list = new BlockList();
  for (const subnet of subnets) {
    const [address = '', prefix = ''] = subnet.split('/');
    list.addSubnet(address, Number(prefix), isIP(address) === 6 ? 'ipv6' : 'ipv4');
  }
  return list;
}

/**
 * The name of the range for which an IP address may not be connected to; nothing when it may.
 *
 * @param address - as the system writes it; a zone after `%` does not matter.
 */
export function refusedRange(address: string, { allowPrivate, onlyLoopback = false }: Reach): string | undefined {
  const [bare = ''] = address.split('%', 1);
  const version = isIP(bare);
  if (version === 0) return 'not an IP address';
  const found = version === 6 ? rangeOfIPv6(bare) : rangeIn(bare, 'ipv4');
  if (onlyLoopback && found?.kind !== 'loopback') return found?.name ?? 'public';
  return found === undefined || (allowPrivate && found.kind !== 'never') ? undefined : found.name;
}

function rangeOfIPv6(address: string): Pick<Range, 'kind' | 'name'> | undefined {
  if (otherNames.check(address, 'ipv6')) return rangeIn(lastIPv4(address), 'ipv4');
  const found = rangeIn(address, 'ipv6');
  if (found !== undefined || globalUnicast.check(address, 'ipv6')) return found;
  return { kind: 'never', name: 'not of the public internet' };
}

function rangeIn(address: string, family: 'ipv4' | 'ipv6'): Range | undefined {
  const socketAddress = new SocketAddress({ address, family });
  return ranges.find(({ holds }) => holds.check(socketAddress));
}

/** The IPv4 address in the last 32 bits of an IPv6 address, which may be written in either way. */
function lastIPv4(address: string): string {
  const canonical = new URL(`http://[${address}]/`).hostname.slice(1, -1);
  const groups = canonical.split(':').slice(-2);
  const [high = 0, low = 0] = groups.map((group) => Number.parseInt(group || '0', 16));
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

/**
 * The refusal of a host that names its address outright and so may never reach a look-up, or that is this machine by its
 * name (RFC 6761), whatever the look-up says. A host of an URL is written in one way only, however oddly it was spelled.
 */
export function refusedHost(hostname: string, reach: Reach): RefusedAddress | undefined {
  const host = hostname.replace(/^\[|\]$|\.$/g, '');
  const address = host === 'localhost' || host.endsWith('.localhost') ? '127.0.0.1' : host;
  if (isIP(address) === 0) return undefined;
  const refused = refusedRange(address, reach);
  return refused === undefined ? undefined : new RefusedAddress(host, refused);
}

/** A look-up that finds only the addresses that may be connected to; a connection goes to one of these and looks up no more. */
export function vettedLookup(reach: Reach, resolve: Resolve = lookup): LookupFunction {
  return (hostname, options: LookupOptions, found) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return found(error, []);
      const allowed = addresses.filter(({ address }) => refusedRange(address, reach) === undefined);
      const first: LookupAddress | undefined = allowed[0];
      if (!first) return found(refusalOf(hostname, addresses, reach), []);
      return options.all ? found(null, allowed) : found(null, first.address, first.family);
    });
  };
}

function refusalOf(hostname: string, addresses: readonly LookupAddress[], reach: Reach): RefusedAddress {
  const address = addresses[0]?.address ?? hostname;
  return new RefusedAddress(address, refusedRange(address, reach) ?? 'without an address');
}
