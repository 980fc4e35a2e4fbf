import * as z from 'zod';
import { SecretName } from './auth.ts';
import { expected } from './expected.ts';

/** The name of a plug-in's file: one in the operator's folder itself, never elsewhere. */
export const PluginName = z
  .string()
  .max(128)
  .regex(
    /^[A-Za-z0-9_][A-Za-z0-9_.-]*\.m?[jt]s$/,
    expected('the name of a file in the folder of plug-ins that ends in .ts, .mts, .js or .mjs'),
  );

/** What a plug-in is told; its own schema says what it may be. */
export const PluginOptions = z.json();

/** The secrets that a plug-in may ask for, by name. */
export const PluginSecrets = z.array(SecretName).max(32);
