// The object of an entry of the audit log: a merchant by its name, and else its id, which leads to its other entries.
import type { ReactNode } from 'react';
import { MerchantName } from '../parts/merchant-names.js';
import { TextLink } from '../parts/links.js';

const MERCHANT = /mer_[0-9a-z]{26}/;

export function AuditTarget({ target }: { readonly target: string }): ReactNode {
  const merchant = MERCHANT.exec(target)?.[0];
  const id = target.split(/[/:]/).findLast((part) => /^[a-z]+_[0-9a-z]{26,}$/.test(part));
  // A request that names no object.
  if (id === undefined && target.startsWith('/')) return null;
  return (
    <TextLink to="/admin/audit-log" search={{ target }} size="xs">
      {merchant === undefined ? (id ?? target) : <MerchantName id={merchant} />}
    </TextLink>
  );
}
