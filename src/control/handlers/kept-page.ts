import type { KeptPage } from '../../vault/entry.ts';
import type { NotKept, Vault } from '../../vault/vault.ts';
import { ControlError } from '../error.ts';

/** Reads a kept page or file. Rejects with a `ControlError` that says why it cannot be read. */
export async function keptPage(vault: Vault | undefined, digest: string): Promise<KeptPage> {
  if (vault === undefined)
    throw new ControlError('not_found', `page ${digest}: no pages are kept: heronry.yaml says \`vault: off\``);
  const found = await vault.read(digest);
  if (!found.ok) throw new ControlError('not_found', `page ${digest}: ${whyText[found.why]}`);
  return found.page;
}

const whyText: Readonly<Record<NotKept, string>> = {
  not_kept: 'it is not kept: it has expired, or it never was',
  damaged: 'its bytes are not those that were written: the disk is at fault, or the end of its pack was lost',
  missing: 'the file of its pack is gone',
};
