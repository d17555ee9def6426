// The headers that an attempt sent, so that a merchant can compare its signatures with those that arrived.
import { Anchor, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { MerchantSchema } from '@dashboard/shared/api/client.js';
import { Facts } from '@dashboard/shared/parts/detail-view.js';
import { Identifier } from '@dashboard/shared/parts/identifier.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { DEVELOPERS_TEXTS } from '../parts/texts.js';
import classes from '../parts/developers.module.css';

interface RequestHeadersProps {
  readonly headers: MerchantSchema['DeliveryAttempt']['request_headers'];
  readonly isOpen: boolean;
}

export function RequestHeaders({ headers, isOpen }: RequestHeadersProps): ReactNode {
  const { webhooks } = useTexts(DEVELOPERS_TEXTS);
  const shown = Object.entries(headers ?? {});
  if (shown.length === 0) {
    return (
      <Text size="sm" mt="xs" c="dimmed">
        {headers === null ? webhooks.headersUnknown : webhooks.nothingSent}
      </Text>
    );
  }
  return (
    <details open={isOpen} className={classes.headers}>
      <summary>{webhooks.headers}</summary>
      <Text size="sm" my="xs" c="dimmed">
        {webhooks.headersHelp}{' '}
        <Anchor
          href="/docs/webhooks#signatures"
          target="_blank"
          rel="noreferrer"
          underline="always"
        >
          {webhooks.signatureGuide}
        </Anchor>
      </Text>
      <Facts
        facts={shown.map(([name, value]) => [name, <Identifier key={name} value={value} />])}
      />
    </details>
  );
}
