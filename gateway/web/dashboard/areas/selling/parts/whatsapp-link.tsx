// Opens WhatsApp with a message to a customer, who is chosen there. The amount stands in the preview of the link.
import { Anchor } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTexts } from '@dashboard/shared/text/language.js';
import { SELLING_TEXTS } from './texts.js';

interface WhatsAppLinkProps {
  readonly environment: string;
  /** The title of a payment link, or the number of an invoice. */
  readonly name: string;
  readonly url: string;
}

export function WhatsAppLink({ environment, name, url }: WhatsAppLinkProps): ReactNode {
  const { share } = useTexts(SELLING_TEXTS);
  const message = `${environment === 'TEST' ? 'TEST · ' : ''}${name}\n${url}`;
  return (
    <Anchor
      href={`https://wa.me/?text=${encodeURIComponent(message)}`}
      target="_blank"
      rel="noreferrer"
    >
      {share.whatsApp}
    </Anchor>
  );
}
