import { writeFile } from 'node:fs/promises';
import { crc32, deflateRawSync } from 'node:zlib';

/** A file of an archive: its content, or what its headers say in place of the truth. */
export type ZipEntry = string | Uint8Array | { readonly body: string | Uint8Array; readonly saysBytes: number };

/** Writes a ZIP archive, whatever the names of its entries. */
export async function writeZip(
  file: string,
  entries: readonly (readonly [name: string, entry: ZipEntry])[],
): Promise<string> {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, entry] of entries) {
    const lying = typeof entry === 'object' && 'body' in entry ? entry : undefined;
    const body = Buffer.from(lying?.body ?? (entry as string | Uint8Array));
    const packed = deflateRawSync(body);
    const path = Buffer.from(name);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(0x0800, 2);
    common.writeUInt16LE(8, 4);
    common.writeUInt32LE(crc32(body), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(lying?.saysBytes ?? body.length, 18);
    common.writeUInt16LE(path.length, 22);
    const local = Buffer.concat([Buffer.from('PK\u0003\u0004'), common, path, packed]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    directory.push(Buffer.concat([Buffer.from('PK\u0001\u0002\u0014\0'), common, rest, path]));
    parts.push(local);
    offset += local.length;
  }
  const listed = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(entries.length, 4);
  end.writeUInt16LE(entries.length, 6);
  end.writeUInt32LE(listed.length, 8);
  end.writeUInt32LE(offset, 12);
  await writeFile(file, Buffer.concat([...parts, listed, Buffer.from('PK\u0005\u0006'), end]));
  return file;
}
