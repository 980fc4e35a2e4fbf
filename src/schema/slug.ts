import * as z from 'zod';
import { expected } from './expected.ts';

/** The id of a source and the name of its file, in lower case only, since some file systems do not tell cases apart. */
export const SourceId = z
  .string()
  .max(64)
  .regex(/^[a-z0-9][a-z0-9-]*$/, expected('lower-case letters, digits and "-", not starting with "-"'));

/** The id of a project. It needs no quotes in a path, a label or a shell command. */
export const ProjectId = z
  .string()
  .max(128)
  .regex(/^[A-Za-z0-9_][A-Za-z0-9_-]*$/, expected('letters, digits, "-" and "_", not starting with "-"'))
  .describe('The id of a project.');

/** The name of a record type or a field. Names that every object has, such as `constructor`, are refused. */
export const FieldName = z
  .string()
  .max(64)
  .regex(/^[A-Za-z][A-Za-z0-9_]*$/, expected('a name of letters, digits and "_" that starts with a letter'))
  .refine((name) => !(name in Object.prototype), expected('a name that is not reserved'));
