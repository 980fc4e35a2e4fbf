/** The media type of a response in lower case, without parameters; that of any bytes where its head names none. */
export function mediaTypeOf(headers: Readonly<Record<string, string>>): string {
  const [type = ''] = (headers['content-type'] ?? '').split(';', 1);
  return type.trim().toLowerCase() || 'application/octet-stream';
}

/** Whether a media type is one of those accepted, such as `image/png` or `image/*`. */
export function isAccepted(type: string, accepted: readonly string[]): boolean {
  return accepted.some((each) => (each.endsWith('/*') ? type.startsWith(each.slice(0, -1)) : type === each));
}
