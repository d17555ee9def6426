// The amount, the status and the facts of a payment.
import { Anchor, Group, Text } from '@mantine/core';
import ExternalLink from 'lucide-react/icons/external-link';
import type { ReactNode } from 'react';
import { Facts, Section } from '@dashboard/shared/parts/detail-view.js';
import { Identifier } from '@dashboard/shared/parts/identifier.js';
import { Money } from '@dashboard/shared/parts/money.js';
import { When } from '@dashboard/shared/parts/when.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { useMethodName } from '@dashboard/shared/text/method-names.js';
import { MONEY_TEXTS } from '../parts/texts.js';
import type { Payment } from './payment-columns.js';
import { PaymentStatus } from '@dashboard/shared/parts/payment-status.js';

const ICON_SIZE = 14;

interface PaymentProps {
  readonly payment: Payment;
}

export function PaymentHead({ payment }: PaymentProps): ReactNode {
  const texts = useTexts(MONEY_TEXTS);
  const failure = payment.failure_code;
  return (
    <div>
      <Group gap="md">
        <Text fz={{ base: 26, sm: 32 }} fw={650} lh={1.2}>
          <Money minor={payment.amount} currency={payment.currency} />
        </Text>
        <PaymentStatus payment={payment} />
      </Group>
      {failure !== null && <Text c="dimmed">{texts.failures[failure]}</Text>}
    </div>
  );
}

export function PaymentFacts({ payment }: PaymentProps): ReactNode {
  const texts = useTexts(MONEY_TEXTS);
  const { currency, payment_method: method } = payment;
  const nameMethod = useMethodName();
  // The API counts what a bank took back as refunded too; shown twice it would be read as twice the money.
  const refunded = BigInt(payment.refunded_amount) - BigInt(payment.charged_back_amount ?? '0');
  const money = (minor: string): ReactNode => <Money minor={minor} currency={currency} />;
  return (
    <Section
      title={texts.facts}
      actions={
        <Anchor href={payment.checkout_url} target="_blank" rel="noreferrer" size="sm">
          {texts.customerPage} <ExternalLink size={ICON_SIZE} aria-hidden />
        </Anchor>
      }
    >
      <Facts
        facts={[
          [texts.id, <Identifier key="id" value={payment.id} />],
          [texts.reference, payment.reference_id],
          [texts.description, payment.description],
          [texts.method, method && nameMethod(method)],
          [texts.customer, payment.customer_name],
          [texts.email, payment.customer_email],
          [texts.phone, payment.customer_phone],
          [texts.created, <When key="created" at={payment.created_at} />],
          [texts.paid, payment.paid_at && <When at={payment.paid_at} />],
          [texts.refundedSoFar, refunded === 0n ? null : money(String(refunded))],
          [
            texts.chargedBack,
            payment.charged_back_amount === undefined ? null : money(payment.charged_back_amount),
          ],
          [texts.refundable, payment.status === 'paid' ? money(payment.refundable_amount) : null],
          [texts.orderId, payment.order_id && <Identifier value={payment.order_id} />],
        ]}
      />
    </Section>
  );
}

export function MetadataSection({ payment }: PaymentProps): ReactNode {
  const texts = useTexts(MONEY_TEXTS);
  const entries = Object.entries(payment.metadata);
  if (entries.length === 0) return null;
  return (
    <Section title={texts.metadata}>
      <Facts facts={entries} />
    </Section>
  );
}
