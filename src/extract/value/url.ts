/** An absolute http or https URL, relative ones resolved against `base`. */
export function readUrl(text: string, base: string): string | undefined {
  const url = URL.parse(text, base);
  return url !== null && /^https?:$/.test(url.protocol) ? url.href : undefined;
}
