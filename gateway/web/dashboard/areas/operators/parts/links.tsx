// Links from one object of the administrator's views to another.
import { Anchor, type AnchorProps } from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import type { ReactNode, Ref } from 'react';
import { MerchantName } from './merchant-names.js';

export interface TextAnchorProps extends Omit<AnchorProps, 'href'> {
  readonly ref?: Ref<HTMLAnchorElement>;
  readonly children?: ReactNode;
  readonly 'aria-label'?: string;
}

export function TextAnchor(props: TextAnchorProps): ReactNode {
  return <Anchor size="sm" style={{ overflowWrap: 'anywhere' }} {...props} />;
}

export const TextLink = createLink(TextAnchor);

interface IdProps {
  /** null shows nothing. */
  readonly id: string | null;
}

/** Says the name of the merchant. */
export function MerchantLink({ id }: IdProps): ReactNode {
  if (id === null) return null;
  return (
    <TextLink to="/admin/merchants/$merchantId" params={{ merchantId: id }}>
      <MerchantName id={id} />
    </TextLink>
  );
}

export function PaymentIdLink({ id }: IdProps): ReactNode {
  if (id === null) return null;
  return (
    <TextLink to="/admin/transactions/$paymentId" params={{ paymentId: id }}>
      {id}
    </TextLink>
  );
}

export function RefundLink({ id }: IdProps): ReactNode {
  if (id === null) return null;
  return (
    <TextLink to="/admin/refunds/$refundId" params={{ refundId: id }}>
      {id}
    </TextLink>
  );
}

export function PayoutLink({ id }: IdProps): ReactNode {
  if (id === null) return null;
  return (
    <TextLink to="/admin/payouts/$payoutId" params={{ payoutId: id }}>
      {id}
    </TextLink>
  );
}

export function TaskLink({ id }: IdProps): ReactNode {
  if (id === null) return null;
  return (
    <TextLink to="/admin/tasks/$taskId" params={{ taskId: id }}>
      {id}
    </TextLink>
  );
}
