import * as z from 'zod';

/** The name of a secret. Its value stands in the environment, as `HERONRY_SECRET_<NAME>`, or in the file of secrets. */
export const SecretName = z
  .string()
  .regex(/^[A-Z][A-Z0-9_]{0,63}$/, quiet('the name of a secret like "SHOP_PASSWORD": capitals, digits and "_"'));

/** A secret by name. A value that is refused here may be the secret itself, so no message shows it. */
export const SecretRef = z.strictObject(
  { secret: SecretName },
  quiet('a mapping { secret: NAME }, since no secret stands here'),
);

/** Whether a header, or a parameter of an address, is called like one whose value is a secret: `x-api-key`, `sslpassword`. */
export function isSecretName(name: string): boolean {
  return /\bauth\b|authori[sz]ation|token|secret|passw|passphrase|\bpass\b|\bpwd\b|credential|signature|\bsig\b|(?:api|access|auth|private)[-_]?key|^key$|^cookie$/i.test(
    name,
  );
}

/** Makes a message as `expected` does, without the offending value, which may be a secret. */
export function quiet(what: string): { error(issue: { readonly input?: unknown }): string } {
  return { error: ({ input }) => `${input === undefined ? 'missing, ' : ''}expected ${what}` };
}
