// One payment link: its address and QR code, which can be printed as a poster.
import { Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { api, type MerchantSchema } from '@dashboard/shared/api/client.js';
import { unwrap } from '@dashboard/shared/api/failure.js';
import { Facts, ObjectView, Section } from '@dashboard/shared/parts/detail-view.js';
import { Identifier } from '@dashboard/shared/parts/identifier.js';
import { Page } from '@dashboard/shared/parts/page.js';
import { When } from '@dashboard/shared/parts/when.js';
import { useCan } from '@dashboard/shared/session/session.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { SELLING_TEXTS } from '../parts/texts.js';
import { WhatsAppLink } from '../parts/whatsapp-link.js';
import { LinkEditor } from './link-editor.js';
import { LinkPayments } from './link-payments.js';
import { LinkPrice, LinkState, writeUses } from './link-parts.js';
import { LinkSwitchDialog } from './link-switch-dialog.js';
import { Poster } from './poster.js';
import classes from './poster.module.css';
import { QrCode } from './qr-code.js';

type Link = MerchantSchema['PaymentLink'];
interface LinkProps {
  readonly link: Link;
}

export function LinkView(): ReactNode {
  const { links } = useTexts(SELLING_TEXTS);
  const { linkId } = useParams({ from: '/signed-in/payment-links/$linkId' });
  const query = useQuery({
    queryKey: ['payment-link', linkId],
    queryFn: () =>
      unwrap(
        api.GET('/v1/merchants/me/payment-links/{payment_link_id}', {
          params: { path: { payment_link_id: linkId } },
        }),
      ),
  });
  return (
    <>
      <div className={classes.screen}>
        <Page
          title={query.data?.title ?? links.link}
          actions={query.data !== undefined && <LinkActions link={query.data} />}
        >
          <ObjectView query={query}>{(link) => <LinkDetails link={link} />}</ObjectView>
        </Page>
      </div>
      {query.data !== undefined && <Poster link={query.data} />}
    </>
  );
}

function LinkActions({ link }: LinkProps): ReactNode {
  const { links } = useTexts(SELLING_TEXTS);
  const canChange = useCan()('change_payment_links');
  const [dialog, setDialog] = useState<'edit' | 'switch' | null>(null);
  const close = (): void => {
    setDialog(null);
  };
  return (
    <>
      <Button
        variant="default"
        onClick={() => {
          window.print();
        }}
      >
        {links.print}
      </Button>
      {canChange && (
        <>
          <Button
            variant="default"
            onClick={() => {
              setDialog('switch');
            }}
          >
            {link.active ? links.switchOff : links.switchOn}
          </Button>
          <Button
            onClick={() => {
              setDialog('edit');
            }}
          >
            {links.edit}
          </Button>
        </>
      )}
      {dialog === 'edit' && <LinkEditor link={link} onClose={close} />}
      {dialog === 'switch' && <LinkSwitchDialog link={link} onClose={close} />}
    </>
  );
}

function LinkDetails({ link }: LinkProps): ReactNode {
  const { links } = useTexts(SELLING_TEXTS);
  const canReadPayments = useCan()('read_payments');
  const { expires_at: end, success_url: successUrl } = link;
  return (
    <Stack gap="lg">
      <Section
        title={links.share}
        actions={
          <Anchor href={link.url} target="_blank" rel="noreferrer">
            {links.open}
          </Anchor>
        }
      >
        <Group align="flex-start" gap="lg">
          <QrCode className={classes.qr} text={link.url} label={links.qr(link.title)} />
          <Stack gap="xs" miw={0} flex="1 1 14rem">
            <Text size="sm" c="dimmed">
              {links.shareHelp}
            </Text>
            <Identifier value={link.url} />
            <WhatsAppLink environment={link.environment} name={link.title} url={link.url} />
          </Stack>
        </Group>
      </Section>
      <Section title={links.details}>
        <Facts
          facts={[
            [links.price, <LinkPrice key="price" link={link} />],
            [links.status, <LinkState key="state" link={link} />],
            [links.uses, writeUses(link, links)],
            [links.description, link.description],
            [links.ends, end && <When at={end} />],
            [links.successUrl, successUrl],
            [links.environment, link.environment],
            [links.created, <When key="created" at={link.created_at} />],
            [links.id, <Identifier key="id" value={link.id} />],
          ]}
        />
      </Section>
      {canReadPayments && <LinkPayments link={link} />}
    </Stack>
  );
}
