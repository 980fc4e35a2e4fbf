import { isUtf8 } from 'node:buffer';
import { defined } from '../defined.ts';
import type { Page } from '../fetch/page.ts';
import type { SentCredentials } from '../request/sent-credentials.ts';
import type { CommitResult, StepOps } from '../store/ops.ts';
import type { Store } from '../store/store.ts';
import type { EvidenceRow } from '../store/tables/vault.ts';
import { type PageHead, pageDigest } from '../vault/entry.ts';
import { free, mostPageBytes, type Vault } from '../vault/vault.ts';
import type { PageToKeep } from '../vault/write.ts';

/** Where pages are kept as evidence of what is stored. */
export interface KeepDeps {
  store(): Store;
  /** Missing where no pages are kept. */
  vault(): Vault | undefined;
}

/** The scrape or the re-check whose pages are kept. */
export interface KeptBy extends Pick<PageHead, 'target' | 'scrape' | 'version'> {
  readonly source: string;
  readonly sent: SentCredentials;
}

/** The result of the step of a page. */
export interface StepOfPage {
  /** Missing for a page that could not be read. */
  readonly digest?: string | undefined;
  readonly itemType?: string | undefined;
  readonly isRead: boolean;
  /** For a page of a crawl that is there to lead on: how many other pages of the site it leads to. */
  readonly leads?: number | undefined;
  readonly result: CommitResult;
}

/** Keeps the pages of one scrape. */
export interface PageKeeper {
  /** The largest page that steps are to give back; `undefined` for none. */
  readonly keepBytes: number | undefined;
  /**
   * Keeps the page of a committed step if the step changed something, if it found a value that waits for another look, if it is the first
   * page read at its address, if it shows other known records than the last good one, or values of that one were held, if it leads a
   * crawl on to more or fewer pages than before, or if it is the first one since then that could not be read or gives less. Frees the body of the page. Rejects for errors of ours.
   */
  keep(page: Page, step: StepOfPage): Promise<void>;
}

/** A page that may hold credentials is looked through on the main thread: a larger one is not kept. */
const mostSearchedBytes = 1024 * 1024;

/** Opens the keeping of one scrape's pages. */
export function openKeeper({ store, vault }: KeepDeps, { source, sent, ...by }: KeptBy): PageKeeper {
  return {
    get keepBytes() {
      return vault() === undefined ? undefined : mostPageBytes;
    },
    async keep(page, step) {
      const isTaken = await keepPage(page, step);
      if (!isTaken) free(page.body);
    },
  };

  /** Keeps a page if it is one to be kept. Resolves with whether its body is the vault's now. */
  async function keepPage(page: Page, step: StepOfPage): Promise<boolean> {
    const kept = vault();
    if (kept === undefined || step.result.outcome !== 'committed') return false;
    const url = sent.url(page.url);
    const { status, observedAt, headers } = page;
    const reason = await whyKept(kept, by.target, url, step);
    if (reason === 'recovered') await recover(store(), by.target, url, observedAt);
    if (reason === undefined || reason === 'recovered') return false;
    const body = withoutCredentials(sent, new Uint8Array(page.body));
    if (body === undefined) return false;
    const isOwned = body.buffer === page.body;
    const digest = step.digest ?? pageDigest(page.body);
    const of = { ...by, source, url, status, observedAt };
    // Nothing can be taken out of a picture.
    const picture = isOwned ? page.screenshot : undefined;
    const screenshot = picture && pageDigest(picture);
    if (picture !== undefined && screenshot !== undefined) {
      const head = { ...of, why: 'screenshot' as const, digest: screenshot, of: digest, contentType: 'image/jpeg' };
      await kept.keep({ ...head, body: picture });
    }
    await kept.keep({
      ...of,
      ...reason,
      body,
      digest,
      ...defined({
        contentType: headers['content-type'],
        itemType: step.itemType,
        leads: step.leads,
        shows: step.result.records?.slice(0, rememberedRecords),
        records: step.result.records?.length,
        isWaiting: step.result.isWaiting,
        screenshot,
      }),
      ...(isOwned ? { isOwned: true as const } : { redacted: true as const }),
    });
    return isOwned;
  }
}

