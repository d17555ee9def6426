// Links to views: one that covers its row of a list, those of rows that several lists show, and one in a text.
import { Anchor, type AnchorProps } from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import type { AnchorHTMLAttributes, ReactNode, Ref } from 'react';
import classes from './list.module.css';

interface PlainProps extends AnchorHTMLAttributes<HTMLAnchorElement> {
  readonly ref?: Ref<HTMLAnchorElement>;
}

function PlainLink(props: PlainProps): ReactNode {
  return <a {...props} className={classes.rowLink} />;
}

export const RowLink = createLink(PlainLink);

interface Identified {
  readonly id: string;
}

/** Covers the row of a webhook delivery. */
export const linkDelivery = ({ id }: Identified, content: ReactNode): ReactNode => (
  <RowLink to="/webhooks/deliveries/$deliveryId" params={{ deliveryId: id }}>
    {content}
  </RowLink>
);

/** Covers the row of a request in the API logs. */
export const linkLog = ({ id }: Identified, content: ReactNode): ReactNode => (
  <RowLink to="/api-logs/$requestId" params={{ requestId: id }}>
    {content}
  </RowLink>
);

interface TextLinkProps extends Omit<AnchorProps, 'href'> {
  readonly ref?: Ref<HTMLAnchorElement>;
  readonly children?: ReactNode;
}

function TextAnchor(props: TextLinkProps): ReactNode {
  return <Anchor {...props} />;
}

export const TextLink = createLink(TextAnchor);
