import { byteSizeUpTo } from '../../schema/byte-size.ts';
import { expected } from '../../schema/expected.ts';
import type { FieldType } from './field-type.ts';
import { longLength } from './plain-text.ts';
import { readAddress } from './url.ts';

/** What a file must be for it to be kept. */
export interface FileRule {
  readonly type: 'file';
  /** The largest file that is kept, in bytes. */
  readonly maxSize: number;
  /** The media types of files that are kept, such as `image/*`. Default: all. */
  readonly accept?: readonly string[];
  /** Whether the file soon vanishes: it is fetched before others. */
  readonly ephemeral?: boolean;
}

/** The address of a file, made absolute and without its fragment. What is read is the address; the file is fetched afterwards. */
export const file: FieldType<FileRule> = {
  options: (z) => ({
    maxSize: byteSizeUpTo(z, '32 MiB').prefault('20MiB'),
    accept: z
      .array(
        z.string().regex(/^[a-z0-9!#$&^_.+-]+\/(?:\*|[a-z0-9!#$&^_.+-]+)$/, expected('a media type like "image/*"')),
      )
      .min(1)
      .max(20)
      .exactOptional(),
    ephemeral: z.boolean().exactOptional(),
  }),
  take: 'link',
  expected: () => `an http or https URL of at most ${longLength} characters`,
  read(value, _rule, base) {
    const address = readAddress(value, base);
    if (address === undefined) return undefined;
    address.hash = '';
    return address.href;
  },
  examples: [
    {
      field: '{ type: file }',
      note: '`maxSize`, `accept`, `ephemeral`: see "Files"',
      text: '/a.png#top',
      gives: '"https://site.example/a.png"',
    },
  ],
};