/** The digest that the changes of a step name; `undefined` where its page is not kept. */
export function evidenceOf(page: Page | undefined, { drafts }: Pick<StepOps, 'drafts'>): string | undefined {
  return page === undefined || drafts.length === 0 ? undefined : pageDigest(page.body);
}

/** Why a page is kept. */
type Reason = Pick<PageToKeep, 'why' | 'isPoorer' | 'isBack'>;

/** The share of the records of the last good page up to which a page that tells something new counts as poorer, and below which one that tells nothing does. */
const [halfOfRecords, mostOfRecords] = [0.5, 0.85];

/** Records of a page by which it is seen whether a later one shows others. */
const rememberedRecords = 20;

/** Returns why a page is kept. `recovered`: it is not kept, but it is the first page that can be read again. */
async function whyKept(
  vault: Vault,
  target: number,
  url: string,
  { isRead, leads = 0, digest, result }: StepOfPage,
): Promise<Reason | 'recovered' | undefined> {
  if (result.outcome !== 'committed') return undefined;
  const { added, changed, confirmed } = result.counts;
  const tells = isRead && (added + changed > 0 || result.isWaiting === true);
  const before = await vault.evidenceOf(target, url);
  const part = partOf(before?.records, result.records?.length);
  if (tells) {
    // A page that goes on to give fewer is what there is now.
    const isCut = part <= halfOfRecords && before?.bad === undefined;
    return { why: 'changed', ...((result.isPoorer === true || isCut) && { isPoorer: true }) };
  }
  const isPoorer = !isRead || result.isPoorer === true || 2 * leads < (before?.leads ?? 0) || part < mostOfRecords;
  if (isPoorer) return before?.good !== undefined && before.bad === undefined ? { why: 'bad' } : undefined;
  // The page of an item that its list has just added counts nothing of its own.
  if (confirmed === 0 && leads === 0 && digest === undefined) return undefined;
  if (before?.good === undefined || leads !== (before.leads ?? 0)) return { why: 'changed' };
  if (before.isWaiting === true || showsOthers(before, result.records)) return { why: 'changed', isBack: true };
  if (before.bad === undefined) return undefined;
  // What is usual may be another page since: what a person has accepted, or what another version of the definition reads.
  return before.good === digest ? 'recovered' : { why: 'changed' };
}

/** Which part of the records of the last good page a page shows, as a share; 1 where either is not known. */
function partOf(before: number | undefined, now: number | undefined): number {
  return before === undefined || before === 0 || now === undefined ? 1 : now / before;
}

/** Whether a page shows less than half of the records that are remembered of the last good one, and others in their place. */
function showsOthers({ shows = [] }: EvidenceRow, records: readonly number[] = []): boolean {
  const still = shows.filter((record) => records.includes(record));
  return records.length > 0 && 2 * still.length < shows.length;
}

/** Records that a page can be read again: the next page of the address that cannot be read is kept. */
async function recover({ vault, write }: Store, target: number, url: string, at: number): Promise<void> {
  await write(
    () => {
      const { bad: _, ...good } = vault.evidenceOf(target, url) ?? {};
      vault.putEvidence(target, url, good, at);
    },
    { evenWhenFull: true },
  );
}

/** A body without the credentials that the requests of its scrape were sent with; `undefined` where it is too large to be looked through. */
function withoutCredentials(sent: SentCredentials, body: Uint8Array): Uint8Array | undefined {
  if (sent.isEmpty) return body;
  if (body.length > mostSearchedBytes) return undefined;
  // Each octet of another charset is a character of its own, and comes back as it was.
  const encoding = isUtf8(body) ? 'utf8' : 'latin1';
  const text = Buffer.from(body.buffer, body.byteOffset, body.length).toString(encoding);
  const shown = sent.text(text);
  return shown === text ? body : Buffer.from(shown, encoding);
}
