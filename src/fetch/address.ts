import type { LookupAddress, LookupOptions } from 'node:dns';
import { lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { BlockList, isIP } from 'node:net';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** Thrown inside the connector, where only an error can stop a connection. */
export class RefusedAddress extends Error {
  override readonly name = 'RefusedAddress';
  readonly address: string;

  constructor(address: string) {
    super(`${address} may not be asked`);
    this.address = address;
  }
}

/** Whether an IP address may be connected to. */
export function mayConnect(address: string, allowPrivate: boolean): boolean {
  return allowPrivate && loopback.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

/** The refused address of an URL that names one outright; such an address never reaches a look-up. */
export function refusedLiteral(url: URL, allowPrivate: boolean): string | undefined {
  const address = url.hostname.replace(/^\[|\]$/g, '');
  return isIP(address) === 0 || mayConnect(address, allowPrivate) ? undefined : address;
}

/** A look-up that finds only the addresses that may be connected to. */
export function vettedLookup(allowPrivate: boolean): LookupFunction {
  return (hostname, options: LookupOptions, found) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return found(error, []);
      const allowed = addresses.filter(({ address }) => mayConnect(address, allowPrivate));
      const first: LookupAddress | undefined = allowed[0];
      if (!first) return found(new RefusedAddress(addresses[0]?.address ?? hostname), []);
      return options.all ? found(null, allowed) : found(null, first.address, first.family);
    });
  };
}
