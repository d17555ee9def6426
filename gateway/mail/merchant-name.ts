// The name of a merchant in mails. Anybody registers any name, and mail programs make links of names that look like one. So
// an unapproved merchant whose name leads somewhere is "a shop" in mails. Registration refuses no name, because legal names
// contain domains. The approval covers the business name; the display name may change later without one.
import { removeHidden } from '#actors/core/hidden-characters.js';

export interface NamedMerchant {
  readonly businessName: string;
  /** null: customers see the business name. */
  readonly displayName?: string | null;
  readonly verificationStatus: string;
}

const AT = /@/;
const SCHEME = /:\/\/|\bwww\b/i;
/** Of a domain the last label begins with a letter: `kopi.example` and `PT.Asia`, but not `PT. Kopi` and `Kopi 2.0`. */
const DOMAIN = /[\p{L}\p{N}][.。｡]\p{L}[\p{L}\p{N}\p{M}-]/u;
const IP_ADDRESS = /\b\d{1,3}(?:\.\d{1,3}){3}\b|\[[0-9a-f:.]+\]/i;

/** Whether mail programs could make a link of the name: it contains a domain, an address or an `@`. */
export function leadsSomewhere(name: string): boolean {
  const text = removeHidden(name).normalize('NFKC');
  return [AT, SCHEME, DOMAIN, IP_ADDRESS].some((form) => form.test(text));
}

/** null: the mail says "a shop". */
export function chooseMailName(merchant: NamedMerchant | undefined): string | null {
  const { businessName = '', displayName = null, verificationStatus } = merchant ?? {};
  if (displayName !== null && !leadsSomewhere(displayName)) return displayName;
  return verificationStatus === 'APPROVED' || !leadsSomewhere(businessName) ? businessName : null;
}
