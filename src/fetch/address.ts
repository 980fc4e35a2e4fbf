import { type LookupAddress, type LookupAllOptions, type LookupOptions, lookup } from 'node:dns';
import { type LookupFunction, BlockList, isIP, SocketAddress } from 'node:net';

/** The addresses that a request may go to: the public internet, and more by these rules. */
export interface AddressRules {
  /**
   * Whether loopback, private networks and the like may be reached too; `loopback` for loopback alone. Metadata services of clouds
   * never may.
   */
  readonly allowPrivate: boolean | 'loopback';
  /** Whether only loopback may be reached, as by a daemon without a contact; `allowPrivate` is needed as well. */
  readonly onlyLoopback?: boolean;
}

/** The addresses that a proxy itself may have: private ones too, since the operator named it. */
export function rulesForProxy(rules: AddressRules): AddressRules {
  return { ...rules, allowPrivate: true };
}

/** Looks up all addresses of a name, as `dns.lookup` does. */
export type Resolve = (
  hostname: string,
  options: LookupAllOptions,
  found: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/**
 * Raised for an address that may not be reached. An error, because only an error can stop a connection in its
 * connector.
 */
export class RefusedAddress extends Error {
  override readonly name = 'RefusedAddress';
  readonly address: string;
  /** The name of the address range, for people. */
  readonly range: string;
  /** What would allow the address: a contact of the daemon, the definition's `allowPrivate`, or both. Empty where nothing does. */
  readonly needs: readonly AddressNeed[];

  /** @param rules - those by which the address is refused. */
  constructor(address: string, range: string, rules: AddressRules) {
    super(`${address} (${range}) may not be asked`);
    this.address = address;
    this.range = range;
    this.needs = needsOf(address, rules);
  }
}

/** A setting that may allow an address. */
export type AddressNeed = 'contact' | 'allowPrivate';

function needsOf(address: string, rules: AddressRules): readonly AddressNeed[] {
  const contact = { onlyLoopback: false };
  const allowPrivate = { allowPrivate: true };
  const mayReach = (more: Partial<AddressRules>): boolean => refusedRange(address, { ...rules, ...more }) === undefined;
  if (mayReach(contact)) return ['contact'];
  if (mayReach(allowPrivate)) return ['allowPrivate'];
  return mayReach({ ...contact, ...allowPrivate }) ? ['contact', 'allowPrivate'] : [];
}

type Kind = 'loopback' | 'private' | 'never';

interface Range {
  readonly kind: Kind;
  readonly name: string;
  readonly holds: BlockList;
}

/** The metadata services of clouds, by their manuals. One of them is a public address. */
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
 * The address ranges that are not the public internet, by the special-purpose address registries of IANA (RFC 6890 and
 * its successors): https://www.iana.org/assignments/iana-ipv4-special-registry and
 * https://www.iana.org/assignments/iana-ipv6-special-registry, and multicast by RFC 5771 and RFC 4291. The first range
 * that holds an address counts.
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

/** IPv6 addresses that hold an IPv4 address in their last 32 bits: mapped ones and those of NAT64 (RFC 6052). */
const otherNames = blockList('::ffff:0:0/96', '64:ff9b::/96');
/**
 * The part of IPv6 that IANA has assigned to the public. Addresses outside are refused, old forms of IPv4 addresses
 * among them.
 */
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
 * The name of the range for which an IP address may not be reached; `undefined` if it may.
 *
 * @param address - as the system writes it; a zone after `%` does not matter.
 */
export function refusedRange(
  address: string,
  { allowPrivate, onlyLoopback = false }: AddressRules,
): string | undefined {
  const [bare = ''] = address.split('%', 1);
  const version = isIP(bare);
  if (version === 0) return 'not an IP address';
  const found = version === 6 ? rangeOfIPv6(bare) : rangeIn(bare, 'ipv4');
  if (onlyLoopback && found?.kind !== 'loopback') return found?.name ?? 'public';
  if (found === undefined) return undefined;
  const isAllowed = allowPrivate === 'loopback' ? found.kind === 'loopback' : allowPrivate && found.kind !== 'never';
  return isAllowed ? undefined : found.name;
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
 * The refusal of a host that is an IP address, or `localhost` (RFC 6761), before any look-up; `undefined` if it may be
 * reached or is another name.
 */
export function refusedHost(hostname: string, rules: AddressRules): RefusedAddress | undefined {
  const host = hostname.replace(/^\[|\]$|\.$/g, '');
  const address = host === 'localhost' || host.endsWith('.localhost') ? '127.0.0.1' : host;
  if (isIP(address) === 0) return undefined;
  const refused = refusedRange(address, rules);
  return refused === undefined ? undefined : new RefusedAddress(host, refused, rules);
}

/**
 * A look-up that returns only addresses that may be reached. The connection goes to one of them without another
 * look-up. Its callback gets a `RefusedAddress` if no address is left.
 */
export function vettedLookup(rules: AddressRules, resolve: Resolve = lookup): LookupFunction {
  return (hostname, options: LookupOptions, found) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return found(error, []);
      const allowed = addresses.filter(({ address }) => refusedRange(address, rules) === undefined);
      const first: LookupAddress | undefined = allowed[0];
      if (!first) return found(refusalOf(hostname, addresses, rules), []);
      return options.all ? found(null, allowed) : found(null, first.address, first.family);
    });
  };
}

/**
 * Checks a host before a proxy looks it up, out of our sight. Rejects with `RefusedAddress` if it means an address that may not
 * be reached, or with the error of the look-up.
 */
export function vetHost(host: string, rules: AddressRules, resolve: Resolve): Promise<void> {
  const { promise, resolve: pass, reject } = Promise.withResolvers<void>();
  const refused = refusedHost(host, rules);
  if (refused) reject(refused);
  else vettedLookup(rules, resolve)(host, { all: true }, (error) => (error ? reject(error) : pass()));
  return promise;
}

/** The refusal of the address that a socket has connected to; `undefined` if it may be reached. */
export function refusedPeer(
  { remoteAddress: address = 'an unknown address' }: { readonly remoteAddress?: string | undefined },
  rules: AddressRules,
): RefusedAddress | undefined {
  const range = refusedRange(address, rules);
  return range === undefined ? undefined : new RefusedAddress(address, range, rules);
}

function refusalOf(hostname: string, addresses: readonly LookupAddress[], rules: AddressRules): RefusedAddress {
  const address = addresses[0]?.address ?? hostname;
  return new RefusedAddress(address, refusedRange(address, rules) ?? 'without an address', rules);
}
