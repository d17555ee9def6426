// The sender of mails. Its name and its address stay apart: the mail library would parse one text again, and takes `<Kita>` in the
// name `Kopi <Kita>` for the address.

export interface MailSender {
  /** null: BRAND_NAME. */
  readonly name: string | null;
  readonly address: string;
}

const ADDRESS =
  /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9]([A-Za-z0-9.-]{0,250}[A-Za-z0-9])?$/;
const NAMED = /^\s*"?([^"\p{Cc}]{1,200}?)"?\s*<([^<>]+)>\s*$/u;

/** @throws when `text` is neither an address nor a name with an address in `<>` */
export function parseMailSender(text: string): MailSender {
  const named = NAMED.exec(text);
  const address = (named?.[2] ?? text).trim();
  if (ADDRESS.test(address)) return { name: named?.[1] ?? null, address };
  throw new Error('an address, or a name and an address: Kopi Kita <kasir@example.com>');
}
