/** OpenSSL's text of a fault, such as `…:error:0A000438:SSL routines:ssl3_read_bytes:tlsv1 alert internal error:…:SSL alert number 80`. */
const openSslText = /:SSL routines:[^:]*:(?<reason>[^:]+):(?:[^]*SSL alert number (?<alert>\d+))?/;

/** What a site says by the alert that ends the handshake (RFC 8446, 6). */
const alerts: Readonly<Record<string, string>> = {
  40: 'it takes none of the ciphers that are offered, or wants a certificate of its visitors',
  70: 'it speaks no version of TLS that is safe enough',
  71: 'it wants ciphers that are not offered',
  80: 'something is wrong with the site itself',
  112: 'it knows no site of this name',
  116: 'it wants a certificate of its visitors',
  120: 'it speaks no version of HTTP that is offered',
};

/** What OpenSSL finds wrong itself. */
const reasons: Readonly<Record<string, string>> = {
  'wrong version number': 'it speaks no TLS at this port',
  'data length too long': 'it speaks no TLS at this port',
  'packet length too long': 'it speaks no TLS at this port',
  'http request': 'it speaks no TLS at this port',
  'unsupported protocol': 'it speaks no version of TLS that is safe enough',
  'dh key too small': 'its keys are too short to be safe',
  'ee key too small': 'its keys are too short to be safe',
};

/** A fault of TLS in plain words; `undefined` for an error of another kind. */
export function tlsFault({ message }: Error): string | undefined {
  const { reason, alert } = openSslText.exec(message)?.groups ?? {};
  if (reason === undefined) return undefined;
  return `no agreement on TLS: ${alerts[alert ?? ''] ?? reasons[reason] ?? reason}`;
}
